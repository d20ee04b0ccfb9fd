package dev.ringside.cli;

import java.io.PrintWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reports as JSON: records become objects, their components fields of the same name. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Json() {}

    static void print(Object report, PrintWriter out) {
        out.println(MAPPER.writeValueAsString(report));
    }
}
