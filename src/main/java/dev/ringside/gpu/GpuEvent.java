package dev.ringside.gpu;

/** A marker in a stream. An event that was never recorded counts as complete. */
public interface GpuEvent extends AutoCloseable {

    /** Marks the current end of {@code stream}; an earlier mark of this event is forgotten. */
    void record(GpuStream stream);

    /** Whether everything in front of the last mark is done. Never blocks. */
    boolean isComplete();

    /** Blocks until {@link #isComplete()}. */
    void await();

    @Override
    void close();
}
