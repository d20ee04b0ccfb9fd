package dev.ringside.sampling.grammar;

import dev.ringside.gguf.GgufFile;
import dev.ringside.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Documents drawn token by token from the masks of drawn schemas; networknt's validator judges them. */
class GeneratedSchemasTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 20_261_201L);
    private static final int SCHEMAS = 200;

    private final Judge judge = new Judge();

    private void assertValid(Vocabulary vocabulary, int documents, int patience) {
        Constraints constraints = Constraints.over(vocabulary);
        for (int i = 0; i < SCHEMAS; i++) {
            Random random = new Random(SEED + i);
            Map<String, Object> schema = new SchemaMaker(random).document();
            CompiledGrammar grammar = constraints.compile(JsonSchemas.compile(schema));
            List<String> drawn = new ArrayList<>();
            for (int document = 0; document < documents; document++) {
                drawn.add(Texts.generate(grammar.newConstraint(), vocabulary, random, patience));
            }
            judge.assertValid(schema, drawn, "seed " + (SEED + i));
        }
    }

    @Test
    void documentsOverAToyVocabularyAreValid() {
        assertValid(ToyVocabulary.random(new Random(SEED)), 4, 60);
    }

    @Test
    void documentsOverTheDemoVocabularyAreValid() throws IOException {
        try (GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"))) {
            assertValid(new TokenizerVocabulary(Tokenizer.from(file.metadata())), 1, 40);
        }
    }

    private record TokenizerVocabulary(Tokenizer tokenizer) implements Vocabulary {

        @Override
        public int size() {
            return tokenizer.vocabularySize();
        }

        @Override
        public byte[] bytes(int token) {
            return tokenizer.tokenBytes(token);
        }

        @Override
        public boolean endsGeneration(int token) {
            return tokenizer.isEndOfGeneration(token);
        }

        @Override
        public boolean control(int token) {
            return tokenizer.isControl(token);
        }
    }
}
