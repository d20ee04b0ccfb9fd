package dev.ringside.cli;

import dev.ringside.gguf.TensorInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a tensor is for, judged by its name alone (names: the GGUF tensor table of the supported architectures). */
enum TensorRole {
    EMBEDDING("embedding"),
    ATTENTION("attention"),
    DELTANET("deltanet"),
    ROUTED_EXPERTS("routed experts"),
    SHARED_EXPERTS("shared experts"),
    ROUTER("router"),
    FEED_FORWARD("feed forward"),
    MIXERS("mixers"),
    NGRAM_TABLE("n-gram table"),
    NGRAM("n-gram block"),
    NORMS("norms"),
    HEAD("head"),
    DRAFT("draft"),
    OTHER("other");

    private static final String BLOCK = "blk.";

    private final String label;

    TensorRole(String label) {
        this.label = label;
    }

    /** The name in reports. */
    String label() {
        return label;
    }

    /** What names of a file's tensors tell of its blocks. */
    record Blocks(int count, Set<Integer> drafts, Set<Integer> deltaNet) {

        static Blocks of(List<TensorInfo> tensors) {
            int count = 0;
            Set<Integer> drafts = new HashSet<>();
            Set<Integer> deltaNet = new HashSet<>();
            for (TensorInfo tensor : tensors) {
                int block = block(tensor.name());
                count = Math.max(count, block + 1);
                if (block >= 0 && tensor.name().contains(".nextn.")) {
                    drafts.add(block);
                }
                if (block >= 0 && tensor.name().contains(".ssm_")) {
                    deltaNet.add(block);
                }
            }
            return new Blocks(count, Set.copyOf(drafts), Set.copyOf(deltaNet));
        }

        /** Layers of the trunk. */
        int trunk() {
            return count - drafts.size();
        }

        TensorRole role(String name) {
            int block = block(name);
            if (block < 0) {
                return global(name);
            }
            if (drafts.contains(block)) {
                return DRAFT;
            }
            return inBlock(name.substring(name.indexOf('.', BLOCK.length()) + 1), deltaNet.contains(block));
        }
    }

    /** The block a tensor belongs to, -1 for those of the whole model. */
    static int block(String name) {
        if (!name.startsWith(BLOCK)) {
            return -1;
        }
        int end = name.indexOf('.', BLOCK.length());
        try {
            return end < 0 ? -1 : Integer.parseInt(name, BLOCK.length(), end, 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static TensorRole global(String name) {
        if (name.startsWith("token_embd_norm") || name.startsWith("output_norm")) {
            return NORMS;
        }
        if (name.startsWith("token_embd")) {
            return EMBEDDING;
        }
        if (name.startsWith("output_hc_")) {
            return name.contains("norm") ? NORMS : MIXERS;
        }
        if (name.startsWith("output.")) {
            return HEAD;
        }
        return name.startsWith("per_layer_token_embd") ? NGRAM_TABLE : OTHER;
    }

    private static TensorRole inBlock(String name, boolean deltaNetBlock) {
        if (name.contains("norm")) {
            return NORMS;
        }
        if (name.contains("_shexp")) {
            return SHARED_EXPERTS;
        }
        if (name.contains("_exps.") || oneExpert(name)) {
            return ROUTED_EXPERTS;
        }
        if (name.startsWith("ffn_gate_inp")) {
            return ROUTER;
        }
        if (name.startsWith("ffn_")) {
            return FEED_FORWARD;
        }
        if (name.startsWith("ssm_") || deltaNetBlock && name.startsWith("attn_")) {
            return DELTANET;
        }
        if (name.startsWith("attn_") || name.startsWith("indexer.")) {
            return ATTENTION;
        }
        if (name.startsWith("hc_")) {
            return MIXERS;
        }
        return name.startsWith("ple_") ? NGRAM : OTHER;
    }

    /** Early mixtures of experts have a tensor of its own for each expert: {@code ffn_down.3.weight}. */
    private static boolean oneExpert(String name) {
        int dot = name.indexOf('.');
        return name.startsWith("ffn_") && dot > 0 && dot + 1 < name.length() && Character.isDigit(name.charAt(dot + 1));
    }
}
