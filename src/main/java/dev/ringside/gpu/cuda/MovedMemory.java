package dev.ringside.gpu.cuda;

/** Counts how often memory that recorded kernels name was replaced, so that recordings made before are not used again. One thread. */
final class MovedMemory {

    private long times;

    void moved() {
        times++;
    }

    long times() {
        return times;
    }
}
