package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DialectDocumentationTest {

    @Test
    void everyFieldOfResponsesIsInTheTable() throws IOException {
        assertThat(lines()).containsSubsequence(ResponseFields.ALL.stream().map(RequestField::row).toList());
    }

    @Test
    void everyFieldOfMessagesIsInTheTable() throws IOException {
        assertThat(lines()).containsSubsequence(MessageFields.ALL.stream().map(RequestField::row).toList());
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(Path.of("docs/api.md"));
    }
}
