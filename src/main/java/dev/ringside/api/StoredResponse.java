package dev.ringside.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A finished answer, kept for those that read or continue it.
 *
 * @param keyName name of the API key that asked; nobody else sees it
 * @param conversation items of the conversation up to and with this answer, a JSON array for each turn; turns are shared between answers
 * @param items ids of the items that the answer added
 * @param input items of the request, a JSON array
 * @param body the answer as it was sent
 */
@SuppressWarnings("ArrayRecordComponent") // JSON text, never compared
record StoredResponse(String id, @Nullable String keyName, List<byte[]> conversation, List<String> items, byte[] input, byte[] body) {

    StoredResponse {
        conversation = List.copyOf(conversation);
        items = List.copyOf(items);
    }

    /** Turns that are shared count for each, so that what is really used is never more. */
    long bytes() {
        long bytes = (long) input.length + body.length;
        for (byte[] turn : conversation) {
            bytes += turn.length;
        }
        return bytes;
    }
}
