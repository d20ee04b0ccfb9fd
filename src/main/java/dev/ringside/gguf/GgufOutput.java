package dev.ringside.gguf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Writes a GGUF version 3 file of any size as a stream: the header first, then the bytes of each tensor in the order in which
 * {@link GgufOutputPlan} lists them, padded as the format asks. Memory use does not depend on the size of the file.
 * <p>
 * The bytes go to {@code <name>.part} beside the file, which takes its name only in {@link #finish()}: a broken run leaves no half model
 * that looks whole. Not thread safe.
 */
public final class GgufOutput implements AutoCloseable {

    /** The longest piece handed to the channel at once; a {@link ByteBuffer} cannot be longer than 2 GiB. */
    private static final long PIECE = 1L << 30;

    private final Path target;
    private final Path part;
    private final FileChannel channel;
    private final List<GgufOutputPlan.Tensor> tensors;
    private final long alignment;
    private int next;
    private long writtenOfNext;
    private boolean finished;
    private boolean closed;

    private GgufOutput(Path target, Path part, FileChannel channel, GgufOutputPlan plan) {
        this.target = target;
        this.part = part;
        this.channel = channel;
        this.tensors = plan.tensors();
        this.alignment = GgufOutputPlan.ALIGNMENT;
    }

    /**
     * Starts a file with the header of a plan.
     *
     * @param target replaced when it exists, once the new file is whole
     * @throws IOException naming the file when it cannot be written
     */
    static GgufOutput create(Path target, GgufOutputPlan plan) throws IOException {
        Path part = target.resolveSibling(target.getFileName() + ".part");
        FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        GgufOutput output = new GgufOutput(target, part, channel, plan);
        try {
            output.writeFully(ByteBuffer.wrap(plan.header()));
            output.pad();
            return output;
        } catch (IOException | RuntimeException e) {
            output.closeAfter(e);
            throw e;
        }
    }

    /**
     * Appends bytes to the tensor whose turn it is; a piece never reaches into the next tensor.
     *
     * @throws IllegalStateException when all tensors are whole, or the piece is longer than what the tensor lacks
     */
    public void write(MemorySegment bytes) throws IOException {
        if (next == tensors.size()) {
            throw new IllegalStateException("all " + tensors.size() + " tensors are written, found " + bytes.byteSize() + " more bytes");
        }
        GgufOutputPlan.Tensor tensor = tensors.get(next);
        long size = tensor.byteSize();
        if (bytes.byteSize() > size - writtenOfNext) {
            throw new IllegalStateException("tensor '" + tensor.name() + "' lacks " + (size - writtenOfNext) + " of its " + size
                    + " bytes, found " + bytes.byteSize());
        }
        for (long from = 0; from < bytes.byteSize(); from += PIECE) {
            writeFully(bytes.asSlice(from, Math.min(PIECE, bytes.byteSize() - from)).asByteBuffer());
        }
        writtenOfNext += bytes.byteSize();
        if (writtenOfNext == size) {
            pad();
            next++;
            writtenOfNext = 0;
        }
    }

    /** The tensor whose bytes are to be written next, and behind which nothing is missing. */
    public boolean isWhole() {
        return next == tensors.size();
    }

    /**
     * Ends the file and gives it its name.
     *
     * @throws IllegalStateException when bytes of a tensor are missing
     */
    public void finish() throws IOException {
        if (!isWhole()) {
            GgufOutputPlan.Tensor tensor = tensors.get(next);
            throw new IllegalStateException("tensor '" + tensor.name() + "' lacks " + (tensor.byteSize() - writtenOfNext) + " of its "
                    + tensor.byteSize() + " bytes");
        }
        channel.close();
        Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        finished = true;
    }

    private void pad() throws IOException {
        long excess = channel.position() % alignment;
        if (excess != 0) {
            try (Arena arena = Arena.ofConfined()) {
                writeFully(arena.allocate(alignment - excess).asByteBuffer());
            }
        }
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void closeAfter(Exception failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Removes what was written unless {@link #finish()} succeeded; closing again has no effect. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        channel.close();
        if (!finished) {
            Files.deleteIfExists(part);
        }
    }
}
