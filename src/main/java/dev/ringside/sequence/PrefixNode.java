package dev.ringside.sequence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A block of {@code pageTokens} tokens behind the blocks of its ancestors. The root stands for no tokens. */
final class PrefixNode {

    /** Tokens of a block: hashed, and compared token by token. */
    record Block(int[] tokens) {

        static Block of(int[] tokens, int index, int size) {
            return new Block(Arrays.copyOfRange(tokens, index * size, (index + 1) * size));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Block block && Arrays.equals(tokens, block.tokens);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(tokens);
        }
    }

    final @Nullable PrefixNode parent;
    final Block block;
    /** Number of blocks up to and including this one. */
    final int depth;
    /** Hash of all tokens up to the end of the block. */
    final long hash;
    final Map<Block, PrefixNode> children = new HashMap<>();
    /** Prefixes that end in the block behind this one, before its end. */
    final List<PrefixEntry> entries = new ArrayList<>();
    /** Address of the page with this block, 0 when no entry below is in memory. */
    long page;
    /** Entries in memory here and below. */
    int residents;

    PrefixNode(@Nullable PrefixNode parent, Block block) {
        this.parent = parent;
        this.block = block;
        this.depth = parent == null ? 0 : parent.depth + 1;
        this.hash = hash(parent == null ? 0 : parent.hash, block.tokens);
    }

    static long hash(long before, int[] tokens) {
        long hash = Hashing.start(before);
        for (int token : tokens) {
            hash = Hashing.add(hash, token);
        }
        return hash;
    }

    /** Whether entries in memory end behind this node's own. */
    boolean hasResidentsBelow() {
        int own = 0;
        for (PrefixEntry entry : entries) {
            own += entry.resident ? 1 : 0;
        }
        return residents > own;
    }

    boolean isEmpty() {
        return children.isEmpty() && entries.isEmpty();
    }
}
