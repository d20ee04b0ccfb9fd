package dev.ringside.gpu;

/** Operations that were recorded and can be run again with one call, on what their memory holds then. */
public interface Recording extends AutoCloseable {

    /** Whether everything it names is still where it was. One that is not must be made anew. */
    boolean usable();

    /** Enqueues the operations. */
    void launch();

    @Override
    void close();
}
