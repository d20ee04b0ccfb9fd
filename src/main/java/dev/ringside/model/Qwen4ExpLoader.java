package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.GgufExpertSource;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.NGramShape;
import dev.ringside.gpu.Rotary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Assembles a {@code qwen4exp} model from the shared blocks, its stream mixers, its n-gram embedding and its draft block. */
final class Qwen4ExpLoader {

    private final GgufFile file;
    private final Qwen4ExpConfig config;
    private final ModelOptions options;
    private final Device device;
    private final WeightBinder weights;
    private final BlockFactory blocks;

    private Qwen4ExpLoader(GgufFile file, Qwen4ExpConfig config, Device device, ModelOptions options) {
        this.file = file;
        this.config = config;
        this.options = options;
        this.device = device;
        this.weights = new WeightBinder(file, device, options.progress());
        this.blocks = new BlockFactory(device, weights, options, config.hidden(), config.epsilon());
    }

    static LoadedModel load(GgufFile file, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options) {
        Qwen4ExpConfig config = Qwen4ExpConfig.read(file);
        Device device = new Device(backend, options.maxRows());
        ExpertMemory experts = ExpertMemory.NONE;
        try {
            Qwen4ExpLoader loader = new Qwen4ExpLoader(file, config, device, options);
            experts = ExpertMemory.open(file, loader.blocks.expertTensors(config.experts(), loader.blockCount()), backend, arenas,
                    options.experts().withExpertsPerToken(config.experts().perToken()));
            return new LoadedModel(new TrunkModel(device, loader.parts(experts), options.maxLogitRows()), experts.fetcher());
        } catch (RuntimeException | Error ex) {
            Closing.after(ex, experts);
            Closing.after(ex, device);
            throw ex;
        }
    }

    private int blockCount() {
        return options.drafts() ? config.layers().blocks() : config.layers().trunk();
    }

    private TrunkModel.Parts parts(ExpertMemory experts) {
        Matrix embedding = weights.matrix("token_embd.weight", config.hidden(), config.vocabulary());
        Matrix head = weights.has("output.weight") ? weights.matrix("output.weight", config.hidden(), config.vocabulary()) : embedding;
        NGramSpec spec = config.nGram();
        NGramBlock nGram = spec == null ? null : nGram(spec);
        Qwen4ExpLayer.Buffers buffers = layerBuffers("");
        Layers layers = new Layers(Objects.requireNonNull(experts.source()), Objects.requireNonNull(experts.fetcher()));
        List<Qwen4ExpLayer> trunk = new ArrayList<>();
        for (int i = 0; i < config.layers().trunk(); i++) {
            trunk.add(layers.layer(i, spec != null && spec.layer() == i ? nGram : null, buffers));
        }
        HiddenRows carried = blockCount() == config.layers().trunk()
                ? null
                : new HiddenRows(device, config.bundle(), blocks.state().recurrent("draft.hidden", 4L * config.bundle()));
        Qwen4ExpDraft draft = carried == null ? null : draft(layers, embedding, head, buffers.streams(), carried);
        Qwen4ExpHead output = new Qwen4ExpHead(device.kernels(), mixer("output_hc", false), head, logitRows(config.bundle()),
                logitRows(config.hidden()));
        return new TrunkModel.Parts(info(experts), blocks.state().build(), embedding, config.streams(), buffers.streams(), config.bundle(),
                trunk, output, nGram, layers.expertBuffers.resident(), draft, carried);
    }

    private ModelInfo info(ExpertMemory experts) {
        String fallback = file.path().getFileName().toString();
        return new ModelInfo(Qwen4ExpConfig.ARCHITECTURE, file.metadata().getString("general.name", fallback), config.contextLength(),
                config.vocabulary(), config.hidden(), config.layers().trunk(), config.layers().drafts(), config.experts().count(),
                config.experts().perToken(), file.totalTensorBytes(), experts.totalBytes());
    }

    private HyperConnection mixer(String prefix, boolean injects) {
        int bundle = config.bundle();
        int rank = config.mixerRank();
        return new HyperConnection(config.streams(), config.hidden(), weights.vector(prefix + "_norm.weight", bundle),
                weights.matrix(prefix + "_down.weight", bundle, rank), weights.matrix(prefix + "_up.weight", rank, bundle),
                injects ? weights.matrix(prefix + "_inject.weight", bundle, config.streams()) : null, config.epsilon());
    }

    private NGramBlock nGram(NGramSpec spec) {
        String prefix = "blk." + spec.layer() + '.';
        int bundle = config.bundle();
        Matrix table = weights.matrix("per_layer_token_embd.weight", spec.rowWidth(), tableRows(spec));
        NGramShape shape = new NGramShape(config.streams(), config.hidden(), spec.kernel(), spec.order(),
                weights.vector(prefix + "ple_norm_key.weight", bundle), weights.vector(prefix + "ple_norm_query.weight", bundle),
                weights.vector(prefix + "ple_norm_conv.weight", bundle), weights.table(prefix + "ple_conv1d.weight", spec.kernel(), bundle),
                config.epsilon(), blocks.state().recurrent(prefix + "ngram", 4L * (spec.kernel() - 1) * spec.order() * bundle));
        NGramBlock.Weights bound = new NGramBlock.Weights(table, weights.matrix(prefix + "ple_key.weight", spec.width(), bundle),
                weights.matrix(prefix + "ple_value.weight", spec.width(), config.hidden()), shape);
        NGramBlock.Buffers buffers = new NGramBlock.Buffers(device.pinned(8L * spec.heads() * device.maxRows(), "n-gram row numbers"),
                device.rows(spec.width(), "n-gram embedding"), device.rows(bundle, "n-gram key"),
                device.rows(config.hidden(), "n-gram value"));
        return new NGramBlock(device.kernels(), bound, buffers, new NGramHash(spec), spec.heads());
    }

    /** The table may be padded beyond the last row that the hash reaches, but not shorter. */
    private int tableRows(NGramSpec spec) {
        TensorInfo table = file.find("per_layer_token_embd.weight");
        return Math.toIntExact(table == null ? spec.tableRows() : Math.max(table.rows(), spec.tableRows()));
    }

    private Qwen4ExpDraft draft(Layers layers, Matrix embedding, Matrix head, DevicePtr trunk, HiddenRows carried) {
        int block = config.layers().trunk();
        String prefix = "blk." + block + ".nextn.";
        int hidden = config.hidden();
        Qwen4ExpLayer.Buffers own = layerBuffers("draft ");
        String projection = prefix + "eh_proj.weight";
        Qwen4ExpDraft.Weights bound = new Qwen4ExpDraft.Weights(embedding, head, layers.layer(block, null, own),
                weights.vector(prefix + "enorm.weight", hidden), weights.vector(prefix + "hnorm.weight", config.bundle()),
                weights.columns(projection, 2 * hidden, hidden, 0, hidden), weights.columns(projection, 2 * hidden, hidden, hidden, hidden),
                mixer(prefix + "hc_head", false));
        float[] ones = new float[Math.multiplyExact(device.maxRows(), config.streams())];
        Arrays.fill(ones, 1);
        Qwen4ExpDraft.Buffers buffers = new Qwen4ExpDraft.Buffers(trunk, own, device.rows(hidden, "draft embedding"),
                device.rows(hidden, "projected draft embedding"), weights.constant(ones, "ones"), logitRows(config.bundle()),
                logitRows(hidden));
        return new Qwen4ExpDraft(device, bound, buffers, carried);
    }

    private DevicePtr logitRows(int width) {
        return device.floats((long) options.maxLogitRows() * width, "rows with logits");
    }

    private Qwen4ExpLayer.Buffers layerBuffers(String purpose) {
        return new Qwen4ExpLayer.Buffers(device.rows(config.bundle(), purpose + "residual streams"),
                device.rows(config.hidden(), purpose + "hidden state"), device.rows(config.streams(), purpose + "stream strengths"),
                device.rows(config.hidden(), purpose + "block output"));
    }

    /** Makes layers on shared activations. */
    private final class Layers {

        private final GgufExpertSource source;
        private final ExpertFetcher fetcher;
        private final Rotary rotary = blocks.rotary(config.attention());
        private final AttentionBlock.Buffers attentionBuffers = blocks.attentionBuffers(config.attention(), config.indexer());
        private final DeltaNetBlock.Buffers deltaNetBuffers = blocks.deltaNetBuffers(config.deltaNet());
        private final MoeBlock.Buffers expertBuffers;

        Layers(GgufExpertSource source, ExpertFetcher fetcher) {
            this.source = source;
            this.fetcher = fetcher;
            this.expertBuffers = blocks.expertBuffers(config.experts(), fetcher);
        }

        /** The draft block attends densely whatever the file says: indexer keys of an open block would be recurrent state. */
        private IndexerSpec indexer(int block) {
            return block < config.layers().trunk() ? config.indexer() : IndexerSpec.none(config.layers().blocks());
        }

        Qwen4ExpLayer layer(int block, @Nullable NGramBlock nGram, Qwen4ExpLayer.Buffers buffers) {
            String prefix = "blk." + block + '.';
            TokenMixer tokenMixer = config.layers().attention()[block]
                    ? blocks.attention(block, config.attention(), indexer(block), rotary, attentionBuffers)
                    : blocks.deltaNet(block, config.deltaNet(), deltaNetBuffers);
            return new Qwen4ExpLayer(device.kernels(), nGram, mixer(prefix + "hc_attn", true), tokenMixer, mixer(prefix + "hc_ffn", true),
                    blocks.experts(block, config.experts(), source, fetcher, expertBuffers), buffers);
        }
    }
}
