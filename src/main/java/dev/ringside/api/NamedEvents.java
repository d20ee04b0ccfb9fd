package dev.ringside.api;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events that carry their type as the event's name, as the younger streaming interfaces have them. */
final class NamedEvents {

    private static final byte[] NAME = "event: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DATA = "\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_EVENT = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final @Nullable JsonBody json;
    private final EventBytes out = new EventBytes();

    /** @param json null when nobody listens: what is written is dropped */
    NamedEvents(@Nullable JsonBody json) {
        this.json = json;
    }

    void event(String name, Object body) {
        if (json == null) {
            return;
        }
        out.write(NAME);
        out.writeAscii(name);
        out.write(DATA);
        out.write(json.write(body));
        out.write(END_OF_EVENT);
    }

    void comment(String text) {
        out.writeAscii(": " + text);
        out.write(END_OF_EVENT);
    }

    boolean isEmpty() {
        return out.isEmpty();
    }

    /** What has been written since the last call. */
    byte[] take() {
        return out.take();
    }
}
