package dev.ringside.sampling;

/** The k most likely tokens, best first; among equals the lowest id is better. Buffers grow to the largest k asked for and are kept. */
final class Candidates {

    private int[] ids = new int[0];
    private float[] logits = new float[0];
    private int size;

    int size() {
        return size;
    }

    int id(int rank) {
        return ids[rank];
    }

    float logit(int rank) {
        return logits[rank];
    }

    /** Keeps the best {@code count}. */
    void truncate(int count) {
        size = Math.min(size, count);
    }

    /** Chooses among the first {@code vocabulary} logits with a heap whose root is the worst candidate so far. */
    void select(float[] all, int vocabulary, int k) {
        int wanted = Math.min(k, vocabulary);
        if (ids.length < wanted) {
            ids = new int[wanted];
            logits = new float[wanted];
        }
        size = wanted;
        if (wanted == 0) {
            return;
        }
        for (int token = 0; token < wanted; token++) {
            ids[token] = token;
            logits[token] = all[token];
        }
        for (int node = wanted / 2 - 1; node >= 0; node--) {
            siftDown(node, wanted);
        }
        float worst = logits[0];
        for (int token = wanted; token < vocabulary; token++) {
            // Later tokens have higher ids, so an equal logit never displaces what is there.
            if (all[token] > worst) {
                ids[0] = token;
                logits[0] = all[token];
                siftDown(0, wanted);
                worst = logits[0];
            }
        }
        for (int last = wanted - 1; last > 0; last--) {
            swap(0, last);
            siftDown(0, last);
        }
    }

    private void siftDown(int start, int end) {
        int node = start;
        for (int child = 2 * node + 1; child < end; child = 2 * node + 1) {
            if (child + 1 < end && isWorse(child + 1, child)) {
                child++;
            }
            if (!isWorse(child, node)) {
                return;
            }
            swap(node, child);
            node = child;
        }
    }

    private boolean isWorse(int a, int b) {
        return logits[a] < logits[b] || (logits[a] == logits[b] && ids[a] > ids[b]);
    }

    private void swap(int a, int b) {
        int id = ids[a];
        ids[a] = ids[b];
        ids[b] = id;
        float logit = logits[a];
        logits[a] = logits[b];
        logits[b] = logit;
    }
}
