package dev.ringside.api;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events that carry their type as the event's name, as the younger streaming interfaces have them. */
final class NamedEvents {

    private static final byte[] NAME = "event: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DATA = "\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_EVENT = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final @Nullable JsonBody json;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** @param json null when nobody listens: what is written is dropped */
    NamedEvents(@Nullable JsonBody json) {
        this.json = json;
    }

    void event(String name, Object body) {
        if (json == null) {
            return;
        }
        out.writeBytes(NAME);
        out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(DATA);
        out.writeBytes(json.write(body));
        out.writeBytes(END_OF_EVENT);
    }

    void comment(String text) {
        out.writeBytes((": " + text).getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(END_OF_EVENT);
    }

    boolean isEmpty() {
        return out.size() == 0;
    }

    /** What has been written since the last call. */
    byte[] take() {
        byte[] bytes = out.toByteArray();
        out.reset();
        return bytes;
    }
}
