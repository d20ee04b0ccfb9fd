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
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The law of sequence state: any interleaving of rejected rows, abandoned steps, resets, suspensions, restores, shared prefixes, batch mates
 * and chunk sizes gives the logits, bit for bit, of never having done any of it.
 */
class BitLawTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 20_261_130L);
    private static final String WITH_DRAFTS = "qwen3next with drafts";
    private static final int SEQUENCES = 3;
    private static final int ACTIONS = 60;
    private static final int LONGEST = 150;
    private static final int LONGEST_CHUNK = 45;

    @TempDir
    private Path directory;

    static Stream<Arguments> modelsAndTypes() {
        return Stream.of("qwen4exp", "qwen3moe", "qwen3next", WITH_DRAFTS, "qwen35moe")
                .flatMap(model -> Stream.of(KvType.values()).map(type -> Arguments.of(model, type)));
    }

    @ParameterizedTest
    @MethodSource("modelsAndTypes")
    void whatHappensToASequenceNeverShowsInItsLogits(String model, KvType type) {
        Random random = new Random(SEED + 31L * model.hashCode() + type.name().hashCode());
        CheckpointIdentity identity = new CheckpointIdentity(model.hashCode(), type);
        Path file = model.equals(WITH_DRAFTS) ? DraftedQwen3Next.write(directory) : Reference.resource(model + "/q8_0.gguf");
        try (ModelHarness harness = new ModelHarness(file, LONGEST, 2, type, Experts.allResident());
                PrefixStore store = new PrefixStore(harness.pool(), identity, new PrefixOptions(1 << 20, 64, Duration.ofHours(1)), null)) {
            List<Track> tracks = new ArrayList<>();
            for (int[] tokens : streams(harness, random)) {
                tracks.add(new Track(harness, store, identity, random, tokens));
            }
            for (int i = 0; i < ACTIONS; i++) {
                String circumstances = "seed " + SEED + ", " + model + ", " + type + ", action " + i;
                Track track = tracks.get(random.nextInt(SEQUENCES));
                switch (random.nextInt(10)) {
                    case 0 -> track.suspend();
                    case 1 -> {
                        if (!track.suspended()) {
                            track.restart(circumstances);
                        }
                    }
                    case 2 -> track.keep();
                    default -> step(tracks, harness, random, circumstances);
                }
                for (Track each : tracks) {
                    if (each.suspended() && random.nextBoolean()) {
                        each.resume();
                    }
                }
            }
            assertThat(store.snapshot().failures()).isZero();
            tracks.forEach(Track::close);
            assertThat(harness.pool().snapshot().bytesUsed()).isZero();
        }
    }

    /** Three streams, two of which begin alike. */
    private static List<int[]> streams(ModelHarness harness, Random random) {
        int vocabulary = harness.loaded().model().info().vocabularySize();
        int[] first = random.ints(LONGEST, 0, vocabulary).toArray();
        int[] second = random.ints(LONGEST, 0, vocabulary).toArray();
        System.arraycopy(first, 0, second, 0, 70 + random.nextInt(20));
        int[] third = random.ints(63 + random.nextInt(3), 0, vocabulary).toArray();
        return List.of(first, second, third);
    }

    private static void step(List<Track> tracks, ModelHarness harness, Random random, String circumstances) {
        harness.step().clear();
        List<Track> parts = new ArrayList<>();
        for (Track track : tracks) {
            if (track.suspended()) {
                continue;
            }
            if (track.ended()) {
                track.reset();
            }
            if (random.nextInt(4) > 0) {
                if (random.nextBoolean()) {
                    track.prepareDrafted(LONGEST);
                } else {
                    track.prepareChunk(track.tokens.length, LONGEST_CHUNK);
                }
                parts.add(track);
            }
        }
        if (!parts.isEmpty()) {
            List<float[]> logits = harness.forward();
            parts.forEach(track -> track.finish(logits, circumstances));
        }
    }
}
