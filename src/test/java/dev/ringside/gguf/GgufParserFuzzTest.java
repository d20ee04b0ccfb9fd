package dev.ringside.gguf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Replays the stored inputs in a normal run; fuzzes with {@code JAZZER_FUZZ=1}. */
class GgufParserFuzzTest {

    private static final Path FILE = Path.of("fuzz.gguf");

    @FuzzTest(maxDuration = "60s")
    void parsesOrRefuses(byte[] bytes) {
        GgufShard shard;
        try {
            shard = GgufParser.parse(FILE, MemorySegment.ofArray(bytes), 0);
        } catch (GgufException e) {
            return;
        }
        for (TensorInfo tensor : shard.tensors()) {
            if (tensor.rows() * tensor.rowBytes() != tensor.byteSize()) {
                throw new AssertionError(tensor);
            }
            shard.bytes().asSlice(tensor.fileOffset(), tensor.byteSize());
        }
        for (String key : shard.metadata().keys()) {
            shard.metadata().describe(key);
        }
    }
}
