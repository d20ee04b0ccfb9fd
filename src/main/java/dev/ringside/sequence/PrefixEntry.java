package dev.ringside.sequence;

import org.jspecify.annotations.Nullable;

/** A prefix behind which sequences can start: in memory, in a file, or both. */
final class PrefixEntry {

    final PrefixNode node;
    /** Tokens behind the node's block, fewer than a page. */
    final int[] tail;
    final int position;
    final long hash;
    final long createdAt;
    long lastUsed;
    long hits;
    int pins;

    /** Positions whose rows of the draft block the pages hold, and the token that the last of these was computed for. */
    int draftLength;
    int following = SequenceState.NO_TOKEN;

    boolean resident;
    /** Recurrent state; null when the model has none or the entry is not in memory. */
    @Nullable
    HostMemoryBlock plane;
    /** Address of the page with the tail, 0 without one. */
    long tailPage;
    @Nullable
    SpillFile file;

    PrefixEntry(PrefixNode node, int[] tail, int pageTokens, long now) {
        this.node = node;
        this.tail = tail;
        this.position = node.depth * pageTokens + tail.length;
        this.hash = PrefixNode.hash(node.hash + 1, tail);
        this.createdAt = now;
        this.lastUsed = now;
    }

    /** Host memory it takes. */
    long bytes() {
        HostMemoryBlock state = plane;
        return !resident ? 0 : 4L * tail.length + (state == null ? 0 : state.segment().byteSize());
    }

    boolean endsIn(int[] tokens) {
        int from = position - tail.length;
        if (position > tokens.length) {
            return false;
        }
        for (int i = 0; i < tail.length; i++) {
            if (tokens[from + i] != tail[i]) {
                return false;
            }
        }
        return true;
    }
}
