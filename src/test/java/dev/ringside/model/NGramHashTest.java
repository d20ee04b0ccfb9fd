package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class NGramHashTest {

    @Test
    void rowsEqualTheReferenceAlsoAcrossEndTokens() {
        JsonNode reference = Reference.json(Reference.resource("qwen4exp/reference-f32.json.gz")).get("short");
        int[] tokens = Reference.ints(reference.get("tokens"));
        try (GgufFile file = GgufFile.open(Reference.resource("qwen4exp/q8_0.gguf")); Arena arena = Arena.ofConfined()) {
            NGramSpec nGram = Qwen4ExpConfig.read(file).nGram();
            assertThat(nGram).isNotNull();
            MemorySegment rows = arena.allocate(ValueLayout.JAVA_LONG, nGram.heads());
            NGramHash hash = new NGramHash(nGram);
            for (int position = 0; position < tokens.length; position++) {
                hash.rows(tokens[position], tokens, position, rows, 0);
                for (int head = 0; head < nGram.heads(); head++) {
                    assertThat(rows.getAtIndex(ValueLayout.JAVA_LONG, head)).as("position " + position + ", head " + head)
                            .isEqualTo(reference.get("ple_rows").get(position).get(head).asLong());
                }
            }
        }
    }
}
