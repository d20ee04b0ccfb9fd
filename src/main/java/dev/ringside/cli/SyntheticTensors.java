package dev.ringside.cli;

import dev.ringside.gguf.GgmlType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tensors of a synthetic model: names and shapes as the released files have them, spreads such that activations neither grow nor
 * vanish. What layers add to the residual is small beside the embedding, so that routing follows the token and its shared component.
 */
final class SyntheticTensors {

    /** Variance that all layers together add to the residual, where that of the embedding is 1. */
    private static final double ADDED_VARIANCE = 0.25;
    private static final double HEAD_SPREAD = 2;
    private static final double TAP_SPREAD = 0.4;
    private static final double NGRAM_TAP_SPREAD = 0.1;

    private final ModelShape shape;
    private final QuantMix mix;
    private final boolean sharedComponent;
    private final double outputGain;
    private final List<SyntheticTensor> tensors = new ArrayList<>();

    private SyntheticTensors(ModelShape shape, QuantMix mix, Routing routing) {
        this.shape = shape;
        this.mix = mix;
        this.sharedComponent = !routing.even();
        this.outputGain = Math.sqrt(ADDED_VARIANCE / (2.0 * shape.layers()));
    }

    static List<SyntheticTensor> of(ModelShape shape, QuantMix mix, Routing routing) {
        SyntheticTensors all = new SyntheticTensors(shape, mix, routing);
        all.embedding();
        for (int layer = 0; layer < shape.layers(); layer++) {
            all.layer(layer);
        }
        all.end();
        return List.copyOf(all.tensors);
    }

    private void embedding() {
        GgmlType type = mix.matrix(shape.hidden());
        if (sharedComponent && !RandomBlocks.takesMean(type)) {
            type = GgmlType.Q8_0;
        }
        add("token_embd.weight", type, new TensorFill.Random(1, sharedComponent ? RouterWeights.EMBEDDING_MEAN : 0), shape.hidden(),
                shape.vocabulary());
        ModelShape.Streams streams = shape.streams();
        if (streams != null) {
            add("per_layer_token_embd.weight", mix.matrix(streams.nGramRowWidth()), new TensorFill.Random(1, 0), streams.nGramRowWidth(),
                    streams.nGram().rows());
        }
    }

    private void end() {
        int hidden = shape.hidden();
        ModelShape.Streams streams = shape.streams();
        if (streams == null) {
            norm("output_norm.weight", hidden);
        } else {
            mixer("output_hc", streams, false);
        }
        add("output.weight", mix.head(hidden), spread(HEAD_SPREAD, hidden), hidden, shape.vocabulary());
    }

    private void layer(int layer) {
        String prefix = "blk." + layer + '.';
        int hidden = shape.hidden();
        ModelShape.Streams streams = shape.streams();
        if (streams == null) {
            norm(prefix + "attn_norm.weight", hidden);
            norm(prefix + (shape.deltaNet() == null ? "ffn_norm.weight" : "post_attention_norm.weight"), hidden);
        } else {
            mixer(prefix + "hc_attn", streams, true);
            mixer(prefix + "hc_ffn", streams, true);
            if (layer == shape.nGramLayer()) {
                nGram(prefix, streams);
            }
        }
        ModelShape.DeltaNet deltaNet = shape.deltaNet();
        if (deltaNet == null || shape.attention(layer)) {
            attention(prefix, layer, streams);
        } else {
            deltaNet(prefix, deltaNet);
        }
        experts(prefix, layer);
    }

    private void attention(String prefix, int layer, ModelShape.@Nullable Streams streams) {
        int hidden = shape.hidden();
        int queries = shape.heads() * shape.headSize();
        int keys = shape.kvHeads() * shape.headSize();
        matrix(prefix + "attn_q.weight", 1, hidden, queries * (shape.gatedAttention() ? 2 : 1));
        matrix(prefix + "attn_k.weight", 1, hidden, keys);
        add(prefix + "attn_v.weight", mix.sensitive(hidden, layer, shape.layers()), spread(1, hidden), hidden, keys);
        matrix(prefix + "attn_output.weight", outputGain, queries, hidden);
        norm(prefix + "attn_q_norm.weight", shape.headSize());
        norm(prefix + "attn_k_norm.weight", shape.headSize());
        if (streams != null) {
            matrix(prefix + "indexer.q_proj.weight", 1, hidden, streams.indexHeads() * streams.indexSize());
            matrix(prefix + "indexer.k_proj.weight", 1, hidden, streams.indexSize());
            norm(prefix + "indexer.q_norm.weight", streams.indexSize());
            norm(prefix + "indexer.k_norm.weight", streams.indexSize());
        }
    }

    private void deltaNet(String prefix, ModelShape.DeltaNet deltaNet) {
        int hidden = shape.hidden();
        int heads = deltaNet.valueHeads();
        matrix(prefix + "attn_qkv.weight", 1, hidden, deltaNet.channels());
        matrix(prefix + "attn_gate.weight", 1, hidden, deltaNet.valueWidth());
        add(prefix + "ssm_conv1d.weight", GgmlType.F32, new TensorFill.Random(TAP_SPREAD, 0), deltaNet.kernel(), deltaNet.channels());
        add(prefix + "ssm_dt.bias", GgmlType.F32, new TensorFill.LogUniform(1e-3, 0.1, TensorFill.LogUniform.Shape.SOFTPLUS_INVERSE),
                heads);
        add(prefix + "ssm_a", GgmlType.F32, new TensorFill.LogUniform(0.5, 16, TensorFill.LogUniform.Shape.NEGATIVE), heads);
        if (shape.architecture().equals("qwen3next")) {
            add(prefix + "ssm_ba.weight", mix.small(hidden), spread(1, hidden), hidden, 2L * heads);
        } else {
            add(prefix + "ssm_beta.weight", mix.small(hidden), spread(1, hidden), hidden, heads);
            add(prefix + "ssm_alpha.weight", mix.small(hidden), spread(1, hidden), hidden, heads);
        }
        norm(prefix + "ssm_norm.weight", deltaNet.headSize());
        matrix(prefix + "ssm_out.weight", outputGain, deltaNet.valueWidth(), hidden);
    }

    private void experts(String prefix, int layer) {
        int hidden = shape.hidden();
        int width = shape.expertWidth();
        int experts = shape.experts();
        add(prefix + "ffn_gate_inp.weight", GgmlType.F32, new TensorFill.Router(), hidden, experts);
        add(prefix + "ffn_gate_exps.weight", mix.expert(hidden), spread(1, hidden), hidden, width, experts);
        add(prefix + "ffn_up_exps.weight", mix.expert(hidden), spread(1, hidden), hidden, width, experts);
        add(prefix + "ffn_down_exps.weight", mix.expertDown(width, layer, shape.layers()), spread(outputGain, width), width, hidden,
                experts);
        int shared = shape.sharedWidth();
        if (shared > 0) {
            add(prefix + "ffn_gate_inp_shexp.weight", GgmlType.F32, spread(1, hidden), hidden);
            matrix(prefix + "ffn_gate_shexp.weight", 1, hidden, shared);
            matrix(prefix + "ffn_up_shexp.weight", 1, hidden, shared);
            add(prefix + "ffn_down_shexp.weight", mix.sensitive(shared, layer, shape.layers()), spread(outputGain, shared), shared, hidden);
        }
    }

    private void mixer(String prefix, ModelShape.Streams streams, boolean injects) {
        int bundle = streams.count() * shape.hidden();
        norm(prefix + "_norm.weight", bundle);
        matrix(prefix + "_down.weight", 1, bundle, streams.rank());
        matrix(prefix + "_up.weight", 1, streams.rank(), bundle);
        if (injects) {
            add(prefix + "_inject.weight", mix.small(bundle), spread(1, bundle), bundle, streams.count());
        }
    }

    private void nGram(String prefix, ModelShape.Streams streams) {
        int bundle = streams.count() * shape.hidden();
        NGramTable table = streams.nGram();
        int width = (table.order() - 1) * table.headsPerOrder() * streams.nGramRowWidth();
        matrix(prefix + "ple_key.weight", 1, width, bundle);
        matrix(prefix + "ple_value.weight", outputGain, width, shape.hidden());
        norm(prefix + "ple_norm_key.weight", bundle);
        norm(prefix + "ple_norm_query.weight", bundle);
        norm(prefix + "ple_norm_conv.weight", bundle);
        add(prefix + "ple_conv1d.weight", GgmlType.F32, new TensorFill.Random(NGRAM_TAP_SPREAD, 0), streams.nGramKernel(), bundle);
    }

    private void norm(String name, int width) {
        add(name, GgmlType.F32, new TensorFill.Constant(1), width);
    }

    private void matrix(String name, double gain, int in, int out) {
        add(name, mix.matrix(in), spread(gain, in), in, out);
    }

    /** Outputs have a spread of {@code gain} where inputs have one of 1. */
    private static TensorFill spread(double gain, int in) {
        return new TensorFill.Random(gain / Math.sqrt(in), 0);
    }

    private void add(String name, GgmlType type, TensorFill fill, long... dimensions) {
        tensors.add(new SyntheticTensor(name, type, fill, dimensions));
    }
}
