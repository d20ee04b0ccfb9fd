package dev.ringside.model;

import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.ExpertTensors;
import dev.ringside.expert.GgufExpertSource;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.TensorInfo;
import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.Rotary;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.SharedExpert;
import dev.ringside.sequence.StateLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the blocks that architectures share: binds their tensors, places their sequence state, and lends them activations. */
final class BlockFactory {

    private final Device device;
    private final WeightBinder weights;
    private final ModelOptions options;
    private final StateLayout.Builder state;
    private final int hidden;
    private final float epsilon;
    private @Nullable MoeBlock lastExperts;

    BlockFactory(Device device, WeightBinder weights, ModelOptions options, int hidden, float epsilon) {
        this.device = device;
        this.weights = weights;
        this.options = options;
        this.hidden = hidden;
        this.epsilon = epsilon;
        this.state = StateLayout.builder(options.pageTokens());
    }

    /** Where the sequence state of the blocks is placed; other blocks may add theirs. */
    StateLayout.Builder state() {
        return state;
    }

    /** The rotation of a model's attention layers; a {@code rope_freqs} tensor, where there is one, divides the frequencies. */
    Rotary rotary(AttentionSpec spec) {
        RotarySpec rotary = spec.rotary();
        float[] frequencies = rotary.inverseFrequencies();
        if (weights.has("rope_freqs.weight")) {
            float[] factors = weights.values("rope_freqs.weight", frequencies.length);
            for (int i = 0; i < frequencies.length; i++) {
                frequencies[i] /= factors[i];
            }
        }
        return new Rotary(rotary.width(), weights.constant(frequencies, "rotary frequencies"), rotary.magnitude(), rotary.interleaved());
    }

    /** Activations for all attention layers of a model. */
    AttentionBlock.Buffers attentionBuffers(AttentionSpec spec, IndexerSpec indexer) {
        boolean sparse = indexer.largestRatio() > 0;
        int capacity = sparse ? indexer.tokens() / indexer.largestRatio() : 0;
        return new AttentionBlock.Buffers(device.rows((spec.gated() ? 2L : 1L) * spec.queryWidth(), "attention query and gate"),
                device.rows(spec.kvWidth(), "attention key"), device.rows(spec.kvWidth(), "attention value"),
                device.rows(spec.queryWidth(), "attention query"), device.rows(spec.queryWidth(), "attention output"),
                sparse ? device.rows((long) indexer.heads() * indexer.headSize(), "index query") : null,
                sparse ? device.rows(indexer.headSize(), "index key") : null,
                sparse ? new BlockSelection(device.rows(1L + capacity, "kept index blocks"), capacity, indexer.largestRatio()) : null);
    }

    AttentionBlock attention(int block, AttentionSpec spec, IndexerSpec indexer, Rotary rotary, AttentionBlock.Buffers buffers) {
        String prefix = "blk." + block + '.';
        long plane = options.kvType().pageBytes(options.pageTokens(), spec.kvHeads(), spec.headSize());
        AttentionShape shape = new AttentionShape(spec.heads(), spec.kvHeads(), spec.headSize(), spec.gated(), rotary,
                spec.headNorm() ? weights.vector(prefix + "attn_q_norm.weight", spec.headSize()) : null,
                spec.headNorm() ? weights.vector(prefix + "attn_k_norm.weight", spec.headSize()) : null, epsilon, options.kvType(),
                options.pageTokens(),
                state.positional(prefix + "key", plane), state.positional(prefix + "value", plane));
        AttentionBlock.Weights bound = new AttentionBlock.Weights(block,
                weights.matrix(prefix + "attn_q.weight", hidden, (spec.gated() ? 2 : 1) * spec.queryWidth()),
                weights.matrix(prefix + "attn_k.weight", hidden, spec.kvWidth()),
                weights.matrix(prefix + "attn_v.weight", hidden, spec.kvWidth()),
                weights.matrix(prefix + "attn_output.weight", spec.queryWidth(), hidden), shape,
                indexer.sparse(block) ? indexer(prefix, indexer, rotary) : null);
        return new AttentionBlock(device.kernels(), device.stream(), bound, buffers);
    }

    private AttentionBlock.Indexer indexer(String prefix, IndexerSpec spec, Rotary rotary) {
        int size = spec.headSize();
        int ratio = spec.largestRatio();
        if (options.pageTokens() % ratio != 0) {
            throw new IllegalArgumentException(
                    "ringside.kv.page-tokens must be a multiple of the model's index block of " + ratio + " tokens, got "
                            + options.pageTokens());
        }
        IndexerShape shape = new IndexerShape(spec.heads(), size, ratio, spec.tokens() / ratio, rotary,
                weights.vector(prefix + "indexer.q_norm.weight", size), weights.vector(prefix + "indexer.k_norm.weight", size), epsilon,
                options.pageTokens(), state.positional(prefix + "index", 4L * options.pageTokens() / ratio * size),
                state.recurrent(prefix + "index_open", 4L * ratio * size));
        return new AttentionBlock.Indexer(weights.matrix(prefix + "indexer.q_proj.weight", hidden, spec.heads() * size),
                weights.matrix(prefix + "indexer.k_proj.weight", hidden, size), shape);
    }

    /** Activations for all DeltaNet layers of a model. */
    DeltaNetBlock.Buffers deltaNetBuffers(DeltaNetSpec spec) {
        return new DeltaNetBlock.Buffers(device.rows(spec.channels(), "DeltaNet q, k, v"), device.rows(spec.valueWidth(), "DeltaNet gate"),
                device.rows(spec.valueHeads(), "DeltaNet alpha"), device.rows(spec.valueHeads(), "DeltaNet beta"),
                device.rows(spec.valueWidth(), "DeltaNet output"));
    }

    DeltaNetBlock deltaNet(int block, DeltaNetSpec spec, DeltaNetBlock.Buffers buffers) {
        String prefix = "blk." + block + '.';
        int valueHeads = spec.valueHeads();
        DeltaNetShape shape = new DeltaNetShape(spec.keyHeads(), valueHeads, spec.keySize(), spec.valueSize(), spec.kernel(),
                spec.groupedHeads(), spec.sigmoidGate(), weights.table(prefix + "ssm_conv1d.weight", spec.kernel(), spec.channels()),
                weights.vector(prefix + "ssm_dt.bias", valueHeads), weights.vector(prefix + "ssm_a", valueHeads),
                weights.vector(prefix + "ssm_norm.weight", spec.valueSize()), epsilon,
                state.recurrent(prefix + "delta", 4L * valueHeads * spec.keySize() * spec.valueSize()),
                state.recurrent(prefix + "convolution", 4L * (spec.kernel() - 1) * spec.channels()));
        DeltaNetProjections in = DeltaNetProjections.bind(weights, prefix, spec, hidden);
        DeltaNetBlock.Weights bound = new DeltaNetBlock.Weights(in.qkv(), in.gate(), in.alpha(), in.beta(),
                weights.matrix(prefix + "ssm_out.weight", spec.valueWidth(), hidden), shape);
        return new DeltaNetBlock(device.kernels(), bound, buffers);
    }

    /** Routing tables and activations for all mixtures of experts of a model. */
    MoeBlock.Buffers expertBuffers(ExpertSpec spec, ExpertFetcher fetcher) {
        int pairs = Math.multiplyExact(device.maxRows(), spec.perToken());
        RoutingTable routing = new RoutingTable(device.pinned(4L * pairs, "routing ids"), device.pinned(4L * pairs, "routing weights"),
                spec.perToken());
        ResidentKernels resident = device.kernels().resident();
        int guessed = MoeBlock.LOOKAHEAD_ROWS * spec.perToken();
        RoutingTable guesses = new RoutingTable(device.pinned(4L * guessed, "guessed routing ids"),
                device.pinned(4L * guessed, "guessed routing weights"), spec.perToken());
        return new MoeBlock.Buffers(routing, guesses, new ExpertGroups(spec.count(), pairs), new ExpertWave(spec.count(), pairs),
                device.floats(((long) pairs + device.maxRows()) * hidden, "expert outputs"), device.rows(hidden, "shared expert output"),
                resident == null ? null : ResidentExperts.on(device, resident, fetcher, spec.perToken()));
    }

    MoeBlock experts(int block, ExpertSpec spec, GgufExpertSource source, ExpertFetcher fetcher, MoeBlock.Buffers buffers) {
        String prefix = "blk." + block + '.';
        boolean shared = spec.sharedWidth() > 0;
        ExpertShape shape = scaled(source.layout().shape(block), prefix, spec);
        DevicePtr slot = shared && buffers.resident() != null && buffers.resident().kernels().takesShared(shape)
                ? alike(prefix, shape, spec, source.layout().slotBytes())
                : null;
        FeedForward network = slot != null ? inSlot(slot, shape) : shared ? feedForward(prefix, "_shexp", spec.sharedWidth()) : null;
        DevicePtr gate = shared ? weights.vector(prefix + "ffn_gate_inp_shexp.weight", hidden) : null;
        MoeBlock.Weights bound = new MoeBlock.Weights(block, weights.matrix(prefix + "ffn_gate_inp.weight", hidden, spec.count()),
                spec.scale(), shape, network, gate, slot == null ? null : new SharedExpert(slot, gate));
        MoeBlock made = new MoeBlock(device.kernels(), device.stream(), fetcher, bound, buffers);
        // A draft block runs only when something is drafted.
        if (lastExperts != null && lastExperts.layer() == block - 1 && !weights.has(prefix + "nextn.eh_proj.weight")) {
            lastExperts.precedes(made);
        }
        lastExperts = made;
        return made;
    }

    /** The shared expert of a block in a slot like those of the others, or null where it is not like them. */
    private @Nullable DevicePtr alike(String prefix, ExpertShape shape, ExpertSpec spec, long slotBytes) {
        if (spec.sharedWidth() != spec.width() || shape.gateScale() != null || shape.upScale() != null || shape.downScale() != null) {
            return null;
        }
        return weights.slot(slotBytes, prefix + "shared expert",
                new WeightBinder.Placed(prefix + "ffn_gate_shexp.weight", hidden, spec.width(), shape.gateType(), shape.gateOffset()),
                new WeightBinder.Placed(prefix + "ffn_up_shexp.weight", hidden, spec.width(), shape.upType(), shape.upOffset()),
                new WeightBinder.Placed(prefix + "ffn_down_shexp.weight", spec.width(), hidden, shape.downType(), shape.downOffset()));
    }

    private static FeedForward inSlot(DevicePtr slot, ExpertShape shape) {
        return new FeedForward(matrix(slot, shape.gateOffset(), shape.gateType(), shape.width(), shape.hidden()),
                matrix(slot, shape.upOffset(), shape.upType(), shape.width(), shape.hidden()),
                matrix(slot, shape.downOffset(), shape.downType(), shape.hidden(), shape.width()));
    }

    private static Matrix matrix(DevicePtr slot, long offset, GgmlType type, int rows, int columns) {
        return new Matrix(slot.slice(offset, rows * type.rowBytes(columns)), type, rows, columns);
    }

    DenseBlock dense(int block, int width) {
        return new DenseBlock(device.kernels(), feedForward("blk." + block + '.', "", width));
    }

    private FeedForward feedForward(String prefix, String suffix, int width) {
        return new FeedForward(weights.matrix(prefix + "ffn_gate" + suffix + ".weight", hidden, width),
                weights.matrix(prefix + "ffn_up" + suffix + ".weight", hidden, width),
                weights.matrix(prefix + "ffn_down" + suffix + ".weight", width, hidden));
    }

    /** The routed experts of every block, gate and up in tensors of their own or fused in one. */
    List<ExpertTensors> expertTensors(ExpertSpec spec, int blocks) {
        List<ExpertTensors> tensors = new ArrayList<>();
        for (int block = 0; block < blocks; block++) {
            String prefix = "blk." + block + '.';
            TensorInfo down = expertTensor(prefix + "ffn_down_exps.weight", spec.width(), hidden, spec.count());
            if (weights.has(prefix + "ffn_gate_up_exps.weight")) {
                TensorInfo fused = expertTensor(prefix + "ffn_gate_up_exps.weight", hidden, 2L * spec.width(), spec.count());
                tensors.add(new ExpertTensors(block, fused, fused, down));
            } else {
                tensors.add(new ExpertTensors(block, expertTensor(prefix + "ffn_gate_exps.weight", hidden, spec.width(), spec.count()),
                        expertTensor(prefix + "ffn_up_exps.weight", hidden, spec.width(), spec.count()), down));
            }
        }
        return tensors;
    }

    private ExpertShape scaled(ExpertShape shape, String prefix, ExpertSpec spec) {
        DevicePtr fused = expertScale(prefix + "ffn_gate_up_exps.scale", spec);
        DevicePtr gate = expertScale(prefix + "ffn_gate_exps.scale", spec);
        DevicePtr up = expertScale(prefix + "ffn_up_exps.scale", spec);
        return shape.withScales(fused == null ? gate : fused, fused == null ? up : fused,
                expertScale(prefix + "ffn_down_exps.scale", spec));
    }

    private @Nullable DevicePtr expertScale(String name, ExpertSpec spec) {
        return weights.has(name) ? weights.vector(name, spec.count()) : null;
    }

    private TensorInfo expertTensor(String name, long columns, long rows, long count) {
        return weights.require(name, columns, rows, count);
    }
}
