package dev.ringside.gpu.host;

import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.KernelsContractAttention;
import dev.ringside.gpu.KernelsContractDeltaNet;
import dev.ringside.gpu.KernelsContractHyperConnection;
import dev.ringside.gpu.KernelsContractIndexer;
import dev.ringside.gpu.KernelsContractNGram;
import dev.ringside.gpu.KernelsContractNorm;
import org.junit.jupiter.api.Nested;

/** The operations of a step through the interface, on the CPU backend. */
class HostContractTest {

    /** Runs take turns with one, two and three threads, whose bits must be the same. */
    private static DeviceFixture device() {
        return new DeviceFixture(HostBackend.create(3), HostBackend.create(1), HostBackend.create(2));
    }

    @Nested
    class Attention extends KernelsContractAttention {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }

    @Nested
    class DeltaNet extends KernelsContractDeltaNet {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }

    @Nested
    class HyperConnection extends KernelsContractHyperConnection {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }

    @Nested
    class Indexer extends KernelsContractIndexer {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }

    @Nested
    class NGram extends KernelsContractNGram {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }

    @Nested
    class Norm extends KernelsContractNorm {
        @Override
        protected DeviceFixture createDevice() {
            return device();
        }
    }
}
