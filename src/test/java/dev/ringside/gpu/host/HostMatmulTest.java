package dev.ringside.gpu.host;

import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KernelsContractMatmul;

class HostMatmulTest extends KernelsContractMatmul {

    @Override
    protected GpuBackend createBackend() {
        return HostBackend.create(2);
    }
}
