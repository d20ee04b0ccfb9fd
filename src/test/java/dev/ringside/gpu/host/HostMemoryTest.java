package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class HostMemoryTest {

    @Test
    void anAddressIsUnchangedByBeingKnown() {
        try (Arena arena = Arena.ofConfined()) {
            for (long bytes : new long[] {1, 64, 1 << 20, 1 << 26}) {
                long address = arena.allocate(bytes).address();
                assertThat(HostMemory.known(address)).as("address of %d bytes", bytes).isEqualTo(address);
            }
        }
        assertThat(HostMemory.known(0x00FF_FFFF_FFFF_FFC0L)).as("the last line below 2^56").isEqualTo(0x00FF_FFFF_FFFF_FFC0L);
    }
}
