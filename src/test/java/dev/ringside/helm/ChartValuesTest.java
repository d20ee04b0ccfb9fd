package dev.ringside.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every value of the chart is documented, in the table of docs/helm.md as in the file, and known to the schema.
 * {@code -Dringside.test.golden=write} writes the table.
 */
class ChartValuesTest {

    private static final Path VALUES = Path.of("helm/ringside/values.yaml");
    private static final Path PAGE = Path.of("docs/helm.md");
    private static final String BEGIN = "<!-- values: generated from helm/ringside/values.yaml -->\n";
    private static final String END = "<!-- end of values -->\n";

    /** A value: what the file says of it, and its default. */
    private record Value(String comment, String standard) {}

    @Test
    void everyValueHasAComment() throws IOException {
        assertThat(values()).hasSizeGreaterThan(80).allSatisfy((name, value) -> assertThat(value.comment).as(name).endsWith("."));
    }

    @Test
    void theTableOfTheDocumentationIsThatOfTheFile() throws IOException {
        StringBuilder table = new StringBuilder("| value | default | meaning |\n| --- | --- | --- |\n");
        values().forEach((name, value) -> table.append("| `").append(name).append("` | ")
                .append(value.standard.isEmpty() ? "" : "`" + value.standard + "`").append(" | ").append(value.comment.replace("|", "\\|"))
                .append(" |\n"));
        String page = Files.readString(PAGE);
        String before = page.substring(0, page.indexOf(BEGIN) + BEGIN.length());
        String after = page.substring(page.indexOf(END));
        if ("write".equals(System.getProperty("ringside.test.golden"))) {
            Files.writeString(PAGE, before + table + after);
        }

        assertThat(Files.readString(PAGE)).isEqualTo(before + table + after);
    }

    @Test
    void theSchemaKnowsEveryValueAndNoOther() throws IOException {
        JsonNode schema = JsonMapper.shared().readTree(Files.readString(VALUES.resolveSibling("values.schema.json")));
        TreeSet<String> known = new TreeSet<>();
        collect(schema, "", known);
        known.remove("global");

        assertThat(values().keySet()).allSatisfy(name -> assertThat(known).anySatisfy(path -> assertThat(name).isEqualTo(path)));
        assertThat(known).allSatisfy(path -> assertThat(values().keySet()).contains(path));
    }

    private static void collect(JsonNode schema, String path, TreeSet<String> known) {
        JsonNode properties = schema.path("properties");
        boolean closed = schema.path("additionalProperties").isBoolean();
        if (properties.isEmpty() || !path.isEmpty() && !closed) {
            known.add(path);
            return;
        }
        properties.propertyNames().forEach(name -> collect(properties.path(name), path.isEmpty() ? name : path + "." + name, known));
    }

    /** Names with their comments; what lies in a commented map or list is part of that. */
    private static Map<String, Value> values() throws IOException {
        Map<String, Value> values = new LinkedHashMap<>();
        Deque<String> path = new ArrayDeque<>();
        List<String> comment = new ArrayList<>();
        int inside = Integer.MAX_VALUE;
        for (String line : Files.readAllLines(VALUES)) {
            String text = line.strip();
            int indent = line.length() - line.stripLeading().length();
            if (text.isEmpty()) {
                comment.clear();
            } else if (indent <= inside) {
                inside = Integer.MAX_VALUE;
                if (text.startsWith("#")) {
                    comment.add(text.substring(1).strip());
                } else {
                    while (path.size() > indent / 2) {
                        path.removeLast();
                    }
                    String key = text.substring(0, text.indexOf(':'));
                    String standard = text.substring(text.indexOf(':') + 1).strip();
                    String said = String.join(" ", comment);
                    comment.clear();
                    path.addLast(key);
                    boolean container = standard.isEmpty();
                    if (!container || !said.isEmpty()) {
                        if (container && !isWhole(said)) {
                            continue;
                        }
                        values.put(String.join(".", path), new Value(said, container ? "see the file" : standard));
                        inside = container ? indent : Integer.MAX_VALUE;
                    }
                }
            }
        }
        return values;
    }

    /** A map whose comment stands for all of it, such as a security context; groups have comments only on their members. */
    private static boolean isWhole(String comment) {
        return !comment.startsWith("Secret with");
    }
}
