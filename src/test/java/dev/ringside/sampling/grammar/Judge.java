package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** networknt's validator, with the assertion of formats. */
final class Judge {

    private final JsonMapper mapper = JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    /** Asserts that documents are valid against a schema. */
    void assertValid(Map<String, ?> schema, Iterable<String> documents, String origin) {
        Schema validator = registry.getSchema(mapper.valueToTree(schema));
        for (String document : documents) {
            assertThat(validator.validate(mapper.readTree(document),
                    context -> context.executionConfig(config -> config.formatAssertionsEnabled(true))))
                    .as("%s, schema %s, document %s", origin, mapper.writeValueAsString(schema), document).isEmpty();
        }
    }

    boolean valid(Map<String, ?> schema, String document) {
        return registry.getSchema(mapper.valueToTree(schema))
                .validate(mapper.readTree(document), context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .isEmpty();
    }
}
