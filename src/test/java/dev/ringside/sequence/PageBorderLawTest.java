package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.model.DraftedQwen3Next;
import dev.ringside.model.Experts;
import dev.ringside.model.ModelHarness;
import dev.ringside.model.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The law of sequence state where pages of 64 tokens end: prompts of 64 k - 1, 64 k and 64 k + 1 tokens, behind which everything is drafted, for
 * every architecture with a draft block. They are computed as batch mates, each of them three times: anew, behind the prefix that the first time
 * left, and after a reset; all of that with suspensions in between.
 */
class PageBorderLawTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 64L);
    private static final int PAGE_TOKENS = 64;
    private static final int MOST_PAGES = 3;
    private static final int GENERATED = 24;
    private static final int LONGEST = MOST_PAGES * PAGE_TOKENS + 1 + GENERATED;
    private static final int LONGEST_CHUNK = 70;
    private static final int TIMES = 3;

    @TempDir
    private Path directory;

    /** A track behind whose prompt everything is drafted. */
    private static final class Run {

        final Track track;
        final int prompt;
        int times;

        Run(Track track, int prompt) {
            this.track = track;
            this.prompt = prompt;
        }

        boolean over() {
            return times == TIMES;
        }

        void prepare(int room) {
            if (track.done() < prompt) {
                track.prepareChunk(prompt, Math.min(room, LONGEST_CHUNK));
            } else {
                track.prepareDrafted(room);
            }
        }

        void finish(List<float[]> logits, String circumstances) {
            int before = track.done();
            track.finish(logits, circumstances);
            if (before < prompt && track.done() == prompt) {
                track.keep();
            }
            if (track.ended()) {
                times++;
                if (times == 1) {
                    assertThat(track.restart(circumstances)).as("tokens of the prefix, %s", circumstances)
                            .isGreaterThanOrEqualTo(prompt - 1);
                } else if (!over()) {
                    track.reset();
                }
            }
        }
    }

    static Stream<Arguments> draftingModelsAndTypes() {
        return Stream.of("qwen4exp", "qwen3next", "qwen35moe")
                .flatMap(model -> Stream.of(KvType.F16, KvType.Q8).map(type -> Arguments.of(model, type)));
    }

    @ParameterizedTest
    @MethodSource("draftingModelsAndTypes")
    void draftingBehindPromptsThatEndAroundAPagesEndNeverShows(String model, KvType type) {
        Random random = new Random(SEED + 31L * model.hashCode() + type.name().hashCode());
        CheckpointIdentity identity = new CheckpointIdentity(model.hashCode(), type);
        Path file = model.equals("qwen3next") ? DraftedQwen3Next.write(directory) : Reference.resource(model + "/q8_0.gguf");
        try (ModelHarness harness = new ModelHarness(file, LONGEST, 2, type, Experts.allResident());
                PrefixStore store = new PrefixStore(harness.pool(), identity, new PrefixOptions(8 << 20, 64, Duration.ofHours(1)), null)) {
            Objects.requireNonNull(harness.loaded().model().draftHead(), "the model has no draft block");
            List<Run> runs = runs(harness, store, identity, random);
            for (int step = 0; !runs.stream().allMatch(Run::over); step++) {
                String circumstances = "seed " + SEED + ", " + model + ", " + type + ", step " + step;
                for (Run run : runs) {
                    if (run.track.suspended()) {
                        run.track.resume();
                    } else if (random.nextInt(12) == 0) {
                        run.track.suspend();
                    }
                }
                step(runs, harness, random, circumstances);
            }
            assertThat(store.snapshot().failures()).isZero();
            runs.forEach(run -> run.track.close());
            assertThat(harness.pool().snapshot().bytesUsed()).isZero();
        }
    }

    private static List<Run> runs(ModelHarness harness, PrefixStore store, CheckpointIdentity identity, Random random) {
        int vocabulary = harness.loaded().model().info().vocabularySize();
        List<Run> runs = new ArrayList<>();
        for (int pages = 1; pages <= MOST_PAGES; pages++) {
            for (int prompt = pages * PAGE_TOKENS - 1; prompt <= pages * PAGE_TOKENS + 1; prompt++) {
                int[] tokens = random.ints(prompt + GENERATED, 0, vocabulary).toArray();
                runs.add(new Run(new Track(harness, store, identity, random, tokens), prompt));
            }
        }
        return runs;
    }

    private static void step(List<Run> runs, ModelHarness harness, Random random, String circumstances) {
        harness.step().clear();
        List<Run> parts = new ArrayList<>();
        for (Run run : runs) {
            int room = LONGEST - harness.step().rows();
            if (room > 0 && !run.over() && !run.track.suspended() && random.nextInt(5) > 0) {
                run.prepare(room);
                parts.add(run);
            }
        }
        if (!parts.isEmpty()) {
            List<float[]> logits = harness.forward();
            parts.forEach(run -> run.finish(logits, circumstances));
        }
    }
}
