package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DeviceException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The driver with its codes checked. */
final class Cuda {

    private final Driver driver;
    private final Faults faults;

    Cuda(Driver driver) {
        this.driver = driver;
        this.faults = new Faults(driver);
    }

    Driver driver() {
        return driver;
    }

    @Nullable
    String fault() {
        return faults.first();
    }

    /** The address, or 0 when there is not enough memory. */
    long allocate(long bytes) {
        long[] address = new long[1];
        int code = driver.allocate(bytes, address);
        if (code == DriverCode.OUT_OF_MEMORY) {
            return 0;
        }
        faults.check(code, "Allocating " + bytes + " bytes");
        return address[0];
    }

    void free(long address) {
        faults.check(driver.free(address), "Freeing device memory");
    }

    /** Free device memory in bytes, -1 when the driver does not say. */
    long freeBytes() {
        long[] memory = new long[2];
        return driver.memory(memory) == DriverCode.SUCCESS ? memory[0] : -1;
    }

    /** The device's address of page-locked memory, or 0 when the system refuses to lock so much. */
    long register(long address, long bytes) {
        long[] device = new long[1];
        int code = driver.register(address, bytes, device);
        if (code == DriverCode.OUT_OF_MEMORY) {
            return 0;
        }
        faults.check(code, "Page-locking " + bytes + " bytes");
        return device[0];
    }

    void unregister(long address) {
        faults.check(driver.unregister(address), "Unlocking host memory");
    }

    Driver.Stream createStream() {
        Driver.Stream[] stream = new Driver.Stream[1];
        faults.check(driver.createStream(stream), "Creating a stream");
        return Objects.requireNonNull(stream[0]);
    }

    void destroy(Driver.Stream stream) {
        faults.check(driver.destroy(stream), "Destroying a stream");
    }

    void synchronize(Driver.Stream stream) {
        faults.check(driver.synchronize(stream), "Waiting for a stream");
    }

    Driver.Event createEvent() {
        Driver.Event[] event = new Driver.Event[1];
        faults.check(driver.createEvent(event), "Creating an event");
        return Objects.requireNonNull(event[0]);
    }

    void destroy(Driver.Event event) {
        faults.check(driver.destroy(event), "Destroying an event");
    }

    void record(Driver.Event event, Driver.Stream stream) {
        faults.check(driver.record(event, stream), "Recording an event");
    }

    boolean isComplete(Driver.Event event) {
        int code = driver.query(event);
        if (code != DriverCode.NOT_READY) {
            faults.check(code, "Asking for an event");
        }
        return code == DriverCode.SUCCESS;
    }

    void synchronize(Driver.Event event) {
        faults.check(driver.synchronize(event), "Waiting for an event");
    }

    void copyToDevice(long host, long device, long bytes, Driver.Stream stream) {
        if (bytes > 0) {
            faults.check(driver.copyToDevice(host, device, bytes, stream), "Copying to the device");
        }
    }

    void copyToHost(long device, long host, long bytes, Driver.Stream stream) {
        if (bytes > 0) {
            faults.check(driver.copyToHost(device, host, bytes, stream), "Copying to the host");
        }
    }

    void copy(long source, long target, long bytes, Driver.Stream stream) {
        if (bytes > 0) {
            faults.check(driver.copy(source, target, bytes, stream), "Copying within the device");
        }
    }

    void zero(long address, long bytes, Driver.Stream stream) {
        if (bytes > 0) {
            faults.check(driver.zero(address, bytes, stream), "Zeroing device memory");
        }
    }

    Driver.Module load(byte[] ptx, String name) {
        Driver.Module[] module = new Driver.Module[1];
        int code = driver.load(ptx, module);
        if (code != DriverCode.SUCCESS) {
            DeviceException failure = faults.failure(code, "Loading the kernels '" + name + "'");
            throw new DeviceException(
                    failure.getMessage() + ". They need a GPU of compute capability 8.0 or newer and a driver for CUDA 12.0 or"
                            + " newer; this is " + driver.facts().name() + ", " + driver.facts().detail(),
                    failure);
        }
        return Objects.requireNonNull(module[0]);
    }

    void unload(Driver.Module module) {
        faults.check(driver.unload(module), "Unloading kernels");
    }

    Driver.Function function(Driver.Module module, String name) {
        Driver.Function[] function = new Driver.Function[1];
        faults.check(driver.function(module, name, function), "Finding the kernel '" + name + "'");
        return Objects.requireNonNull(function[0]);
    }

    void allowShared(Driver.Function function, int bytes, String name) {
        faults.check(driver.allowShared(function, bytes), "Allowing " + name + " " + bytes + " bytes of shared memory");
    }

    void beginCapture(Driver.Stream stream) {
        faults.check(driver.beginCapture(stream), "Recording a stream");
    }

    Driver.Graph endCapture(Driver.Stream stream) {
        Driver.Graph[] graph = new Driver.Graph[1];
        faults.check(driver.endCapture(stream, graph), "Ending the recording of a stream");
        return Objects.requireNonNull(graph[0]);
    }

    void launch(Driver.Graph graph, Driver.Stream stream) {
        int code = driver.launch(graph, stream);
        if (code != DriverCode.SUCCESS) {
            throw faults.failure(code, "Launching recorded kernels");
        }
    }

    void destroy(Driver.Graph graph) {
        faults.check(driver.destroy(graph), "Destroying recorded kernels");
    }

    void launch(Kernel kernel, int gridX, int gridY, int gridZ, int threads, int sharedBytes, Driver.Stream stream, long parameters) {
        int code = driver.launch(kernel.function(), kernel.waits(), gridX, gridY, gridZ, threads, sharedBytes, stream, parameters);
        if (code != DriverCode.SUCCESS) {
            throw faults.failure(code,
                    "Launching " + kernel.name() + " on " + gridX + " x " + gridY + " x " + gridZ + " blocks of " + threads
                            + " threads with " + sharedBytes + " bytes of shared memory");
        }
    }
}
