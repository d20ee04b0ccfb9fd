package dev.ringside.gpu.host;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.ringside.gpu.DeviceException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What this Java machine must offer for the kernels to be fast, and what the processor is called. */
final class CpuSupport {

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private CpuSupport() {}

    /** Fails, naming the flag to change, when the Vector API is missing or would not be compiled to vector instructions. */
    static void check() {
        check(ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent(), System.getProperty("java.vm.info", ""),
                option("TieredStopAtLevel"));
    }

    static void check(boolean vectorModule, String vmInfo, String tieredStopAtLevel) {
        if (!vectorModule) {
            throw new DeviceException("The CPU backend needs the Vector API: start Java with --add-modules " + VECTOR_MODULE);
        }
        if (vmInfo.toLowerCase(Locale.ROOT).contains("interpreted")) {
            throw new DeviceException("The CPU backend needs the C2 compiler, which is off: start Java without -Xint");
        }
        if (!tieredStopAtLevel.isEmpty() && !tieredStopAtLevel.equals("4")) {
            throw new DeviceException("The CPU backend needs the C2 compiler, without which it is some 50 times slower: start Java without"
                    + " -XX:TieredStopAtLevel=" + tieredStopAtLevel
                    + " (spring-boot:run adds it unless its configuration says optimizedLaunch=false)");
        }
    }

    private static String option(String name) {
        try {
            var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return diagnostics == null ? "" : diagnostics.getVMOption(name).getValue();
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The processor's own name, or the architecture where the system does not tell. */
    static String processorName() {
        Path cpuinfo = Path.of("/proc/cpuinfo");
        if (Files.isReadable(cpuinfo)) {
            try {
                return processorName(Files.readAllLines(cpuinfo));
            } catch (IOException e) {
                return architecture();
            }
        }
        String identifier = System.getenv("PROCESSOR_IDENTIFIER");
        return identifier == null ? architecture() : identifier;
    }

    static String processorName(List<String> cpuinfo) {
        for (String line : cpuinfo) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).strip().equals("model name")) {
                return line.substring(colon + 1).strip();
            }
        }
        return architecture();
    }

    private static String architecture() {
        return System.getProperty("os.arch", "CPU");
    }
}
