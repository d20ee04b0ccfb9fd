package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScratchTest {

    @Test
    void anAddressStaysUntilMoreIsAskedFor() {
        try (Scratch scratch = new Scratch()) {
            long address = scratch.floats(100);
            assertThat(address % 64).isZero();
            assertThat(scratch.floats(10)).isEqualTo(address);
            assertThat(scratch.floats(100)).isEqualTo(address);
            long grown = scratch.floats(1 << 20);
            HostMemory.setFloat(grown + 4L * ((1 << 20) - 1), 3f);
            assertThat(scratch.floats(1 << 20)).isEqualTo(grown);
        }
    }

    @Test
    void nothingAskedForIsFine() {
        try (Scratch scratch = new Scratch()) {
            assertThat(scratch.floats(0)).isNotZero();
            scratch.close();
            assertThat(scratch.floats(1)).isNotZero();
        }
    }
}
