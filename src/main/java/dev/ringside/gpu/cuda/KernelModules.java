package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Loads kernels from their PTX when they are first asked for: a model uses a few of the stored types. Thread safe. */
final class KernelModules implements AutoCloseable {

    /** Shared memory that every device gives a block without being asked. */
    private static final int SHARED = 48 << 10;

    /** As in common.cuh. */
    private static final String START_MARK = "// dependents start";

    private static final String WAIT_MARK = "// dependents wait";
    private static final String START = "griddepcontrol.launch_dependents;";
    private static final String WAIT = "griddepcontrol.wait;";
    private static final String ENTRY = ".entry ";

    private static final String MATMUL = "matmul-";
    private static final String FAST = "fast-";
    private static final Set<String> STOPPING = Set.of("attention", "delta", "indexer", "ngram", "norm", "routing");

    private final Cuda cuda;
    private final Map<String, Loaded> modules = new HashMap<>();

    /** @param waiting kernels that wait for those in front of them themselves */
    private record Loaded(Driver.Module module, Set<String> waiting) {}

    KernelModules(Cuda cuda) {
        this.cuda = cuda;
    }

    /** Module of the matrix kernels of a type. */
    static String matmul(GgmlType type) {
        return MATMUL + type.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Module of the tensor-core kernels of a type.
     *
     * @param hopper whether for the instructions that compute capability 9.0 alone has
     */
    static String prompts(GgmlType type, boolean hopper) {
        return (hopper ? "wgmma-" : "mma-") + type.name().toLowerCase(Locale.ROOT);
    }

    /** Module of the kernels of a type for few rows. */
    static String few(GgmlType type) {
        return FAST + type.name().toLowerCase(Locale.ROOT);
    }

    synchronized Kernel kernel(String module, String name) {
        Loaded loaded = modules.get(module);
        if (loaded == null) {
            boolean overlapping = cuda.driver().overlaps();
            byte[] text = overlapping ? overlapping(ptx(module)) : ptx(module);
            loaded = new Loaded(cuda.load(text, module), overlapping ? waiting(text) : Set.of());
            modules.put(module, loaded);
        }
        return new Kernel(name, cuda.function(loaded.module(), name), stops(module), loaded.waiting().contains(name));
    }

    /** As {@link #kernel(String, String)}, for a kernel that is launched with so much dynamic shared memory. */
    Kernel kernel(String module, String name, int sharedBytes) {
        Kernel kernel = kernel(module, name);
        if (sharedBytes > SHARED) {
            cuda.allowShared(kernel.function(), sharedBytes, name);
        }
        return kernel;
    }

    /** Whether the kernels of a module take part in steps that stop where an expert is missing; those of prompts do not. */
    private static boolean stops(String module) {
        return STOPPING.contains(module) || module.startsWith(MATMUL) || module.startsWith(FAST);
    }

    /** The text of a module with the zero byte that the driver wants at its end. */
    static byte[] ptx(String module) {
        String resource = "/ptx/" + module + ".ptx.gz";
        try (InputStream stream = KernelModules.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new DeviceException("The kernels " + resource + " are missing from this build");
            }
            try (InputStream text = new GZIPInputStream(stream)) {
                byte[] bytes = text.readAllBytes();
                return Arrays.copyOf(bytes, bytes.length + 1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The kernels " + resource + " cannot be read", e);
        }
    }

    /** The same module for compute capability 9.0 and newer, with what lets kernels of a step overlap where comments stand for it. */
    static byte[] overlapping(byte[] ptx) {
        String text = new String(ptx, StandardCharsets.US_ASCII);
        if (!text.contains(WAIT_MARK)) {
            return ptx;
        }
        return text.replace(".target sm_80", ".target sm_90").replace(START_MARK, START).replace(WAIT_MARK, WAIT)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** The kernels of a module that wait for those in front of them. */
    static Set<String> waiting(byte[] ptx) {
        String text = new String(ptx, StandardCharsets.US_ASCII);
        Set<String> found = new HashSet<>();
        int at = text.indexOf(ENTRY);
        while (at >= 0) {
            int name = at + ENTRY.length();
            int next = text.indexOf(ENTRY, name);
            int wait = text.indexOf(WAIT, name);
            if (wait >= 0 && (next < 0 || wait < next)) {
                found.add(text.substring(name, text.indexOf('(', name)));
            }
            at = next;
        }
        return found;
    }

    @Override
    public synchronized void close() {
        Closing closing = new Closing();
        modules.values().forEach(loaded -> closing.run(() -> cuda.unload(loaded.module())));
        modules.clear();
        closing.finish();
    }
}
