package dev.ringside.config;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.cuda.CudaBackend;
import dev.ringside.gpu.host.HostBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Picks the device. */
final class Backends {

    private static final Logger LOG = LoggerFactory.getLogger(Backends.class);

    private Backends() {}

    static GpuBackend open(RingsideProperties settings) {
        return switch (settings.gpu().backend()) {
            case CPU -> HostBackend.create(settings.cpu().threads());
            case AUTO -> automatic(settings);
            case CUDA -> cuda();
        };
    }

    /** A CUDA GPU where one can be used, else the CPU and one line why. */
    private static GpuBackend automatic(RingsideProperties settings) {
        String obstacle = CudaBackend.obstacle();
        if (obstacle == null) {
            try {
                return CudaBackend.create();
            } catch (DeviceException e) {
                obstacle = e.getMessage();
            }
        }
        LOG.info("Running on the CPU: {}", obstacle);
        return HostBackend.create(settings.cpu().threads());
    }

    private static GpuBackend cuda() {
        String obstacle = CudaBackend.obstacle();
        if (obstacle != null) {
            throw new InvalidSettingException("ringside.gpu.backend", "cuda", "auto or cpu: there is " + obstacle);
        }
        return CudaBackend.create();
    }
}
