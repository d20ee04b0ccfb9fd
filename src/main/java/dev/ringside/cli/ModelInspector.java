package dev.ringside.cli;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufMetadata;
import dev.ringside.gguf.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Describes a model file from its tensor list and metadata; the bytes of its weights are not touched. */
final class ModelInspector {

    private final GgufFile file;
    private final GgufMetadata metadata;
    private final TensorRole.Blocks blocks;

    ModelInspector(GgufFile file) {
        this.file = file;
        this.metadata = file.metadata();
        this.blocks = TensorRole.Blocks.of(file.tensors());
    }

    /**
     * @param memories amounts of memory to fit the model into, bytes
     * @param context tokens of the sequence that has to fit beside it, null for the model's own length
     */
    ModelReport report(List<Long> memories, @Nullable Long context) {
        Long contextLength = number("context_length");
        Integer perToken = perToken();
        ExpertSizes sizes = ExpertSizes.of(file, blocks.count());
        ModelReport.Experts experts = sizes.report(perToken, blocks.trunk());
        ModelReport.State state = StateSizes.of(file, blocks);
        long tokens = context != null ? context : contextLength != null ? contextLength : 0;
        List<ModelReport.Fit> fits = new ArrayList<>();
        for (long memory : memories) {
            fits.add(fit(memory, tokens, file.totalTensorBytes() - sizes.totalBytes(), state, experts));
        }
        TensorInfo embedding = file.find("token_embd.weight");
        return new ModelReport(file.path().toString(), file.shards().stream().map(part -> String.valueOf(part.getFileName())).toList(),
                file.version(),
                file.architecture(), text("general.name"), metadata.getBool(Synthesizer.MARK, false), SupportCheck.of(file), contextLength,
                blocks.trunk(), blocks.drafts().size(), embedding == null ? number("embedding_length") : (Long) embedding.rowLength(),
                heads(),
                embedding == null ? null : (Long) embedding.rows(), file.tensors().stream().mapToLong(TensorInfo::elements).sum(),
                file.totalTensorBytes(), file.tensors().size(),
                groups(tensor -> role(tensor).label(), tensor -> tensor.type().name(), roleOrder()),
                groups(tensor -> tensor.type().name(), tensor -> role(tensor).label(), List.of()), experts, state, tokenizer(), fits);
    }

    /** Experts a token uses in a layer, null when the file does not say. */
    @Nullable
    Integer perToken() {
        Long used = number("expert_used_count");
        return used == null || used < 1 ? null : (Integer) (int) Math.min(used, Integer.MAX_VALUE);
    }

    /** Bytes of the dense weights that computing one step reads: without the tables of which only rows are gathered, and without drafts. */
    long denseStepBytes() {
        boolean tied = file.find("output.weight") == null;
        long bytes = 0;
        for (TensorInfo tensor : file.tensors()) {
            bytes += switch (role(tensor)) {
                case ROUTED_EXPERTS, NGRAM_TABLE, DRAFT -> 0;
                case EMBEDDING -> tied ? tensor.byteSize() : 0;
                default -> tensor.byteSize();
            };
        }
        return bytes;
    }

    ExpertSizes expertSizes() {
        return ExpertSizes.of(file, blocks.count());
    }

    private TensorRole role(TensorInfo tensor) {
        return blocks.role(tensor.name());
    }

    private static List<String> roleOrder() {
        return List.of(TensorRole.values()).stream().map(TensorRole::label).toList();
    }

    private List<ModelReport.Group> groups(Function<TensorInfo, String> by, Function<TensorInfo, String> within, List<String> order) {
        Map<String, List<TensorInfo>> found = new TreeMap<>();
        for (TensorInfo tensor : file.tensors()) {
            found.computeIfAbsent(by.apply(tensor), key -> new ArrayList<>()).add(tensor);
        }
        List<String> names = new ArrayList<>(order.isEmpty() ? found.keySet() : order);
        names.removeIf(name -> !found.containsKey(name));
        return names.stream().map(name -> group(name, found.getOrDefault(name, List.of()), within)).toList();
    }

    private static ModelReport.Group group(String name, List<TensorInfo> tensors, Function<TensorInfo, String> within) {
        Map<String, Long> parts = new TreeMap<>();
        tensors.forEach(tensor -> parts.merge(within.apply(tensor), tensor.byteSize(), Long::sum));
        return new ModelReport.Group(name, tensors.size(), tensors.stream().mapToLong(TensorInfo::elements).sum(),
                tensors.stream().mapToLong(TensorInfo::byteSize).sum(), parts);
    }

    private static ModelReport.Fit fit(long memory, long context, long dense, ModelReport.State state,
            ModelReport.@Nullable Experts experts) {
        long stateBytes = state.at(context);
        long arena = Math.max(0, memory - dense - stateBytes);
        boolean room = memory >= dense + stateBytes;
        if (experts == null) {
            return new ModelReport.Fit(memory, context, dense, stateBytes, arena, 0, 0, room);
        }
        int slots = (int) Math.min(experts.total(), arena / experts.slotBytes());
        return new ModelReport.Fit(memory, context, dense, stateBytes, arena, slots, (double) slots / experts.total(),
                room && slots >= experts.minimumSlots());
    }

    private ModelReport.Heads heads() {
        int attention = (int) IntStream.range(0, blocks.count()).filter(block -> !blocks.drafts().contains(block))
                .filter(block -> file.find("blk." + block + ".attn_output.weight") != null).count();
        int deltaNet = (int) blocks.deltaNet().stream().filter(block -> !blocks.drafts().contains(block)).count();
        TensorInfo norm = file.tensors().stream().filter(tensor -> tensor.name().endsWith(".attn_q_norm.weight")).findFirst().orElse(null);
        Long queries = number("attention.head_count");
        Long size = norm != null ? (Long) norm.rowLength() : number("attention.key_length");
        Long hidden = number("embedding_length");
        if (size == null && queries != null && queries > 0 && hidden != null) {
            // The format's default.
            size = hidden / queries;
        }
        return new ModelReport.Heads(queries, number("attention.head_count_kv"), size, attention, deltaNet);
    }

    private ModelReport.TokenizerInfo tokenizer() {
        String prefix = "tokenizer.ggml.";
        return new ModelReport.TokenizerInfo(text(prefix + "model"), text(prefix + "pre"), count(prefix + "tokens"),
                count(prefix + "merges"),
                metadata.has("tokenizer.chat_template"));
    }

    private int count(String key) {
        return metadata.has(key) ? metadata.length(key) : 0;
    }

    private @Nullable String text(String key) {
        return metadata.has(key) ? metadata.getString(key) : null;
    }

    /** A number of the architecture; of a list that differs from layer to layer the largest. */
    private @Nullable Long number(String suffix) {
        String key = file.architecture() + '.' + suffix;
        if (!metadata.has(key) || metadata.length(key) == 0) {
            return null;
        }
        long largest = Long.MIN_VALUE;
        for (long value : metadata.getLongs(key)) {
            largest = Math.max(largest, value);
        }
        return largest;
    }
}
