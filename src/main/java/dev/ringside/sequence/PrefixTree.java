package dev.ringside.sequence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prefixes by their tokens, in blocks of a page, and the pages they hold. */
final class PrefixTree {

    /** Shorter matches inside a page are not worth the copy of it. */
    private static final int SHORTEST_CUT = 16;

    private final StatePool pool;
    private final int pageTokens;
    private final PrefixNode root = new PrefixNode(null, new PrefixNode.Block(new int[0]));
    private final List<PrefixEntry> entries = new ArrayList<>();
    private long bytes;
    private long pages;
    private int residents;

    PrefixTree(StatePool pool) {
        this.pool = pool;
        this.pageTokens = pool.layout().pageTokens();
    }

    /** All entries, in no order. */
    List<PrefixEntry> entries() {
        return entries;
    }

    /** Host memory of all entries. */
    long bytes() {
        return bytes;
    }

    /** Entries in memory. */
    int residents() {
        return residents;
    }

    /** The entry that is exactly this long, or null. */
    @Nullable
    PrefixEntry find(int[] tokens, int position) {
        PrefixNode node = walk(tokens, position / pageTokens);
        if (node.depth == position / pageTokens) {
            for (PrefixEntry entry : node.entries) {
                if (entry.position == position && entry.endsIn(tokens)) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** The longest entry of at most {@code limit} tokens that the tokens begin with, or null. */
    @Nullable
    PrefixEntry longest(int[] tokens, int limit) {
        PrefixEntry best = null;
        for (@Nullable PrefixNode node = walk(tokens, limit / pageTokens); node != null && best == null; node = node.parent) {
            for (PrefixEntry entry : node.entries) {
                if (entry.position <= limit && (best == null || entry.position > best.position) && entry.endsIn(tokens)) {
                    best = entry;
                }
            }
        }
        return best;
    }

    /** Tokens, in whole blocks, that some entry has in common. */
    int common(int[] tokens) {
        return walk(tokens, tokens.length / pageTokens).depth * pageTokens;
    }

    /** Addresses of the leading pages of these tokens that are on the device. */
    long[] leadingPages(int[] tokens, int limit) {
        PrefixNode node = walk(tokens, limit / pageTokens);
        while (node.page == 0 && node.parent != null) {
            node = node.parent;
        }
        return pagesOf(node, node.depth);
    }

    private PrefixNode walk(int[] tokens, int blocks) {
        PrefixNode node = root;
        while (node.depth < blocks) {
            PrefixNode next = node.children.get(PrefixNode.Block.of(tokens, node.depth, pageTokens));
            if (next == null) {
                break;
            }
            node = next;
        }
        return node;
    }

    /**
     * Pages of positional state that the tokens have in common with entries in memory, wherever these end; for models without recurrent
     * state, which can start anywhere.
     *
     * @param pages addresses; the last page may be cut
     * @param source an entry that holds them; null when there are none
     */
    record Cut(int position, long[] pages, @Nullable PrefixEntry source) {}

    Cut cut(int[] tokens, int limit) {
        PrefixNode node = walk(tokens, limit / pageTokens);
        while (node.page == 0 && node.parent != null) {
            node = node.parent;
        }
        int from = node.depth * pageTokens;
        int most = 0;
        long lastPage = 0;
        PrefixEntry source = anyResident(node);
        for (PrefixNode child : node.children.values()) {
            int length = child.page == 0 ? 0 : commonWith(child.block.tokens(), tokens, from, limit);
            if (length > most) {
                most = length;
                lastPage = child.page;
                source = anyResident(child);
            }
        }
        for (PrefixEntry entry : node.entries) {
            int length = entry.tailPage == 0 ? 0 : commonWith(entry.tail, tokens, from, limit);
            if (length > most) {
                most = length;
                lastPage = entry.tailPage;
                source = entry;
            }
        }
        int position = from + most < Math.min(SHORTEST_CUT, pageTokens) ? 0 : from + most;
        long[] pages = pagesOf(node, pool.layout().pagesFor(position));
        if (position > from) {
            pages[node.depth] = lastPage;
        }
        return new Cut(position, pages, source);
    }

    private static @Nullable PrefixEntry anyResident(PrefixNode top) {
        PrefixNode node = top;
        while (node.residents > 0) {
            for (PrefixEntry entry : node.entries) {
                if (entry.resident) {
                    return entry;
                }
            }
            for (PrefixNode child : node.children.values()) {
                if (child.residents > 0) {
                    node = child;
                    break;
                }
            }
        }
        return null;
    }

    /** Whether a file holds an entry that begins with this one. */
    boolean hasFileBelow(PrefixEntry top) {
        List<PrefixNode> open = new ArrayList<>(List.of(top.node));
        while (!open.isEmpty()) {
            PrefixNode node = open.removeLast();
            for (PrefixEntry entry : node.entries) {
                if (entry.file != null && entry.position > top.position) {
                    return true;
                }
            }
            open.addAll(node.children.values());
        }
        return false;
    }

    private static int commonWith(int[] own, int[] tokens, int from, int limit) {
        int most = Math.min(own.length, limit - from);
        int length = 0;
        while (length < most && own[length] == tokens[from + length]) {
            length++;
        }
        return length;
    }

    /** The pages of a resident entry; the array is the caller's. */
    long[] pagesOf(PrefixEntry entry) {
        long[] pages = pagesOf(entry.node, pool.layout().pagesFor(entry.position));
        if (entry.tail.length > 0) {
            pages[entry.node.depth] = entry.tailPage;
        }
        return pages;
    }

    private static long[] pagesOf(PrefixNode last, int count) {
        long[] pages = new long[count];
        for (PrefixNode node = last; node.parent != null; node = node.parent) {
            if (node.depth <= count) {
                pages[node.depth - 1] = node.page;
            }
        }
        return pages;
    }

    /** Leading pages of the way to an entry that are on the device. */
    long[] residentPages(PrefixEntry entry) {
        PrefixNode node = entry.node;
        while (node.page == 0 && node.parent != null) {
            node = node.parent;
        }
        return pagesOf(node, node.depth);
    }

    /** All tokens of an entry. */
    int[] tokens(PrefixEntry entry) {
        int[] tokens = new int[entry.position];
        for (PrefixNode node = entry.node; node.parent != null; node = node.parent) {
            System.arraycopy(node.block.tokens(), 0, tokens, (node.depth - 1) * pageTokens, pageTokens);
        }
        System.arraycopy(entry.tail, 0, tokens, entry.position - entry.tail.length, entry.tail.length);
        return tokens;
    }

    /** The entry of that length, made when there is none; not in memory yet. */
    PrefixEntry add(int[] tokens, int position, long now) {
        PrefixEntry known = find(tokens, position);
        if (known != null) {
            return known;
        }
        PrefixNode node = root;
        while (node.depth < position / pageTokens) {
            PrefixNode parent = node;
            node = parent.children.computeIfAbsent(PrefixNode.Block.of(tokens, parent.depth, pageTokens),
                    block -> new PrefixNode(parent, block));
        }
        PrefixEntry entry = new PrefixEntry(node, Arrays.copyOfRange(tokens, node.depth * pageTokens, position), pageTokens, now);
        node.entries.add(entry);
        entries.add(entry);
        return entry;
    }

    /** Brings an entry into memory: it holds the sequence's pages from here on, and the sequence those that the tree has already. */
    void hold(PrefixEntry entry, SequenceState state, @Nullable HostMemoryBlock plane) {
        for (@Nullable PrefixNode node = entry.node; node != null; node = node.parent) {
            node.residents++;
            if (node.parent != null) {
                hold(node, state);
            }
        }
        if (entry.tail.length > 0) {
            entry.tailPage = state.page(entry.node.depth);
            pool.lendPage(entry.tailPage);
            pages++;
        }
        entry.plane = plane;
        entry.resident = true;
        residents++;
        bytes += entry.bytes();
    }

    /** Lets a sequence hold the full pages of an entry in memory in place of its own with the same contents. */
    void share(PrefixEntry entry, SequenceState state) {
        for (PrefixNode node = entry.node; node.parent != null; node = node.parent) {
            hold(node, state);
        }
    }

    private void hold(PrefixNode node, SequenceState state) {
        long own = state.page(node.depth - 1);
        if (node.page == 0) {
            node.page = own;
            pool.lendPage(own);
            pages++;
        } else if (node.page != own) {
            state.exchangePage(node.depth - 1, node.page);
        }
    }

    /** Takes an entry out of memory; returns the memory of its recurrent state. */
    @Nullable
    HostMemoryBlock letGo(PrefixEntry entry) {
        bytes -= entry.bytes();
        residents--;
        for (@Nullable PrefixNode node = entry.node; node != null; node = node.parent) {
            if (--node.residents == 0 && node.page != 0) {
                pool.takeBackPage(node.page);
                node.page = 0;
                pages--;
            }
        }
        if (entry.tailPage != 0) {
            pool.takeBackPage(entry.tailPage);
            entry.tailPage = 0;
            pages--;
        }
        HostMemoryBlock plane = entry.plane;
        entry.plane = null;
        entry.resident = false;
        return plane;
    }

    /** Forgets an entry that is not in memory. */
    void remove(PrefixEntry entry) {
        entries.remove(entry);
        entry.node.entries.remove(entry);
        PrefixNode node = entry.node;
        while (node.isEmpty() && node.parent != null) {
            node.parent.children.remove(node.block);
            node = node.parent;
        }
    }

    /** Whether a page becomes free when the entry leaves memory. */
    boolean freesPages(PrefixEntry entry) {
        return entry.tailPage != 0 && !pool.isShared(entry.tailPage)
                || entry.node.page != 0 && entry.node.residents == 1 && !pool.isShared(entry.node.page);
    }

    /** Pages that entries hold. */
    long pages() {
        return pages;
    }
}
