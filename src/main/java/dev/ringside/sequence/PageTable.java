package dev.ringside.sequence;

import java.util.Arrays;
import java.util.Objects;

/** The pages of one sequence, in the order of its positions. */
final class PageTable {

    private final StatePool pool;
    private final int most;
    private long[] pages = new long[4];
    private int count;

    /** @param most pages the sequence can ever have */
    PageTable(StatePool pool, int most) {
        this.pool = pool;
        this.most = most;
    }

    int count() {
        return count;
    }

    /** Addresses, of which the first {@link #count()} are in use; the array is the table's own. */
    long[] addresses() {
        return pages;
    }

    long get(int index) {
        return pages[Objects.checkIndex(index, count)];
    }

    /** Whether writing into a page would change what others hold. */
    boolean isShared(int index) {
        return index < count && pool.isShared(pages[index]);
    }

    /**
     * Takes the pages up to {@code needed}, and one in place of the page at {@code written} when others hold that too.
     *
     * @throws StateExhaustedException when they can't be had; nothing was changed
     */
    void takeFor(int written, int needed) {
        if (isShared(written)) {
            pool.requireFree(needed - count + 1);
            // Room may have been made by letting go of the other holder.
            if (isShared(written)) {
                copy(written);
            }
        }
        if (needed > count) {
            reserve(needed);
            pool.takePages(pages, count, needed);
            count = needed;
        }
    }

    private void copy(int index) {
        long shared = pages[index];
        pool.takePages(pages, index, index + 1);
        try {
            pool.copyPage(shared, pages[index]);
        } catch (RuntimeException e) {
            pool.releasePage(pages[index]);
            pages[index] = shared;
            throw e;
        }
        pool.releasePage(shared);
    }

    /** Lets go of the pages behind the first {@code needed}. */
    void cutTo(int needed) {
        pool.returnPages(pages, needed, count);
        count = needed;
    }

    /** Lets go of all pages and has those of another table, whose holder it is already. */
    void replaceBy(long[] table, int newCount) {
        reserve(newCount);
        pool.returnPages(pages, 0, count);
        System.arraycopy(table, 0, pages, 0, newCount);
        count = newCount;
    }

    /** Holds {@code shared} in place of a page with the same contents. */
    void exchange(int index, long shared) {
        pool.retainPage(shared);
        pool.releasePage(get(index));
        pages[index] = shared;
    }

    private void reserve(int needed) {
        if (pages.length < needed) {
            pages = Arrays.copyOf(pages, Math.max(needed, (int) Math.min(2L * pages.length, most)));
        }
    }
}
