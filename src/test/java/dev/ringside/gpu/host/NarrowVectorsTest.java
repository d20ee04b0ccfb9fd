package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.RandomWeights;
import dev.ringside.gpu.ScalarReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processors with shorter vectors than this one: in a virtual machine of its own, since the length is a constant to the kernels. */
class NarrowVectorsTest {

    @ParameterizedTest
    @ValueSource(ints = {128, 256})
    void productsOfEveryTypeAreRight(int bits) throws IOException, InterruptedException {
        long seed = Long.getLong("ringside.test.seed", System.nanoTime());
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
                "-XX:MaxVectorSize=" + bits / 8, "-Dringside.test.seed=" + seed, "--add-modules", "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Products.class.getName()))
                .redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as("seed %d: %s", seed, output).isZero();
        assertThat(output).as("longest vector").endsWith(bits + " bits");
    }

    /** Checks products of every type, and prints how long vectors are. */
    static final class Products {

        private static final int OUTPUTS = 5;
        private static final int ROWS = 7;
        private static final double TOLERANCE = 1e-6;

        private Products() {}

        public static void main(String[] args) {
            try (DeviceFixture device = new DeviceFixture(HostBackend.create(2))) {
                for (GgmlType type : GgmlType.values()) {
                    for (int blocks : new int[] {1, 5}) {
                        check(device, type, blocks * Math.max(20, type.blockElements()));
                    }
                }
            }
            System.out.println(32 * Vectors.LANES + " bits");
        }

        private static void check(DeviceFixture device, GgmlType type, int width) {
            int columns = width / type.blockElements() * type.blockElements();
            Random random = device.random;
            byte[] bytes = RandomWeights.rows(type, OUTPUTS, columns, random);
            var weights = device.place(bytes, type, OUTPUTS, columns);
            float[] x = device.gaussian(ROWS * columns);
            String what = type + " " + OUTPUTS + " x " + columns;
            double[] expected = ScalarReference.matmul(weights.values(), OUTPUTS, columns, ScalarReference.widen(x), ROWS);
            double[] magnitude = ScalarReference.matmul(magnitudes(weights.values()), OUTPUTS, columns,
                    ScalarReference.widen(magnitudes(x)),
                    ROWS);
            DevicePtr y = device.floats((long) ROWS * OUTPUTS);
            device.kernels.matmul(weights.matrix(), device.upload(x), ROWS, y);
            float[] all = device.download(y, ROWS * OUTPUTS);
            ScalarReference.assertWithin(all, expected, magnitude, TOLERANCE, what);
            for (int row = 0; row < ROWS; row++) {
                device.kernels.matmul(weights.matrix(), device.upload(Arrays.copyOfRange(x, row * columns, (row + 1) * columns)), 1, y);
                ScalarReference.assertSameBits(device.download(y, OUTPUTS), Arrays.copyOfRange(all, row * OUTPUTS, (row + 1) * OUTPUTS),
                        what + ", row " + row + " alone");
            }
        }

        private static float[] magnitudes(float[] values) {
            float[] magnitudes = new float[values.length];
            for (int i = 0; i < values.length; i++) {
                magnitudes[i] = Math.abs(values[i]);
            }
            return magnitudes;
        }
    }
}
