package dev.ringside.sampling.grammar;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.ringside.sampling.TokenConstraint;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Replays the stored schemas in a normal run; fuzzes with {@code JAZZER_FUZZ=1}. */
class SchemaFuzzTest {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Vocabulary VOCABULARY = ToyVocabulary.random(new Random(1));
    private static final Constraints CONSTRAINTS = Constraints.over(VOCABULARY);

    @FuzzTest(maxDuration = "60s")
    void compilesOrRefuses(byte[] json) {
        Object schema;
        try {
            schema = MAPPER.readValue(json, Object.class);
        } catch (JacksonException e) {
            return;
        }
        if (!(schema instanceof Map<?, ?> map)) {
            return;
        }
        TokenConstraint constraint;
        try {
            constraint = CONSTRAINTS.of(JsonSchemas.compile(cast(map)));
        } catch (GrammarException e) {
            return;
        }
        Random random = new Random(json.length);
        for (int step = 0; step < 30; step++) {
            List<Integer> allowed = Texts.tokens(constraint.allowed());
            int token = allowed.get(random.nextInt(allowed.size()));
            constraint.accept(token);
            if (VOCABULARY.endsGeneration(token)) {
                return;
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ?> cast(Map<?, ?> map) {
        return (Map<String, ?>) map;
    }
}
