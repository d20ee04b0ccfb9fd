package dev.ringside.gpu.cuda;

/** Codes of the CUDA driver that are treated apart. */
final class DriverCode {

    static final int SUCCESS = 0;
    static final int OUT_OF_MEMORY = 2;
    static final int NOT_READY = 600;

    private DriverCode() {}

    /**
     * Whether the code leaves the context unusable, so that every later call fails: uncorrectable memory errors, faults of a kernel, a device
     * that is gone.
     */
    static boolean isSticky(int code) {
        return switch (code) {
            case 46 /* device unavailable */, 201 /* invalid context */, 214 /* ECC uncorrectable */, 219 /* NVLink uncorrectable */,
                    220 /* JIT fault of the device */, 226 /* contained ECC */, 700 /* illegal address */, 702 /* launch timeout */,
                    709 /* context destroyed */, 710 /* assert */, 714 /* hardware stack error */, 715 /* illegal instruction */,
                    716 /* misaligned address */, 717 /* invalid address space */, 718 /* invalid program counter */,
                    719 /* launch failed */,
                    721 /* tensor memory leak */, 999 /* unknown */ ->
                true;
            default -> false;
        };
    }
}
