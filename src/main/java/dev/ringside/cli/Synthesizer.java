package dev.ringside.cli;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufOutput;
import dev.ringside.gguf.GgufOutputPlan;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Writes a random model in the shape of a released one. Large tensors are stitched together from runs of a pool of random blocks, so that
 * writing goes as fast as the disk and memory use stays the same for any size of file. The same seed gives the same file.
 */
final class Synthesizer {

    /** The key that marks such files. */
    static final String MARK = "ringside.synthetic";

    private static final long POOL_BYTES = 4 << 20;
    /** Shorter runs would cost a call each, longer ones repeat the pool's neighbours more often. */
    private static final long RUN_BYTES = 1 << 20;

    /** Blocks that serve all tensors of a type and a spread. */
    private record PoolKey(GgmlType type, double deviation, double mean) {}

    private final ModelShape shape;
    private final List<SyntheticTensor> tensors;
    private final GgufOutputPlan plan;
    private final RouterWeights routers;
    private final SplittableRandom random;
    private final Map<PoolKey, MemorySegment> pools = new HashMap<>();

    Synthesizer(ModelShape shape, QuantMix mix, Routing routing, long seed) {
        this.shape = shape;
        this.tensors = SyntheticTensors.of(shape, mix, routing);
        this.plan = SyntheticMetadata.plan(shape, mix, routing, seed);
        tensors.forEach(tensor -> plan.tensor(tensor.name(), tensor.type(), tensor.dimensions()));
        this.routers = new RouterWeights(routing, shape.experts(), shape.perToken());
        this.random = new SplittableRandom(seed);
    }

    /** Bytes the file will have. */
    long fileBytes() {
        return plan.fileBytes();
    }

    /**
     * Writes the file; when it fails, nothing is left behind.
     *
     * @param progress told of bytes written
     */
    void write(Path target, LongConsumer progress) throws IOException {
        try (Arena arena = Arena.ofConfined(); GgufOutput output = plan.create(target)) {
            List<GgufOutputPlan.Tensor> planned = plan.tensors();
            for (int i = 0; i < tensors.size(); i++) {
                write(tensors.get(i), planned.get(i).byteSize(), output, arena, progress);
            }
            output.finish();
        } finally {
            pools.clear();
        }
    }

    private void write(SyntheticTensor tensor, long bytes, GgufOutput output, Arena arena, LongConsumer progress) throws IOException {
        switch (tensor.fill()) {
            case TensorFill.Random fill -> stitch(tensor.type(), fill, bytes, output, arena, progress);
            case TensorFill.Router router -> floats(routers.layer(shape.hidden(), random.split()), output, progress);
            case TensorFill.Constant constant -> {
                float[] values = new float[Math.toIntExact(bytes / Float.BYTES)];
                Arrays.fill(values, constant.value());
                floats(values, output, progress);
            }
            case TensorFill.LogUniform fill -> {
                float[] values = new float[Math.toIntExact(bytes / Float.BYTES)];
                for (int i = 0; i < values.length; i++) {
                    values[i] = logUniform(fill);
                }
                floats(values, output, progress);
            }
        }
    }

    private void stitch(GgmlType type, TensorFill.Random fill, long bytes, GgufOutput output, Arena arena, LongConsumer progress)
            throws IOException {
        MemorySegment pool = pools.computeIfAbsent(new PoolKey(type, fill.deviation(), fill.mean()),
                key -> RandomBlocks.create(arena, type, POOL_BYTES, fill.deviation(), fill.mean(), random.split()));
        long blocks = pool.byteSize() / type.blockBytes();
        long run = RUN_BYTES / type.blockBytes() * type.blockBytes();
        long left = bytes;
        while (left > 0) {
            long start = random.nextLong(blocks) * type.blockBytes();
            long length = Math.min(Math.min(left, run), pool.byteSize() - start);
            output.write(pool.asSlice(start, length));
            progress.accept(length);
            left -= length;
        }
    }

    private static void floats(float[] values, GgufOutput output, LongConsumer progress) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(4L * values.length, 64);
            MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_FLOAT.withOrder(ByteOrder.LITTLE_ENDIAN), 0, values.length);
            output.write(segment);
            progress.accept(segment.byteSize());
        }
    }

    private float logUniform(TensorFill.LogUniform fill) {
        double value = fill.low() * Math.pow(fill.high() / fill.low(), random.nextDouble());
        return (float) switch (fill.shape()) {
            case NEGATIVE -> -value;
            case SOFTPLUS_INVERSE -> Math.log(Math.expm1(value));
        };
    }
}
