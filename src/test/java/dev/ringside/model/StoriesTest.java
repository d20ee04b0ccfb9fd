package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ArenaKind;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.KvType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real tiny story model of architecture llama, dense and cut into experts that compute the same function: all tell the same story, whatever
 * is evicted on the way.
 */
class StoriesTest {

    private static final int[] PROMPT = {1, 403, 407, 261, 378};
    private static final String STORY = ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. "
            + "She wanted to play with it, but it was too high.\nLily's mom said, \"Lily, let's go to the park.\" Lily was sad and didn't know "
            + "what to do. She said, \"I want to play with your ball, but I can't find it.\"\n";

    @ParameterizedTest
    @CsvSource({"dense,100%,PINNED", "moe8,100%,PINNED", "moe64,100%,PINNED", "moe8,25%,PINNED", "moe8,25%,DEVICE", "moe64,3%,PINNED",
        "moe64,3%,DEVICE"})
    void tellsTheSameStory(String kind, String arena, ArenaKind arenaKind) {
        Path path = Reference.testData("stories260k/stories260K-" + kind + ".gguf");
        try (ModelHarness harness = new ModelHarness(path, 16, 2, KvType.F32, Experts.sized(arena, arenaKind));
                GgufFile file = GgufFile.open(path)) {
            assertThat(text(file, harness.greedy(PROMPT, 160, 16))).startsWith(STORY);
        }
    }

    private static String text(GgufFile file, int[] tokens) {
        List<String> pieces = file.metadata().getStrings("tokenizer.ggml.tokens");
        StringBuilder text = new StringBuilder();
        for (int token : tokens) {
            String piece = pieces.get(token);
            boolean oneByte = piece.length() == 6 && piece.startsWith("<0x");
            text.append(oneByte ? String.valueOf((char) Integer.parseInt(piece.substring(3, 5), 16)) : piece.replace('\u2581', ' '));
        }
        return text.toString();
    }
}
