package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.DraftedQwen3Next;
import dev.ringside.model.Reference;
import dev.ringside.sampling.SamplingParameters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Prompts that end one token before, at and behind the ends of pages of 64 tokens, with drafts: text and probabilities are those of an engine
 * that drafts nothing, cold and behind a prefix. Drafts are right for seven tokens of ten.
 */
class PageBorderTextsTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 641);
    private static final int PAGE_TOKENS = 64;
    private static final int MOST_PAGES = 3;
    /** For each number of pages. */
    private static final int LENGTHS = 3;
    private static final int GENERATED = 24;
    private static final int VOCABULARY = 500;

    @TempDir
    private Path directory;

    static Stream<Arguments> modelsAndTypes() {
        return Stream.of("qwen4exp", "qwen3next", "qwen35moe")
                .flatMap(model -> Stream.of(KvType.F16, KvType.Q8).map(type -> Arguments.of(model, type)));
    }

    @ParameterizedTest
    @MethodSource("modelsAndTypes")
    void draftsChangeNoTextBehindPromptsThatEndAroundAPagesEnd(String model, KvType type) {
        Path file = model.equals("qwen3next") ? DraftedQwen3Next.write(directory) : Reference.resource(model + "/q8_0.gguf");
        RealEngine.Setup setup = new RealEngine.Setup(file, type, 4, 60, PAGE_TOKENS, false, 0, null, () -> HostBackend.create(2));
        List<GenerationRequest> requests = requests();
        List<Recorder> plain;
        try (RealEngine engine = new RealEngine(setup)) {
            plain = engine.run(requests);
        }
        Foresight foresight = new Foresight(VOCABULARY, 3);
        for (int i = 0; i < requests.size(); i++) {
            foresight.learn(requests.get(i).prompt(), plain.get(i).logprobs().stream().mapToInt(TokenLogprob::token).toArray());
        }
        for (int drafts : new int[] {1, 3}) {
            String circumstances = model + ", " + type + ", " + drafts + " drafts, seed " + SEED;
            try (RealEngine engine = new RealEngine(setup.guessing(foresight).with(true, drafts))) {
                // As many at once as the prefix store has room for. A prefix of a prompt ends at the last page's end in front of its last token.
                for (int from = 0; from < requests.size(); from += LENGTHS) {
                    List<GenerationRequest> some = requests.subList(from, from + LENGTHS);
                    List<Recorder> expected = plain.subList(from, from + LENGTHS);
                    SameTexts.require(engine.run(some), expected, circumstances + ", cold");
                    List<Recorder> again = engine.run(some);
                    SameTexts.require(again, expected, circumstances + ", again");
                    for (int i = 0; i < LENGTHS; i++) {
                        int length = some.get(i).prompt().length;
                        assertThat(again.get(i).completed().usage().cachedTokens()).as("%s, prompt of %d", circumstances, length)
                                .isEqualTo((length - 1) / PAGE_TOKENS * PAGE_TOKENS);
                    }
                }
                SpeculationSnapshot seen = engine.engine.snapshot().speculation();
                assertThat(seen.accepted()).as(circumstances).isPositive().isLessThan(seen.drafted());
            }
        }
    }

    /** A third of the prompts with a repetition penalty, a third drawn at random. */
    private static List<GenerationRequest> requests() {
        Random random = new Random(SEED);
        List<GenerationRequest> requests = new ArrayList<>();
        for (int pages = 1; pages <= MOST_PAGES; pages++) {
            for (int length = pages * PAGE_TOKENS - 1; length <= pages * PAGE_TOKENS + 1; length++) {
                int i = requests.size();
                SamplingParameters sampling = new SamplingParameters((i + pages) % 3 == 1 ? 1.2f : 0, 0.95f, 0, 0, 0, 0,
                        (i + pages) % 3 == 0 ? 1.3f : 1, random.nextLong(), Map.of());
                requests.add(
                        new GenerationRequest("r" + i, random.ints(length, 0, VOCABULARY).toArray(), sampling, GENERATED, List.of(), true,
                                new int[0], 1, null, Priority.INTERACTIVE, null));
            }
        }
        return requests;
    }
}
