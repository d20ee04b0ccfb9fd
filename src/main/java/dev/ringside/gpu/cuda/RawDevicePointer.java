package dev.ringside.gpu.cuda;

import jcuda.driver.CUdeviceptr;

/** Device memory by its address: null moved by so many bytes, since the type has no constructor for an address. */
final class RawDevicePointer extends CUdeviceptr {

    RawDevicePointer() {}

    RawDevicePointer(long address) {
        super(new CUdeviceptr(), address);
    }

    long address() {
        return getNativePointer() + getByteOffset();
    }
}
