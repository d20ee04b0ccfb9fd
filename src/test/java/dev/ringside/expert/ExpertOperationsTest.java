package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Resize, trim, hot list and trace. */
class ExpertOperationsTest {

    @TempDir
    Path directory;

    private static FetcherRig rig(ArenaKind kind, int slots, ExpertTuning tuning) {
        PatternSource source = new PatternSource(40, 40);
        return new FetcherRig(source, new DeferredBackend(1, Pace.RANDOM, true),
                FetcherRig.options(kind, source, slots, 2).withEviction(ExpertEviction.LRU, 1).withTuning(tuning));
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void growingKeepsEveryResident(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 8, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1, 2, 3, 4, 5, 6, 7, 8);
            CompletableFuture<Integer> resized = rig.fetcher.resize(20);
            assertThat(resized).isNotDone();
            rig.gather(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            assertThat(resized).isCompletedWithValue(20);
            assertThat(rig.fetcher.snapshot().misses()).isEqualTo(10);
            assertThat(rig.fetcher.snapshot().slots()).isEqualTo(20);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void shrinkingKeepsTheMostRecentlyUsed(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 16, ExpertTuning.DEFAULT)) {
            for (int expert = 0; expert < 16; expert++) {
                rig.gather(0, expert);
            }
            rig.fetcher.resize(6);
            rig.gather(0, 10, 11, 12, 13, 14, 15);
            assertThat(rig.fetcher.snapshot().misses()).isEqualTo(16);
            assertThat(rig.fetcher.snapshot().evictions()).isEqualTo(10);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void trimGoesDownToWhatATokenNeedsAndNoFurther() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, IntStream.range(0, 16).toArray());
            CompletableFuture<Integer> trimmed = rig.fetcher.trim();
            rig.fetcher.applyRequests();
            assertThat(trimmed).isCompletedWithValue(rig.fetcher.minimumSlots());
            rig.gather(1, IntStream.range(0, 40).toArray());
            assertThat(rig.delivered()).hasSize(40);
        }
    }

    @Test
    void memoryThatCannotBeHadLeavesTheSizeAsItWas() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 8, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1, 2, 3);
            rig.backend.failWhen("allocateArena"::equals);
            CompletableFuture<Integer> resized = rig.fetcher.resize(40);
            rig.gather(0, 1, 2, 3);
            assertThat(resized).isCompletedExceptionally();
            assertThat(rig.fetcher.snapshot().slots()).isEqualTo(8);
            assertThat(rig.fetcher.snapshot().hits()).isEqualTo(3);
        }
    }

    @Test
    void requestsToAClosedFetcherAreRefused() {
        FetcherRig rig = rig(ArenaKind.PINNED, 8, ExpertTuning.DEFAULT);
        rig.close();
        assertThat(rig.fetcher.resize(10)).isCompletedExceptionally();
    }

    @Test
    void hotListOfOneRunIsResidentInTheNext() throws IOException {
        Path file = directory.resolve("hot.txt");
        ExpertTuning tuning = ExpertTuning.DEFAULT.withHotListFile(file);
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 8, tuning)) {
            assertThat(rig.fetcher.prewarm(rig.stream, PrewarmListener.NONE)).isZero();
            for (int i = 0; i < 5; i++) {
                rig.gather(0, 30, 31, 32, 33);
                rig.gather(1, 20, 21, i);
            }
        }
        assertThat(Files.readAllLines(file)).hasSize(9).contains("0 30", "1 21").doesNotContain("1 0");
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 8, tuning)) {
            assertThat(rig.fetcher.prewarm(rig.stream, PrewarmListener.NONE)).isEqualTo(8);
            rig.gather(0, 30, 31, 32, 33);
            assertThat(rig.fetcher.snapshot().hits()).isEqualTo(4);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void everyBatchOfPreWarmedExpertsIsReported() throws IOException {
        Path file = directory.resolve("hot.txt");
        Files.writeString(file, "0 1\n0 2\n0 3\n1 4\n1 5\n1 6\n");
        List<String> seen = new ArrayList<>();
        try (FetcherRig rig = rig(ArenaKind.PINNED, 8, ExpertTuning.DEFAULT.withHotListFile(file))) {
            rig.fetcher.prewarm(rig.stream, (done, total) -> seen.add(done + " of " + total));
        }
        assertThat(seen).startsWith("0 of 6").endsWith("6 of 6").doesNotHaveDuplicates();
    }

    @Test
    void hotListOfAnotherModelOrOfNothingIsLeftOut() throws IOException {
        Path file = directory.resolve("hot.txt");
        Files.writeString(file, "7 1\n0 99\nnonsense\n0 1\n-1 -1\n");
        PatternSource source = new PatternSource(40, 40);
        source.failWhen(key -> key == ExpertKey.of(0, 1));
        ExpertOptions options = FetcherRig.options(ArenaKind.PINNED, source, 8, 2).withTuning(ExpertTuning.DEFAULT.withHotListFile(file));
        try (FetcherRig rig = new FetcherRig(source, new DeferredBackend(1, Pace.LAZY, true), options)) {
            assertThat(rig.fetcher.prewarm(rig.stream, PrewarmListener.NONE)).isZero();
        }
    }

    @Test
    void traceHasALineForEachGatherAndIsReadByTheReplay() throws IOException {
        Path file = directory.resolve("trace.txt");
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 8, ExpertTuning.DEFAULT.withTraceFile(file))) {
            rig.gather(0, 1, 2, 2);
            rig.gather(1, 5);
            rig.gather(0, 1, 3);
            // Flushed line by line: the file is complete while the fetcher lives.
            assertThat(Files.readAllLines(file)).hasSize(4);
            assertThat(RoutingTrace.read(file).gathers()).containsExactly(new RoutingTrace.Gather(0, List.of(1, 2)),
                    new RoutingTrace.Gather(1, List.of(5)), new RoutingTrace.Gather(0, List.of(1, 3)));
            assertThat(Files.readAllLines(file).getLast().split(" ")[2]).isEqualTo("1");
        }
    }

    @Test
    void traceFileThatCannotBeWrittenIsRefusedAtTheStart() {
        ExpertTuning tuning = ExpertTuning.DEFAULT.withTraceFile(directory.resolve("no/such/place"));
        assertThatThrownBy(() -> rig(ArenaKind.PINNED, 8, tuning)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ringside.experts.trace-file");
    }

    @Test
    void longGatherDoesNotFlushTheOtherLayers() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 40, ExpertTuning.DEFAULT)) {
            rig.gather(0, IntStream.range(0, 20).toArray());
            // More than a layer's share: what it does not admit streams through few slots.
            rig.gather(1, IntStream.range(0, 40).toArray());
            rig.gather(0, IntStream.range(0, 20).toArray());
            assertThat(rig.fetcher.snapshot().misses()).isLessThanOrEqualTo(20 + 40 + 2L * rig.arena.batchLimit());
        }
    }
}
