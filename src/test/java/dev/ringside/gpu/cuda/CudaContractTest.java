package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.KernelsContractAttention;
import dev.ringside.gpu.KernelsContractDeltaNet;
import dev.ringside.gpu.KernelsContractExperts;
import dev.ringside.gpu.KernelsContractHyperConnection;
import dev.ringside.gpu.KernelsContractIndexer;
import dev.ringside.gpu.KernelsContractMatmul;
import dev.ringside.gpu.KernelsContractNGram;
import dev.ringside.gpu.KernelsContractNorm;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.StepRows;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/** Every operation through the interface, on a CUDA device where there is one. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaContractTest {

    /** What three products of bf16 instead of one of floats lose: 3 * 2^-16. */
    private static final double SPLIT = 4.6e-5;

    /** What sixteen-bit activations lose: half a step of 32512 to the greatest of 32, some four times their mean. */
    private static final double SIXTEEN_BITS = 4.6e-5;

    /** Types that rows of no prompt are multiplied with in sixteen bits. */
    private static final Set<GgmlType> SIXTEEN_BIT_TYPES = EnumSet.of(GgmlType.Q4_K, GgmlType.Q5_K, GgmlType.Q6_K, GgmlType.Q8_0);

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
        protected double tolerance(GgmlType... types) {
            return Stream.of(types).anyMatch(SIXTEEN_BIT_TYPES::contains) ? SIXTEEN_BITS : super.tolerance(types);
        }

        @Override
        protected GpuBackend createBackend() {
            return open();
        }
    }

    @Nested
    class Matmul extends KernelsContractMatmul {
        @Override
        protected double tolerance(GgmlType type) {
            return SIXTEEN_BIT_TYPES.contains(type) ? SIXTEEN_BITS : super.tolerance(type);
        }

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

    /** The same in steps that the device runs by itself, where they are short enough, and as before where they are not: bits are compared. */
    @Nested
    class OfShortSteps {

        @Nested
        class Attention extends KernelsContractAttention {
            @Override
            protected void began(Kernels kernels, StepRows rows) {
                beginShort(kernels, rows);
            }

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
            protected void began(Kernels kernels, StepRows rows) {
                beginShort(kernels, rows);
            }

            @Override
            protected DeviceFixture createDevice() {
                return device();
            }
        }
    }

    private static void beginShort(Kernels kernels, StepRows rows) {
        ResidentKernels resident = Objects.requireNonNull(kernels.resident());
        if (rows.rows() <= resident.maxRows()) {
            resident.begin(rows);
        }
    }

    /** The same with the rows of prompts, which go other ways. */
    @Nested
    class OfPrompts {

        @Nested
        class Attention extends KernelsContractAttention {
            @Override
            protected boolean prompts() {
                return true;
            }

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
            protected boolean prompts() {
                return true;
            }

            @Override
            protected DeviceFixture createDevice() {
                return device();
            }
        }

        @Nested
        class Experts extends KernelsContractExperts {
            @Override
            protected boolean prompts() {
                return true;
            }

            @Override
            protected double tolerance(GgmlType... types) {
                return SPLIT;
            }

            @Override
            protected GpuBackend createBackend() {
                return open();
            }
        }

        @Nested
        class Matmul extends KernelsContractMatmul {
            @Override
            protected boolean prompts() {
                return true;
            }

            @Override
            protected double tolerance(GgmlType type) {
                return SPLIT;
            }

            @Override
            protected GpuBackend createBackend() {
                return open();
            }
        }
    }
}
