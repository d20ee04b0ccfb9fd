package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What is called seldom must not allocate for good because what shares its code was compiled first. In a virtual machine of its own, since
 * what a compiler makes of a method depends on all that ran before.
 */
class ColdCodeTest {

    private static final int CALLS = 1_000;

    @Test
    void softmaxDoesNotAllocateWhenNetworksMadeTheFunctionsHot() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                "--add-modules", "jdk.incubator.vector", "-cp", System.getProperty("java.class.path"), Softmax.class.getName()))
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String allocated = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).isZero();
        assertThat(allocated).as("bytes allocated by %d calls of warm softmax", CALLS).isEqualTo("0");
    }

    /** Prints what {@value #CALLS} calls allocate once everything is warm. */
    static final class Softmax {

        private static final int COUNT = 64;
        private static final int MOST_ROUNDS = 20;

        private Softmax() {}

        public static void main(String[] args) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            try (Scratch scratch = new Scratch()) {
                long x = scratch.floats(COUNT);
                for (int i = 0; i < 200_000; i++) {
                    Activations.silu(x, 1f, Vectors.LANES, x);
                    if (i % 1000 == 0) {
                        Activations.softmaxWeights(x, COUNT);
                    }
                }
                long allocated = 1;
                for (int round = 0; round < MOST_ROUNDS && allocated != 0; round++) {
                    long before = 0;
                    for (int i = 0; i < 10 * CALLS; i++) {
                        if (i == 9 * CALLS) {
                            before = threads.getCurrentThreadAllocatedBytes();
                        }
                        Activations.softmaxWeights(x, COUNT);
                    }
                    allocated = threads.getCurrentThreadAllocatedBytes() - before;
                }
                System.out.println(allocated);
            }
        }
    }
}
