package dev.ringside.gpu.cuda;

import java.util.Arrays;

/**
 * Keeps what a stream's copies read reachable until they are done, without an event for each: sources are collected, and a full collection
 * gets an event and waits while the next is filled. Not thread safe; a stream belongs to one thread at a time.
 */
final class RetainedSources implements AutoCloseable {

    private static final int CAPACITY = 256;
    private static final Object NOTHING = new Object();

    private final Cuda cuda;
    private final Driver.Stream stream;
    private final Driver.Event event;
    private Object[] filling = new Object[CAPACITY];
    private Object[] waiting = new Object[CAPACITY];
    private int count;
    private boolean recorded;

    RetainedSources(Cuda cuda, Driver.Stream stream) {
        this.cuda = cuda;
        this.stream = stream;
        this.event = cuda.createEvent();
        Arrays.fill(filling, NOTHING);
        Arrays.fill(waiting, NOTHING);
    }

    /** Call when the copy has been enqueued. */
    void keep(Object source) {
        if (count > 0 && filling[count - 1] == source) {
            return;
        }
        if (count == CAPACITY) {
            turn();
        }
        filling[count++] = source;
    }

    private void turn() {
        if (recorded) {
            cuda.synchronize(event);
        }
        cuda.record(event, stream);
        recorded = true;
        Object[] done = waiting;
        waiting = filling;
        filling = done;
        Arrays.fill(filling, NOTHING);
        count = 0;
    }

    /** Call when the stream has been drained. */
    void release() {
        Arrays.fill(filling, 0, count, NOTHING);
        count = 0;
        if (recorded) {
            Arrays.fill(waiting, NOTHING);
            recorded = false;
        }
    }

    int held() {
        int waitingCount = 0;
        for (Object source : waiting) {
            waitingCount += source == NOTHING ? 0 : 1;
        }
        return count + waitingCount;
    }

    @Override
    public void close() {
        cuda.destroy(event);
    }
}
