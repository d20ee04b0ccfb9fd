package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;

/**
 * A way for a batch of experts into slots of an arena. The batch goes through {@link #begin}, which waits until the memory it is read into
 * is free; readers fill {@link #destination} of each that is not {@link #present} already; then each is either published, which makes its
 * bytes those that work enqueued later on the stream will see, or discarded; {@link #seal} ends the batch. All but the filling happen in one
 * thread, always with the same stream, and one batch of a lane is under way at a time.
 */
public interface FillLane {

    /** Most experts of one batch. */
    int limit();

    /** Blocks until the batch can be read. When it throws, nothing is under way. */
    void begin(int layer, int[] experts, int[] slots, int count);

    /** Whether the expert needs no reading. */
    boolean present(int index);

    /** Where the expert is to be read to: a staging slot or the slot itself. */
    MemorySegment destination(int index);

    /** Whether destinations have room for whole windows of a file, see {@link ExpertSource#stage}. */
    boolean staged();

    /**
     * Hands over an expert that is whole at its destination.
     *
     * @return false when it is not there any more and has to be read again
     */
    boolean publish(int index, GpuStream stream);

    /** Takes back what {@link #begin} did for an expert that is not going to be published. */
    void discard(int index);

    /** Ends the batch. */
    void seal(GpuStream stream);
}
