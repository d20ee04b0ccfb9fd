package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DeviceException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Turns codes of the driver into exceptions and remembers the first that left the device unusable: what fails behind it names the cause, not
 * the symptom.
 */
final class Faults {

    private final Driver driver;
    private final AtomicReference<@Nullable String> first = new AtomicReference<>();

    Faults(Driver driver) {
        this.driver = driver;
    }

    void check(int code, String call) {
        if (code != DriverCode.SUCCESS) {
            throw failure(code, call);
        }
    }

    /** The exception for a code other than success. */
    DeviceException failure(int code, String call) {
        String problem = call + " failed: " + driver.describe(code);
        String earlier = first.get();
        if (earlier != null) {
            return new DeviceException("The CUDA device is unusable since " + earlier + "; restart the process (now " + problem + ")");
        }
        if (!DriverCode.isSticky(code)) {
            return new DeviceException(problem);
        }
        first.compareAndSet(null, problem);
        return new DeviceException("The CUDA device is unusable from here on: " + problem
                + ". Restart the process; if it comes back, look for Xid messages of the driver in the kernel log");
    }

    /** The error that made the device unusable, or null. */
    @Nullable
    String first() {
        return first.get();
    }
}
