package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeviceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** Loads kernels from their PTX when they are first asked for: a model uses a few of the stored types. Thread safe. */
final class KernelModules implements AutoCloseable {

    private final Cuda cuda;
    private final Map<String, Driver.Module> modules = new HashMap<>();

    KernelModules(Cuda cuda) {
        this.cuda = cuda;
    }

    /** Module of the matrix kernels of a type. */
    static String matmul(GgmlType type) {
        return "matmul-" + type.name().toLowerCase(Locale.ROOT);
    }

    synchronized Kernel kernel(String module, String name) {
        Driver.Module loaded = modules.get(module);
        if (loaded == null) {
            loaded = cuda.load(ptx(module), module);
            modules.put(module, loaded);
        }
        return new Kernel(name, cuda.function(loaded, name));
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

    @Override
    public synchronized void close() {
        Closing closing = new Closing();
        modules.values().forEach(module -> closing.run(() -> cuda.unload(module)));
        modules.clear();
        closing.finish();
    }
}
