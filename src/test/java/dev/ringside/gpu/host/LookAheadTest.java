package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LookAheadTest {

    private static final int PAGE = 4096;
    private static final int BYTES = 4 * LookAhead.SPAN;

    private static MemorySegment ones(Arena arena) {
        return arena.allocate(BYTES + PAGE, PAGE).fill((byte) 1);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "0, 1, 1", "10, 54, 1", "10, 210, 4", "64, 4096, 4", "64, 4097, 5", "100, 4300, 8", "0, 16384, 16",
        "0, 65536, 32"})
    void theFirstLinesOfTheRangeAndOfItsPagesAreRead(int from, int to, int lines) {
        try (Arena arena = Arena.ofConfined()) {
            long memory = ones(arena).address();
            LookAhead ahead = new LookAhead();
            ahead.toward(memory + from, memory + to);
            assertThat(ahead.sum()).isEqualTo(lines);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "63, 65", "10, 210", "64, 4096", "4095, 8193", "4090, 16378"})
    void nothingOutsideTheRangeIsRead(int from, int to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = ones(arena);
            memory.asSlice(from, to - from).fill((byte) 0);
            LookAhead ahead = new LookAhead();
            ahead.toward(memory.address() + from, memory.address() + to);
            assertThat(ahead.sum()).isZero();
        }
    }

    @Test
    void eachPageIsLookedAtOnceWhileTheWorkerReadsOn() {
        try (Arena arena = Arena.ofConfined()) {
            long memory = ones(arena).address();
            LookAhead ahead = new LookAhead();
            for (int at = 0; at < BYTES; at += 1152) {
                ahead.toward(memory + at, memory + BYTES);
            }
            assertThat(ahead.sum()).isEqualTo(LookAhead.LINES * BYTES / PAGE);
        }
    }

    @Test
    void aTaskThatBeginsLooksAgain() {
        try (Arena arena = Arena.ofConfined()) {
            long memory = ones(arena).address();
            LookAhead ahead = new LookAhead();
            ahead.toward(memory, memory + PAGE);
            ahead.begin();
            ahead.toward(memory, memory + PAGE);
            assertThat(ahead.sum()).isEqualTo(2 * LookAhead.LINES);
        }
    }
}
