package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of fields in the documentation are those of the code. */
class DocumentedFieldsTest {

    @Test
    void everyFieldOfChatCompletionsIsDocumented() throws IOException {
        assertThat(rows("## Chat")).isEqualTo(ChatFields.ALL.stream().map(RequestField::row).toList());
    }

    @Test
    void everyFieldOfTextCompletionsIsDocumented() throws IOException {
        assertThat(rows("## Text")).isEqualTo(CompletionFields.ALL.stream().map(RequestField::row).toList());
    }

    @Test
    void noFieldIsListedTwice() {
        assertThat(ChatFields.ALL.stream().map(RequestField::name)).doesNotHaveDuplicates();
        assertThat(CompletionFields.ALL.stream().map(RequestField::name)).doesNotHaveDuplicates();
    }

    /** Rows of the first table behind a heading. */
    private static List<String> rows(String heading) throws IOException {
        return Files.readAllLines(Path.of("docs/api.md")).stream().dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("| ---")).skip(1).takeWhile(line -> line.startsWith("|")).toList();
    }
}
