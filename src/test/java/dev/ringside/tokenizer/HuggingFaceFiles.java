package dev.ringside.tokenizer;

import dev.ringside.gguf.GgufMetadata;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes the vocabulary of a GGUF file as a {@code tokenizer.json} for Hugging Face's tokenizers, without its special tokens. */
final class HuggingFaceFiles {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private HuggingFaceFiles() {}

    /**
     * A byte-level tokenizer.
     *
     * @param pattern the regular expression of a word, null for GPT-2's built-in one
     */
    static Path byteLevel(GgufMetadata metadata, @Nullable String pattern, boolean nfc, boolean ignoreMerges, Path file) {
        ObjectNode root = root();
        root.set("normalizer", nfc ? JSON.createObjectNode().put("type", "NFC") : JSON.nullNode());
        ObjectNode byteLevel = JSON.createObjectNode().put("type", "ByteLevel").put("add_prefix_space", false).put("trim_offsets", false)
                .put("use_regex", pattern == null);
        if (pattern == null) {
            root.set("pre_tokenizer", byteLevel);
        } else {
            ObjectNode sequence = JSON.createObjectNode().put("type", "Sequence");
            ObjectNode split = JSON.createObjectNode().put("type", "Split");
            split.putObject("pattern").put("Regex", pattern);
            split.put("behavior", "Isolated").put("invert", false);
            sequence.putArray("pretokenizers").add(split).add(byteLevel);
            root.set("pre_tokenizer", sequence);
        }
        List<String[]> merges = metadata.getStrings("tokenizer.ggml.merges").stream().map(merge -> merge.split(" ")).toList();
        root.set("model", model(metadata, merges, ignoreMerges, false));
        return write(root, file);
    }

    /** A SentencePiece tokenizer, its scores turned into merges: every way to make a piece out of two, the best pieces first. */
    static Path pieces(GgufMetadata metadata, Path file) {
        ObjectNode root = root();
        ObjectNode normalizer = root.putObject("normalizer").put("type", "Sequence");
        ObjectNode replace = JSON.createObjectNode().put("type", "Replace").put("content", "\u2581");
        replace.putObject("pattern").put("String", " ");
        normalizer.putArray("normalizers").add(JSON.createObjectNode().put("type", "Prepend").put("prepend", "\u2581")).add(replace);
        root.putNull("pre_tokenizer");
        root.set("model", model(metadata, mergesOfScores(metadata), false, true));
        return write(root, file);
    }

    private static List<String[]> mergesOfScores(GgufMetadata metadata) {
        List<String> tokens = metadata.getStrings("tokenizer.ggml.tokens");
        int[] types = metadata.getInts("tokenizer.ggml.token_type");
        float[] scores = metadata.getFloats("tokenizer.ggml.scores");
        Map<String, Float> pieces = new LinkedHashMap<>();
        for (int id = 0; id < types.length; id++) {
            if (types[id] == 1) {
                pieces.put(tokens.get(id), scores[id]);
            }
        }
        List<String[]> merges = new ArrayList<>();
        pieces.keySet().stream().sorted(Comparator.comparing(pieces::get, Comparator.reverseOrder())).forEach(piece -> {
            for (int cut = 1; cut < piece.length(); cut++) {
                if (pieces.containsKey(piece.substring(0, cut)) && pieces.containsKey(piece.substring(cut))) {
                    merges.add(new String[] {piece.substring(0, cut), piece.substring(cut)});
                }
            }
        });
        return merges;
    }

    private static ObjectNode root() {
        ObjectNode root = JSON.createObjectNode().put("version", "1.0");
        root.putNull("truncation");
        root.putNull("padding");
        root.putArray("added_tokens");
        root.putNull("post_processor");
        root.putNull("decoder");
        return root;
    }

    private static ObjectNode model(GgufMetadata metadata, List<String[]> merges, boolean ignoreMerges, boolean byteFallback) {
        ObjectNode model = JSON.createObjectNode().put("type", "BPE");
        model.putNull("dropout");
        if (byteFallback) {
            model.put("unk_token", "<unk>");
        } else {
            model.putNull("unk_token");
        }
        model.putNull("continuing_subword_prefix");
        model.putNull("end_of_word_suffix");
        model.put("fuse_unk", byteFallback).put("byte_fallback", byteFallback).put("ignore_merges", ignoreMerges);
        Map<String, Integer> vocabulary = new LinkedHashMap<>();
        List<String> tokens = metadata.getStrings("tokenizer.ggml.tokens");
        for (int id = 0; id < tokens.size(); id++) {
            vocabulary.putIfAbsent(tokens.get(id), id);
        }
        model.set("vocab", JSON.valueToTree(vocabulary));
        model.set("merges", JSON.valueToTree(merges.stream().map(Arrays::asList).toList()));
        return model;
    }

    private static Path write(ObjectNode root, Path file) {
        JSON.writeValue(file.toFile(), root);
        return file;
    }
}
