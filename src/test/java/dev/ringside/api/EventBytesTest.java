package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.chat.AssistantPart;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text written without a JSON library is what the library would have written. */
class EventBytesTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 7);

    private final JsonBody json = new JsonBody(1 << 20);

    @Test
    void everyCharacterIsWrittenAsJacksonDoes() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c += c < 0x3000 ? 1 : 97) {
            if (c > 0xFFFF || !Character.isSurrogate((char) c)) {
                assertSame(Character.toString(c));
            }
        }
    }

    @Test
    void randomTextsAreWrittenAsJacksonDoes() {
        Random random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            int[] points = random.ints(random.nextInt(200), 0, random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1)
                    .filter(c -> c > 0xFFFF || !Character.isSurrogate((char) c)).toArray();
            assertSame(new String(points, 0, points.length));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "a\udc00", "\ud800\ud800", "x\ud83d"})
    void halfASurrogatePairIsNotWritten(String text) {
        EventBytes bytes = new EventBytes();
        bytes.writeAscii("kept");

        assertThat(bytes.writeJsonText(text)).isFalse();
        assertThat(new String(bytes.take(), StandardCharsets.US_ASCII)).isEqualTo("kept");
    }

    @Test
    void chunksFromATemplateAreThoseOfTheWriter() {
        AnswerHead head = new AnswerHead("chatcmpl-0", 1, "0", "01", true, "flex", 1);
        for (AnswerFormat format : List.of(new ChatFormat(head, null), new TextFormat(head, List.of("", ""), null))) {
            for (AssistantPart part : List.of(new AssistantPart.Content("0"), new AssistantPart.Content("1\n\"\u00e9\""),
                    new AssistantPart.Reasoning("why"), new AssistantPart.ToolCallArguments(1, "{\"a\":1}"),
                    new AssistantPart.ToolCallArguments(0, "x"))) {
                if (format instanceof TextFormat && !(part instanceof AssistantPart.Content)) {
                    continue;
                }
                EventBytes bytes = new EventBytes();
                DeltaTemplates templates = new DeltaTemplates(other -> json.write(format.delta(1, other, List.of())));

                assertThat(templates.write(part, bytes)).isTrue();
                assertThat(bytes.take()).isEqualTo(json.write(format.delta(1, part, List.of())));
            }
        }
    }

    private void assertSame(String text) {
        EventBytes bytes = new EventBytes();
        bytes.writeAscii("\"");
        assertThat(bytes.writeJsonText(text)).isTrue();
        bytes.writeAscii("\"");
        assertThat(bytes.take()).as("seed %d: %s", SEED, text).isEqualTo(json.write(text));
    }
}
