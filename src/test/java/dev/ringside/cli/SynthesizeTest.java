package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SynthesizeTest {

    private static final int VOCABULARY = 1024;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"qwen3-30b-a3b", "qwen3-next-80b", "qwen3.6-35b-a3b", "qwen3.8-flash-next"})
    void tensors_have_the_released_shapes_and_a_forward_pass_gives_finite_logits(String like) {
        Path file = synthesize(like, "--layers", 4, "--experts", 8, "--quant", "q4_k");
        try (GgufFile gguf = GgufFile.open(file)) {
            ReleasedShapes.check(gguf, like, 4, 8, VOCABULARY);
            assertThat(gguf.metadata().getBool(Synthesizer.MARK)).isTrue();
            assertThat(gguf.metadata().getString("general.description")).contains("Random weights", like);
            if (!Boolean.TRUE.equals(SupportCheck.of(gguf).runs())) {
                return;
            }
        }
        try (BenchSession session = new BenchSession(file, 2, 8, 1, 8, ExpertOptions.defaults(1, 1))) {
            session.prefill(0, new int[] {72, 105, 999, 3, 72, 0, 513}, 7, 8);
            float[] logits = session.logits().memory().toArray(ValueLayout.JAVA_FLOAT);
            assertThat(logits).hasSize(VOCABULARY);
            double squares = 0;
            for (float logit : logits) {
                assertThat(logit).isFinite();
                squares += logit * logit;
            }
            assertThat(Math.sqrt(squares / VOCABULARY)).as("spread of the logits").isBetween(0.5, 8.0);
        }
    }

    @Test
    void rows_that_are_not_whole_blocks_fall_back_to_smaller_ones() {
        Path file = synthesize("qwen3.8-flash-next", "--layers", 1, "--experts", 2, "--quant", "q5_k");
        try (GgufFile gguf = GgufFile.open(file)) {
            assertThat(gguf.require("blk.0.ffn_gate_exps.weight").type()).isEqualTo(GgmlType.Q5_K);
            assertThat(gguf.require("blk.0.ffn_down_exps.weight").type()).as("rows of 640").isEqualTo(GgmlType.Q5_1);
            assertThat(gguf.require("blk.0.hc_attn_up.weight").type()).as("rows of 320").isEqualTo(GgmlType.Q5_1);
            assertThat(gguf.require("per_layer_token_embd.weight").type()).as("rows of 160").isEqualTo(GgmlType.Q5_1);
            assertThat(gguf.require("blk.0.ffn_gate_inp.weight").type()).isEqualTo(GgmlType.F32);
        }
    }

    @Test
    void the_same_seed_gives_the_same_file_and_another_seed_another() throws IOException {
        Path first = synthesize("qwen3-30b-a3b", "--layers", 1, "--experts", 1, "--seed", 5);
        byte[] bytes = Files.readAllBytes(first);
        Path again = synthesize("qwen3-30b-a3b", "--layers", 1, "--experts", 1, "--seed", 5);
        assertThat(Arrays.equals(bytes, Files.readAllBytes(again))).isTrue();
        Path other = synthesize("qwen3-30b-a3b", "--layers", 1, "--experts", 1, "--seed", 6);
        assertThat(Arrays.equals(bytes, Files.readAllBytes(other))).isFalse();
    }

    @Test
    void the_size_is_known_before_it_is_written() throws IOException {
        ModelShape shape = ModelShape.all().getFirst().withLayers(1).withExperts(2).withTables(VOCABULARY, 4096);
        Synthesizer synthesizer = new Synthesizer(shape, QuantMix.parse("q8_0"), Routing.parse("uniform"), 1);
        Path file = directory.resolve("sized.gguf");
        long[] told = new long[1];
        synthesizer.write(file, written -> told[0] += written);
        assertThat(Files.size(file)).isEqualTo(synthesizer.fileBytes());
        try (GgufFile gguf = GgufFile.open(file)) {
            assertThat(told[0]).isEqualTo(gguf.totalTensorBytes());
        }
    }

    @Test
    void any_text_goes_through_its_tokenizer() {
        Path file = synthesize("qwen3.6-35b-a3b", "--layers", 1, "--experts", 1);
        try (GgufFile gguf = GgufFile.open(file)) {
            Tokenizer tokenizer = Tokenizer.from(gguf.metadata());
            String text = "Hello, wörld!\n日本 🎪";
            int[] ids = tokenizer.encode(text, SpecialTokens.AS_TEXT);
            assertThat(ids).hasSize(text.getBytes(StandardCharsets.UTF_8).length);
            ByteArrayOutputStream decoded = new ByteArrayOutputStream();
            Arrays.stream(ids).forEach(id -> decoded.writeBytes(tokenizer.tokenBytes(id)));
            assertThat(decoded.toString(StandardCharsets.UTF_8)).isEqualTo(text);
            assertThat(tokenizer.encode("<|im_start|>user", SpecialTokens.RECOGNISE)).hasSize(5);
            assertThat(tokenizer.vocabularySize()).isEqualTo(VOCABULARY);
        }
    }

    @Test
    void special_tokens_have_the_released_ids_in_a_vocabulary_of_the_released_size() {
        assertThat(SyntheticTokenizer.endOfText(ModelShape.all().getFirst())).isEqualTo(151_643);
        assertThat(SyntheticTokenizer.endOfText(ModelShape.all().getLast())).isEqualTo(248_044);
    }

    private Path synthesize(Object... arguments) {
        Path file = directory.resolve("model.gguf");
        Object[] all = new Object[arguments.length + 7];
        all[0] = "synthesize";
        all[1] = "--like";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        Object[] end = {"--vocabulary", VOCABULARY, "--ngram-rows=4096", "--force", file};
        System.arraycopy(end, 0, all, arguments.length + 2, end.length);
        CommandRun run = CommandRun.of(all);
        assertThat(run.code()).as(run.err()).isZero();
        return file;
    }
}
