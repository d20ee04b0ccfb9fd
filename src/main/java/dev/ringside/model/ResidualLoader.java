package dev.ringside.model;

import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.GgufExpertSource;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.Rotary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Assembles a model of pre-norm layers over one residual stream from the shared blocks. */
final class ResidualLoader {

    private final GgufFile file;
    private final ResidualConfig config;
    private final ModelOptions options;
    private final Device device;
    private final WeightBinder weights;
    private final BlockFactory blocks;

    private ResidualLoader(GgufFile file, ResidualConfig config, Device device, ModelOptions options) {
        this.file = file;
        this.config = config;
        this.options = options;
        this.device = device;
        this.weights = new WeightBinder(file, device, options.progress());
        this.blocks = new BlockFactory(device, weights, options, config.hidden(), config.epsilon());
    }

    static LoadedModel load(GgufFile file, ResidualConfig config, GpuBackend backend, ExpertArenaFactory arenas, ModelOptions options) {
        Device device = new Device(backend, options.maxRows());
        ExpertMemory experts = ExpertMemory.NONE;
        try {
            ResidualLoader loader = new ResidualLoader(file, config, device, options);
            if (config.experts() != null) {
                experts = ExpertMemory.open(file, loader.blocks.expertTensors(config.experts(), loader.blockCount()), backend, arenas,
                        options.experts().withExpertsPerToken(config.experts().perToken()));
            }
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
        int hidden = config.hidden();
        Matrix embedding = weights.matrix("token_embd.weight", hidden, config.vocabulary());
        Matrix head = weights.has("output.weight") ? weights.matrix("output.weight", hidden, config.vocabulary()) : embedding;
        DevicePtr outputNorm = weights.vector("output_norm.weight", hidden);
        ResidualLayer.Buffers buffers = layerBuffers("");
        Layers layers = new Layers(experts);
        List<ResidualLayer> trunk = new ArrayList<>();
        for (int block = 0; block < config.layers().trunk(); block++) {
            trunk.add(layers.layer(block, buffers));
        }
        HiddenRows carried = blockCount() == config.layers().trunk()
                ? null
                : new HiddenRows(device, hidden, blocks.state().recurrent("draft.hidden", 4L * hidden));
        ResidualDraft draft = carried == null ? null : draft(layers, embedding, outputNorm, head, buffers.residual(), carried);
        ResidualHead output = new ResidualHead(device.kernels(), outputNorm, head, config.epsilon(), hidden, logitRows());
        return new TrunkModel.Parts(info(experts), blocks.state().build(), embedding, 1, buffers.residual(), hidden, trunk, output, null,
                layers.expertBuffers == null ? null : layers.expertBuffers.resident(), draft, carried);
    }

    private ModelInfo info(ExpertMemory experts) {
        ExpertSpec spec = config.experts();
        String fallback = file.path().getFileName().toString();
        return new ModelInfo(config.architecture(), file.metadata().getString("general.name", fallback), config.contextLength(),
                config.vocabulary(), config.hidden(), config.layers().trunk(), config.layers().drafts(), spec == null ? 0 : spec.count(),
                spec == null ? 0 : spec.perToken(), file.totalTensorBytes(), experts.totalBytes());
    }

    private ResidualDraft draft(Layers layers, Matrix embedding, DevicePtr outputNorm, Matrix head, DevicePtr trunk,
            HiddenRows carried) {
        int block = config.layers().trunk();
        String prefix = "blk." + block + ".nextn.";
        int hidden = config.hidden();
        String headNorm = prefix + "shared_head_norm.weight";
        String ownHead = prefix + "shared_head_head.weight";
        String projection = prefix + "eh_proj.weight";
        ResidualLayer.Buffers own = layerBuffers("draft ");
        ResidualDraft.Weights bound = new ResidualDraft.Weights(embedding, layers.layer(block, own), outputNorm,
                weights.vector(prefix + "enorm.weight", hidden), weights.vector(prefix + "hnorm.weight", hidden),
                weights.columns(projection, 2 * hidden, hidden, 0, hidden), weights.columns(projection, 2 * hidden, hidden, hidden, hidden),
                weights.has(headNorm) ? weights.vector(headNorm, hidden) : outputNorm,
                weights.has(ownHead) ? weights.matrix(ownHead, hidden, config.vocabulary()) : head, config.epsilon());
        ResidualDraft.Buffers buffers = new ResidualDraft.Buffers(trunk, own, device.rows(hidden, "draft embedding"),
                device.rows(hidden, "projected draft state"), device.rows(hidden, "normed draft state"), logitRows());
        return new ResidualDraft(device, bound, buffers, carried);
    }

    private DevicePtr logitRows() {
        return device.floats((long) options.maxLogitRows() * config.hidden(), "rows with logits");
    }

    private ResidualLayer.Buffers layerBuffers(String purpose) {
        return new ResidualLayer.Buffers(device.rows(config.hidden(), purpose + "residual"),
                device.rows(config.hidden(), purpose + "hidden state"), device.rows(config.hidden(), purpose + "block output"));
    }

    /** Makes layers on shared activations. */
    private final class Layers {

        private final ExpertMemory experts;
        private final IndexerSpec dense = IndexerSpec.none(config.layers().blocks());
        private final Rotary rotary = blocks.rotary(config.attention());
        private final AttentionBlock.Buffers attentionBuffers = blocks.attentionBuffers(config.attention(), dense);
        private final DeltaNetBlock.@Nullable Buffers deltaNetBuffers;
        private final MoeBlock.@Nullable Buffers expertBuffers;

        Layers(ExpertMemory experts) {
            this.experts = experts;
            this.deltaNetBuffers = config.deltaNet() == null ? null : blocks.deltaNetBuffers(config.deltaNet());
            this.expertBuffers = config.experts() == null
                    ? null
                    : blocks.expertBuffers(config.experts(), Objects.requireNonNull(experts.fetcher()));
        }

        ResidualLayer layer(int block, ResidualLayer.Buffers buffers) {
            String prefix = "blk." + block + '.';
            return new ResidualLayer(device.kernels(), weights.vector(prefix + "attn_norm.weight", config.hidden()), tokenMixer(block),
                    weights.vector(prefix + config.channelNorm() + ".weight", config.hidden()), channelMixer(block), config.hidden(),
                    config.epsilon(), buffers);
        }

        private TokenMixer tokenMixer(int block) {
            if (config.layers().attention()[block]) {
                return blocks.attention(block, config.attention(), dense, rotary, attentionBuffers);
            }
            return blocks.deltaNet(block, Objects.requireNonNull(config.deltaNet()), Objects.requireNonNull(deltaNetBuffers));
        }

        private ChannelMixer channelMixer(int block) {
            ExpertSpec spec = config.experts();
            GgufExpertSource source = experts.source();
            ExpertFetcher fetcher = experts.fetcher();
            if (spec == null || source == null || fetcher == null) {
                return blocks.dense(block, config.denseWidth());
            }
            return blocks.experts(block, spec, source, fetcher, Objects.requireNonNull(expertBuffers));
        }
    }
}
