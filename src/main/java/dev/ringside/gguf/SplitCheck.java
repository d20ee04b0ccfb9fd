package dev.ringside.gguf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the parts of a split file and checks that they belong together. */
final class SplitCheck {

    static final String NUMBER = "split.no";
    static final String COUNT = "split.count";
    static final String TENSORS = "split.tensors.count";

    private SplitCheck() {}

    /** The files that make up the model, in order: the path itself, or all parts when its name is that of a part. */
    static List<Path> parts(Path path) {
        SplitName name = SplitName.parse(path);
        List<Path> parts = name == null ? List.of(path) : name.siblings();
        StringBuilder missing = new StringBuilder();
        int count = 0;
        for (Path part : parts) {
            if (!Files.exists(part)) {
                count++;
                if (count <= 3) {
                    missing.append(count == 1 ? "" : ", ").append(part.getFileName());
                }
            }
        }
        if (count == 0) {
            return parts;
        }
        if (name == null || count == parts.size()) {
            throw new GgufException(path, "no such file; check the path of the model");
        }
        throw new GgufException(path, "the model has " + parts.size() + " parts and " + count + " of them "
                + (count == 1 ? "is" : "are") + " missing: " + missing + (count > 3 ? ", …" : "")
                + "; download them into the same directory under their original names");
    }

    /** Refuses parts that are swapped, of different models, incomplete, or that contradict each other. */
    static void refuseMismatch(Path given, List<GgufShard> shards) {
        for (int i = 0; i < shards.size(); i++) {
            refusePlace(shards.get(i), i, shards.size());
        }
        refuseTotal(given, shards);
        refuseContradiction(shards);
        refuseDuplicates(shards);
    }

    private static void refusePlace(GgufShard shard, int index, int parts) {
        GgufMetadata metadata = shard.metadata();
        long count = metadata.getLong(COUNT, 1);
        if (parts == 1 && count > 1) {
            throw new GgufException(shard.path(), "key '" + COUNT + "'", "this is part " + (metadata.getLong(NUMBER, 0) + 1) + " of "
                    + count
                    + " of a split file, but its name is not that of a part: expected <prefix>-00001-of-000NN.gguf, rename it and its siblings back");
        }
        if (parts > 1 && !metadata.has(COUNT)) {
            throw new GgufException(shard.path(), "key '" + COUNT + "'",
                    "is missing although the name says part " + (index + 1) + " of " + parts
                            + "; rename the file if it is complete, or download the right part");
        }
        if (count != parts && metadata.has(COUNT)) {
            throw new GgufException(shard.path(), "key '" + COUNT + "'", "expected " + parts + " as in the name, found " + count
                    + "; the file was renamed or belongs to another model");
        }
        long number = parts == 1 ? metadata.getLong(NUMBER, 0) : metadata.getLong(NUMBER);
        if (number != index) {
            throw new GgufException(shard.path(), "key '" + NUMBER + "'", "expected " + index + " (part " + (index + 1)
                    + " as in the name), found " + number + " (part " + (number + 1) + "); the parts were swapped or renamed");
        }
    }

    private static void refuseTotal(Path given, List<GgufShard> shards) {
        long total = 0;
        for (GgufShard shard : shards) {
            total += shard.tensors().size();
        }
        for (GgufShard shard : shards) {
            long announced = shard.metadata().getLong(TENSORS, total);
            if (announced != total) {
                throw new GgufException(shard.path(), "key '" + TENSORS + "'", "announces " + announced + " tensors, "
                        + (shards.size() == 1 ? "the file holds " : "the parts of " + given.getFileName() + " hold ") + total
                        + "; a part is incomplete or belongs to another model");
            }
        }
    }

    /** All metadata is in the first part; a later one may repeat a value but not change it. */
    private static void refuseContradiction(List<GgufShard> shards) {
        GgufMetadata first = shards.getFirst().metadata();
        for (GgufShard shard : shards.subList(1, shards.size())) {
            for (String key : shard.metadata().keys()) {
                GgufValue expected = first.find(key);
                GgufValue found = shard.metadata().find(key);
                if (expected != null && found != null && !key.startsWith("split.") && !key.equals("general.alignment")
                        && !expected.sameAs(found)) {
                    throw new GgufException(shard.path(), "key '" + key + "'",
                            "duplicate key with another value than in the first part: expected "
                                    + expected.describe() + ", found " + found.describe() + "; the part belongs to another model");
                }
            }
        }
    }

    private static void refuseDuplicates(List<GgufShard> shards) {
        Map<String, Path> seen = new HashMap<>();
        for (GgufShard shard : shards) {
            for (TensorInfo tensor : shard.tensors()) {
                @Nullable Path earlier = seen.put(tensor.name(), shard.path());
                if (earlier != null) {
                    throw new GgufException(shard.path(), "tensor '" + tensor.name() + "'", "duplicate tensor, it is in "
                            + earlier.getFileName() + " too; a part belongs to another model");
                }
            }
        }
    }
}
