package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares the table of keywords in the documentation with the code. */
class StructuredOutputDocumentationTest {

    @Test
    void theDocumentedKeywordsAreThoseOfTheCode() throws IOException {
        assertThat(names("| keyword |")).isEqualTo(SchemaKeywords.enforced());
    }

    @Test
    void theDocumentedFormatsAreThoseOfTheCode() throws IOException {
        assertThat(names("| format |")).isEqualTo(new TreeSet<>(Formats.PATTERNS.keySet()));
    }

    @Test
    void theDocumentedAnnotationsAreThoseOfTheCode() throws IOException {
        String line = section().stream().filter(each -> each.startsWith("Annotations are ignored: ")).findFirst().orElseThrow();

        assertThat(quoted(line)).isEqualTo(new TreeSet<>(SchemaKeywords.ANNOTATIONS));
    }

    /** Names in the first column of the table with a header. */
    private static Set<String> names(String header) throws IOException {
        List<String> lines = section();
        int at = 0;
        while (!lines.get(at).startsWith(header)) {
            at++;
        }
        Set<String> names = new TreeSet<>();
        for (at += 2; at < lines.size() && lines.get(at).startsWith("|"); at++) {
            names.addAll(quoted(lines.get(at).substring(0, lines.get(at).indexOf('|', 1))));
        }
        return names;
    }

    private static Set<String> quoted(String text) {
        Set<String> names = new TreeSet<>();
        String[] parts = text.split("`", -1);
        for (int i = 1; i < parts.length; i += 2) {
            names.add(parts[i]);
        }
        return names;
    }

    private static List<String> section() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("docs/api.md"));
        return lines.subList(lines.indexOf("## Structured output"), lines.indexOf("## Errors"));
    }
}
