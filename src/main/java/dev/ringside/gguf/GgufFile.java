package dev.ringside.gguf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A GGUF model file, or all parts of a split one, mapped into memory: an immutable view that any number of threads may read. The files
 * must not be shortened while they are open; reading a page that is gone then fails in the thread that reads it.
 * <p>
 * Format: <a href="https://github.com/ggml-org/ggml/blob/master/docs/gguf.md">GGUF</a> versions 2 and 3, little-endian.
 */
public final class GgufFile implements AutoCloseable {

    private static final String ARCHITECTURE = "general.architecture";

    private final Path path;
    private final Arena arena;
    private final List<GgufShard> shards;
    private final String architecture;
    private final Map<String, TensorInfo> tensors;
    private final List<TensorInfo> tensorList;

    private GgufFile(Path path, Arena arena, List<GgufShard> shards) {
        this.path = path;
        this.arena = arena;
        this.shards = List.copyOf(shards);
        this.architecture = metadata(shards).getString(ARCHITECTURE);
        Map<String, TensorInfo> byName = new LinkedHashMap<>();
        for (GgufShard shard : shards) {
            for (TensorInfo tensor : shard.tensors()) {
                byName.put(tensor.name(), tensor);
            }
        }
        this.tensors = Collections.unmodifiableMap(byName);
        this.tensorList = List.copyOf(byName.values());
    }

    /**
     * Opens a model.
     *
     * @param path the file, or any part of a split file ({@code <prefix>-00001-of-00003.gguf}); the others are found beside it
     * @throws GgufException when a file is missing, damaged, or not of this format
     */
    @SuppressWarnings("MustBeClosed") // the arena is closed by close(), or below when opening fails
    public static GgufFile open(Path path) {
        List<Path> parts = SplitCheck.parts(path);
        Arena arena = Arena.ofShared();
        try {
            List<GgufShard> shards = new ArrayList<>(parts.size());
            for (Path part : parts) {
                shards.add(GgufParser.parse(part, map(part, arena), shards.size()));
            }
            SplitCheck.refuseMismatch(path, shards);
            return new GgufFile(path, arena, shards);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static MemorySegment map(Path file, Arena arena) {
        if (Files.isDirectory(file)) {
            throw new GgufException(file, "is a directory, expected a GGUF file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        } catch (IOException e) {
            throw new GgufException(file, GgufException.NO_OFFSET, null, "cannot be read: " + e + "; check its permissions", e);
        }
    }

    private static GgufMetadata metadata(List<GgufShard> shards) {
        return shards.getFirst().metadata();
    }

    /** The path given to {@link #open}. */
    public Path path() {
        return path;
    }

    /** All files of the model in order; {@link TensorInfo#shard()} is an index into this list. */
    public List<Path> shards() {
        return shards.stream().map(GgufShard::path).toList();
    }

    /** Version of the format, 2 or 3. */
    public int version() {
        return shards.getFirst().version();
    }

    /** Value of {@code general.architecture}, such as {@code qwen3moe}. */
    public String architecture() {
        return architecture;
    }

    /** The key-value pairs of the first part; they stay readable after {@link #close()}. */
    public GgufMetadata metadata() {
        return metadata(shards);
    }

    /** All tensors in the order of the files. */
    public List<TensorInfo> tensors() {
        return tensorList;
    }

    /** The tensor of this name, or null. */
    public @Nullable TensorInfo find(String name) {
        return tensors.get(name);
    }

    /**
     * The tensor of this name.
     *
     * @throws GgufException when there is none
     */
    public TensorInfo require(String name) {
        TensorInfo tensor = tensors.get(name);
        if (tensor == null) {
            throw new GgufException(path, "tensor '" + name + "'",
                    "is missing; the file is incomplete or made for another architecture than '"
                            + architecture + "'");
        }
        return tensor;
    }

    /**
     * The bytes of a tensor of this file, read-only, mapped, exactly {@link TensorInfo#byteSize()} long. Reading them after
     * {@link #close()} throws {@link IllegalStateException}.
     */
    public MemorySegment data(TensorInfo tensor) {
        return shards.get(tensor.shard()).bytes().asSlice(tensor.fileOffset(), tensor.byteSize());
    }

    /** Bytes of all tensors together, without padding. */
    public long totalTensorBytes() {
        long total = 0;
        for (TensorInfo tensor : tensorList) {
            total += tensor.byteSize();
        }
        return total;
    }

    /** Unmaps the files; closing again has no effect. */
    @Override
    public synchronized void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Override
    public String toString() {
        return "GgufFile[" + path + ", " + architecture + ", " + tensorList.size() + " tensors]";
    }
}
