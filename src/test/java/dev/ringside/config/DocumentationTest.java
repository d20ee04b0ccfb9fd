package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.model.ModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is written for users holds. */
class DocumentationTest {

    @Test
    void everyArchitectureThatLoadsIsDocumented() throws IOException {
        String models = Files.readString(Path.of("docs/models.md"));

        assertThat(ModelLoader.supported()).isNotEmpty().allSatisfy(name -> assertThat(models).contains('`' + name + '`'));
    }

    @Test
    void linksLeadToFiles() throws IOException {
        List<Path> pages;
        try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
            pages = Stream.concat(Stream.of(Path.of("README.md")), docs.filter(page -> page.toString().endsWith(".md"))).toList();
        }
        for (Path page : pages) {
            String text = Files.readString(page);
            for (int at = text.indexOf("]("); at >= 0; at = text.indexOf("](", at + 2)) {
                String target = text.substring(at + 2, text.indexOf(')', at));
                if (!target.contains("://") && !target.startsWith("#")) {
                    int anchor = target.indexOf('#');
                    Path linked = page.resolveSibling(anchor < 0 ? target : target.substring(0, anchor));
                    assertThat(linked).as("link of %s", page).exists();
                    if (anchor >= 0) {
                        assertThat(anchors(linked)).as("headings of %s, linked by %s", linked, page).contains(target.substring(anchor + 1));
                    }
                }
            }
        }
    }

    /** Headings as links name them: lower case, dashes for blanks, without punctuation. */
    private static List<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream().filter(line -> line.startsWith("#"))
                .map(line -> line.substring(line.indexOf(' ') + 1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ',
                        '-'))
                .toList();
    }

    @Test
    void everyWordOfTheGlossaryIsThere() throws IOException {
        String architecture = Files.readString(Path.of("docs/architecture.md"));

        assertThat(List.of("expert", "slot", "arena", "ring", "key", "step", "row", "commit", "rollback", "checkpoint", "prefix", "draft",
                "page",
                "plane", "wave")).allSatisfy(word -> assertThat(architecture).contains("| **" + word + "** |"));
    }
}
