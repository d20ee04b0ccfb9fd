package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KernelsContractAttention;
import dev.ringside.gpu.KernelsContractDeltaNet;
import dev.ringside.gpu.KernelsContractExperts;
import dev.ringside.gpu.KernelsContractHyperConnection;
import dev.ringside.gpu.KernelsContractIndexer;
import dev.ringside.gpu.KernelsContractMatmul;
import dev.ringside.gpu.KernelsContractNGram;
import dev.ringside.gpu.KernelsContractNorm;
import dev.ringside.gpu.KvType;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/** Every operation through the interface, on a CUDA device where there is one. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaContractTest {

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    private static GpuBackend open() {
        return CudaBackend.create();
    }

    private static DeviceFixture device() {
        return new DeviceFixture(open());
    }

    @Nested
    class Attention extends KernelsContractAttention {
        @Override
        protected boolean stores(KvType type) {
            return type != KvType.Q8;
        }

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
    class Experts extends KernelsContractExperts {
        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class Matmul extends KernelsContractMatmul {
        @Override
        protected GpuBackend createBackend() {
            return open();
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
