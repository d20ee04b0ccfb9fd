package dev.ringside.gpu.host;

import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KernelsContractAttention;
import dev.ringside.gpu.KernelsContractDeltaNet;
import dev.ringside.gpu.KernelsContractHyperConnection;
import dev.ringside.gpu.KernelsContractIndexer;
import dev.ringside.gpu.KernelsContractNGram;
import dev.ringside.gpu.KernelsContractNorm;
import org.junit.jupiter.api.Nested;

/** The operations of a step through the interface, on the CPU backend. */
class HostContractTest {

    private static GpuBackend open() {
        return HostBackend.create(2);
    }

    @Nested
    class Attention extends KernelsContractAttention {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class DeltaNet extends KernelsContractDeltaNet {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class HyperConnection extends KernelsContractHyperConnection {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class Indexer extends KernelsContractIndexer {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class NGram extends KernelsContractNGram {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class Norm extends KernelsContractNorm {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }
}
