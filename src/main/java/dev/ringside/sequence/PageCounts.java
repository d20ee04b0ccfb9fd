package dev.ringside.sequence;

/**
 * Who holds which page, by number. Sequences and prefixes hold pages together; a page that prefixes alone hold can be had back. Written by
 * the engine thread, the totals read by anyone.
 */
final class PageCounts {

    private final int[] free;
    /** How many hold each page; 0 for free ones. */
    private final int[] holders;
    /** How many of the holders are prefixes. */
    private final int[] prefixes;
    private volatile int freeCount;
    private volatile int shared;
    private volatile int kept;

    PageCounts(int pages) {
        this.free = new int[pages];
        for (int i = 0; i < pages; i++) {
            free[i] = pages - 1 - i;
        }
        this.holders = new int[pages];
        this.prefixes = new int[pages];
        this.freeCount = pages;
    }

    int total() {
        return free.length;
    }

    /** Pages that nobody holds. */
    int free() {
        return freeCount;
    }

    /** Pages that several hold. */
    int shared() {
        return shared;
    }

    /** Pages that prefixes alone hold. */
    int kept() {
        return kept;
    }

    /** A free page, held once from here on; there must be one. */
    int take() {
        int count = freeCount - 1;
        int page = free[count];
        holders[page] = 1;
        freeCount = count;
        return page;
    }

    /**
     * Changes the holders of a page that is held; without holders it is free.
     *
     * @param byHolders 1 or -1
     * @param byPrefixes as much when the holder is a prefix, otherwise 0
     */
    void change(int page, int byHolders, int byPrefixes) {
        int before = holders[page];
        if (before == 0) {
            throw new IllegalStateException("Page " + page + " is free already");
        }
        int after = before + byHolders;
        int keptBefore = prefixes[page] == before ? 1 : 0;
        holders[page] = after;
        prefixes[page] += byPrefixes;
        kept = kept - keptBefore + (after > 0 && prefixes[page] == after ? 1 : 0);
        shared = shared - (before > 1 ? 1 : 0) + (after > 1 ? 1 : 0);
        if (after == 0) {
            int count = freeCount;
            free[count] = page;
            freeCount = count + 1;
        }
    }

    boolean isShared(int page) {
        return holders[page] > 1;
    }

    /** Whether sequences, and not only prefixes, hold a page. */
    boolean isInUse(int page) {
        return holders[page] > prefixes[page];
    }
}
