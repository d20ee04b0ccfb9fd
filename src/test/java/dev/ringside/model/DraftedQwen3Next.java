package dev.ringside.model;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufMetadata;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gguf.TensorInfo;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * A tiny {@code qwen3next} with a draft block. No test file of that architecture has one, so it is made here of the trunk of one test model and the
 * draft block of its relative {@code qwen35moe}, which has the same sizes.
 */
public final class DraftedQwen3Next {

    private static final String PREFIX = "qwen3next.";

    private DraftedQwen3Next() {}

    /** Writes the file into a directory. */
    public static Path write(Path directory) {
        try (GgufFile trunk = GgufFile.open(Reference.resource("qwen3next/q8_0.gguf"));
                GgufFile drafted = GgufFile.open(Reference.resource("qwen35moe/q8_0.gguf"))) {
            int layers = trunk.metadata().getInt(PREFIX + "block_count");
            int draftBlock = drafted.metadata().getInt("qwen35moe.block_count") - 1;
            GgufWriter writer = GgufWriter.of("qwen3next").putString("general.name", "Tiny Qwen3Next with a draft block")
                    .putU32(PREFIX + "block_count", layers + 1).putU32(PREFIX + "nextn_predict_layers", 1);
            pairs(trunk.metadata(), writer);
            trunk.tensors().forEach(tensor -> copy(trunk, tensor, tensor.name(), writer));
            String from = "blk." + draftBlock + '.';
            for (TensorInfo tensor : drafted.tensors()) {
                if (tensor.name().startsWith(from)) {
                    copy(drafted, tensor, "blk." + layers + '.' + tensor.name().substring(from.length()), writer);
                }
            }
            return writer.write(directory.resolve("qwen3next-drafts.gguf"));
        }
    }

    private static void pairs(GgufMetadata from, GgufWriter to) {
        for (String key : from.keys()) {
            if (key.startsWith(PREFIX) && !key.endsWith(".block_count") || key.startsWith("tokenizer.")) {
                String type = from.typeName(key);
                switch (type.indexOf('[') < 0 ? type : type.substring(0, type.indexOf('[')) + "s") {
                    case "u32" -> to.putU32(key, from.getInt(key));
                    case "i32s" -> to.putI32s(key, from.getInts(key));
                    case "f32" -> to.putF32(key, from.getFloat(key));
                    case "bool" -> to.putBool(key, from.getBool(key));
                    case "string" -> to.putString(key, from.getString(key));
                    case "strings" -> to.putStrings(key, from.getStrings(key));
                    default -> throw new AssertionError(key + " is of type " + type);
                }
            }
        }
    }

    private static void copy(GgufFile file, TensorInfo tensor, String name, GgufWriter writer) {
        long[] dimensions = tensor.dimensions().stream().mapToLong(Long::longValue).toArray();
        writer.tensor(name, tensor.type(), dimensions, file.data(tensor).toArray(ValueLayout.JAVA_BYTE));
    }
}
