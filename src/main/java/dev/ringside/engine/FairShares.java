package dev.ringside.engine;

/**
 * Divides the prefill rows of a step among waiting prompts: everyone gets an equal part, and what a short prompt leaves over goes to the
 * longer ones. So a short prompt is computed at once however long its neighbours are.
 */
final class FairShares {

    private FairShares() {}

    /**
     * @param budget rows to divide
     * @param wanted rows each prompt still needs, at least 1
     * @param count prompts, the one that waited longest first: odd rows go to the front
     * @param shares out, at most {@code wanted}; their sum is the smaller of {@code budget} and all that is wanted
     */
    static void divide(int budget, int[] wanted, int count, int[] shares) {
        for (int i = 0; i < count; i++) {
            shares[i] = 0;
        }
        int left = budget;
        int hungry = count;
        while (left > 0 && hungry > 0) {
            int each = Math.max(1, left / hungry);
            hungry = 0;
            for (int i = 0; i < count && left > 0; i++) {
                int more = Math.min(Math.min(each, wanted[i] - shares[i]), left);
                shares[i] += more;
                left -= more;
                if (shares[i] < wanted[i]) {
                    hungry++;
                }
            }
        }
    }
}
