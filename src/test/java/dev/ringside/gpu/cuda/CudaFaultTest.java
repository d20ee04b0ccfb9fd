package dev.ringside.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** A fault of the device, in a process of its own: the driver refuses everything in that process afterwards. */
@EnabledIf(value = "hasDevice", disabledReason = "There is no CUDA device here")
class CudaFaultTest {

    static boolean hasDevice() {
        return CudaBackend.obstacle() == null;
    }

    @Test
    void aFaultIsNamedRememberedAndCloseStillReturns() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.library.path=" + System.getProperty("java.library.path"), "-cp", System.getProperty("java.class.path"),
                Victim.class.getName()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("first: The CUDA device is unusable from here on").contains("ILLEGAL_ADDRESS")
                .contains("second: The CUDA device is unusable since").contains("fault: ").contains("closed");
    }

    /** Adds memory that is not there. */
    static final class Victim {

        private Victim() {}

        public static void main(String[] args) {
            CudaBackend backend = CudaBackend.create();
            GpuStream stream = backend.createStream();
            DevicePtr sum = backend.allocate(1 << 20, "test");
            try {
                backend.kernels(stream).add(sum, new DevicePtr(0x10, 1 << 20), 1000);
                stream.synchronize();
            } catch (DeviceException e) {
                System.out.println("first: " + e.getMessage());
            }
            try {
                backend.allocate(16, "test");
            } catch (DeviceException e) {
                System.out.println("second: " + e.getMessage());
            }
            System.out.println("fault: " + backend.fault());
            try {
                backend.close();
            } catch (DeviceException e) {
                System.out.println("closed: " + e.getMessage());
            }
        }
    }
}
