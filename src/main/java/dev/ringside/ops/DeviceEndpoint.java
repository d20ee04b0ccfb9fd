package dev.ringside.ops;

import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.stereotype.Component;

/** {@code /actuator/device}: the device and the memory taken from it. */
@Component
@Endpoint(id = "device")
final class DeviceEndpoint {

    private final EngineViews views;

    DeviceEndpoint(EngineViews views) {
        this.views = views;
    }

    /** The device as JSON. */
    record Descriptor(String backend, String name, String detail, boolean unifiedMemory, long totalBytes, DeviceMemory memory) {}

    @ReadOperation
    Descriptor device() {
        DeviceInfo device = views.device();
        return new Descriptor(device.backend(), device.name(), device.detail(), device.unifiedMemory(), device.totalBytes(),
                views.memory().get());
    }
}
