package dev.ringside.gpu.cuda;

import jcuda.Pointer;

/** Host memory by its address: buffers of {@code java.nio} end at 2 GiB. */
final class RawPointer extends Pointer {

    RawPointer(long address) {
        super(address);
    }
}
