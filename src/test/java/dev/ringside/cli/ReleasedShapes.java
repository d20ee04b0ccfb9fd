package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import java.util.Arrays;

/** Names and shapes of every tensor, as the table of released files has them. */
final class ReleasedShapes {

    private final GgufFile gguf;
    private int checked;

    private ReleasedShapes(GgufFile gguf) {
        this.gguf = gguf;
    }

    static void check(GgufFile gguf, String like, int layers, int experts, int vocabulary) {
        ReleasedShapes shapes = new ReleasedShapes(gguf);
        switch (like) {
            case "qwen3-30b-a3b" -> shapes.qwen3moe(layers, experts, vocabulary);
            case "qwen3.8-flash-next" -> shapes.flashNext(layers, experts, vocabulary);
            default -> shapes.hybrid(layers, experts, vocabulary, like.equals("qwen3-next-80b"));
        }
        assertThat(shapes.checked).as("tensors that the table names").isEqualTo(gguf.tensors().size());
    }

    private void shape(String name, long... dimensions) {
        TensorInfo tensor = gguf.require(name);
        assertThat(tensor.dimensions()).as(name).containsExactly(Arrays.stream(dimensions).boxed().toArray(Long[]::new));
        checked++;
    }

    private void global(int hidden, int vocabulary) {
        shape("token_embd.weight", hidden, vocabulary);
        shape("output.weight", hidden, vocabulary);
    }

    private void attention(String block, int hidden, int queries, int rows, int keys, int head) {
        shape(block + "attn_q.weight", hidden, rows);
        shape(block + "attn_k.weight", hidden, keys);
        shape(block + "attn_v.weight", hidden, keys);
        shape(block + "attn_output.weight", queries, hidden);
        shape(block + "attn_q_norm.weight", head);
        shape(block + "attn_k_norm.weight", head);
    }

    private void deltaNet(String block, int hidden, int valueHeads, boolean fusedBa) {
        int values = 128 * valueHeads;
        shape(block + "attn_qkv.weight", hidden, 4096 + values);
        shape(block + "attn_gate.weight", hidden, values);
        shape(block + "ssm_conv1d.weight", 4, 4096 + values);
        shape(block + "ssm_dt.bias", valueHeads);
        shape(block + "ssm_a", valueHeads);
        if (fusedBa) {
            shape(block + "ssm_ba.weight", hidden, 2L * valueHeads);
        } else {
            shape(block + "ssm_beta.weight", hidden, valueHeads);
            shape(block + "ssm_alpha.weight", hidden, valueHeads);
        }
        shape(block + "ssm_norm.weight", 128);
        shape(block + "ssm_out.weight", values, hidden);
    }

    private void experts(String block, int hidden, int width, int experts, boolean shared) {
        shape(block + "ffn_gate_inp.weight", hidden, experts);
        shape(block + "ffn_gate_exps.weight", hidden, width, experts);
        shape(block + "ffn_up_exps.weight", hidden, width, experts);
        shape(block + "ffn_down_exps.weight", width, hidden, experts);
        if (shared) {
            shape(block + "ffn_gate_inp_shexp.weight", hidden);
            shape(block + "ffn_gate_shexp.weight", hidden, width);
            shape(block + "ffn_up_shexp.weight", hidden, width);
            shape(block + "ffn_down_shexp.weight", width, hidden);
        }
    }

    private void qwen3moe(int layers, int experts, int vocabulary) {
        global(2048, vocabulary);
        shape("output_norm.weight", 2048);
        for (int i = 0; i < layers; i++) {
            String block = "blk." + i + '.';
            shape(block + "attn_norm.weight", 2048);
            shape(block + "ffn_norm.weight", 2048);
            attention(block, 2048, 4096, 4096, 512, 128);
            experts(block, 2048, 768, experts, false);
        }
    }

    private void hybrid(int layers, int experts, int vocabulary, boolean fusedBa) {
        global(2048, vocabulary);
        shape("output_norm.weight", 2048);
        for (int i = 0; i < layers; i++) {
            String block = "blk." + i + '.';
            shape(block + "attn_norm.weight", 2048);
            shape(block + "post_attention_norm.weight", 2048);
            if (i % 4 == 3) {
                attention(block, 2048, 4096, 8192, 512, 256);
            } else {
                deltaNet(block, 2048, 32, fusedBa);
            }
            experts(block, 2048, 512, experts, true);
        }
    }

    private void flashNext(int layers, int experts, int vocabulary) {
        global(2560, vocabulary);
        shape("per_layer_token_embd.weight", 160, gguf.require("per_layer_token_embd.weight").rows());
        mixer("output_hc", false);
        for (int i = 0; i < layers; i++) {
            String block = "blk." + i + '.';
            mixer(block + "hc_attn", true);
            mixer(block + "hc_ffn", true);
            if (i % 4 == 3) {
                attention(block, 2560, 6144, 12288, 512, 256);
                shape(block + "indexer.q_proj.weight", 2560, 512);
                shape(block + "indexer.k_proj.weight", 2560, 128);
                shape(block + "indexer.q_norm.weight", 128);
                shape(block + "indexer.k_norm.weight", 128);
            } else {
                deltaNet(block, 2560, 48, false);
            }
            experts(block, 2560, 640, experts, true);
        }
        shape("blk.1.ple_key.weight", 2560, 10240);
        shape("blk.1.ple_value.weight", 2560, 2560);
        shape("blk.1.ple_norm_key.weight", 10240);
        shape("blk.1.ple_norm_query.weight", 10240);
        shape("blk.1.ple_norm_conv.weight", 10240);
        shape("blk.1.ple_conv1d.weight", 4, 10240);
    }

    private void mixer(String prefix, boolean injects) {
        shape(prefix + "_norm.weight", 10240);
        shape(prefix + "_down.weight", 10240, 320);
        shape(prefix + "_up.weight", 320, 10240);
        if (injects) {
            shape(prefix + "_inject.weight", 10240, 4);
        }
    }
}
