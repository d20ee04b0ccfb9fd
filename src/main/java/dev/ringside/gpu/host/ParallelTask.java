package dev.ringside.gpu.host;

/** Work that a {@link WorkerPool} splits over its threads. Implementations are reused objects whose fields hold the arguments. */
interface ParallelTask {

    /**
     * Does the items {@code from} (inclusive) to {@code to} (exclusive).
     *
     * @param worker index of the thread, 0 to threads - 1, for scratch memory of its own
     */
    void run(int worker, int from, int to);
}
