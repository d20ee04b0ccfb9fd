package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/**
 * Steps of few rows that run from layer to layer without the host. The router looks its experts up in a table of slots on the device. Where
 * all are there the step runs on; where one is missing it leaves a mark, and no later operation of the step changes anything, so that the host
 * can bring the expert and go on behind that router.
 *
 * <p>Between {@link #begin} and the next {@link Kernels#beginStep} all operations of the {@link Kernels} they belong to heed the mark, and
 * those sized by positions are sized for the next power of two.
 */
public interface ResidentKernels {

    /** Stands for no layer. */
    int NOWHERE = -1;

    /** Most rows of a step. */
    int maxRows();

    /** As {@link Kernels#beginStep}, without a mark. */
    void begin(StepRows rows);

    /** Names what a recording of this step's operations depends on besides their arguments: steps of one shape can share it. */
    long shape();

    /**
     * Records what the operations enqueue, without doing it. They may be called more than once.
     *
     * @throws DeviceException when the device refuses
     */
    Recording record(Runnable operations);

    /** Takes effect in front of what is enqueued from here on: cells of the table get new addresses, 0 for none. */
    void place(ResidentRouting routing, int[] cells, long[] addresses, int count);

    /**
     * As {@link Kernels#route}; results go to the tables and to the log. Marks the step when an expert is missing.
     *
     * @param norm what x is made with before, or null when it is there
     * @param shared one more expert for every row, or null
     */
    void route(@Nullable RowNorm norm, Matrix router, DevicePtr x, int rows, float scale, @Nullable SharedExpert shared,
            ResidentRouting routing, int layer);

    /** Whether a shared expert of this shape gets the same bits as one of the routed experts and by itself. */
    boolean takesShared(ExpertShape shape);

    /**
     * As {@link Kernels#experts} and {@link Kernels#combineExperts}, of the layer routed last.
     *
     * @param all experts of a row: its choices, and one more where the router was given a shared expert
     * @param scratch {@code [rows * all][hidden]}, what it holds afterwards is not said
     * @param shared {@code [rows][hidden]}: what a shared expert that the router was not given made; or null
     * @param sharedGate F32, {@code hidden}; null means a gate of 1
     * @param added whether the result is added to what is at {@code out}
     */
    void experts(ExpertShape shape, DevicePtr x, int rows, int all, ResidentRouting routing, DevicePtr scratch, @Nullable DevicePtr shared,
            @Nullable DevicePtr sharedGate, boolean added, DevicePtr out);

    /** Enqueues the copy of the log of some layers to the host. */
    void readLog(ResidentRouting routing, int firstLayer, int layers);

    /** The layer whose router left a mark, or {@link #NOWHERE}, once the stream was waited for. */
    int stoppedAt();

    /** Removes the mark in front of what is enqueued from here on. */
    void resume();
}
