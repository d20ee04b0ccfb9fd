package dev.ringside.gpu.host;

import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KernelsContractExperts;

class HostExpertsTest extends KernelsContractExperts {

    @Override
    protected GpuBackend createBackend() {
        return HostBackend.create(2);
    }
}
