package dev.ringside.api;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Keeps answers within bounds of bytes and time; those unused longest go first. Thread safe. */
final class ResponseStore {

    private final long maxBytes;
    private final long ttlNanos;
    private final LongSupplier clock;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, Key> items = new HashMap<>();
    private long bytes;

    /** Names mean something only together with who uses them. */
    private record Key(String id, @Nullable String owner) {}

    private static final class Entry {

        private final StoredResponse response;
        private long usedAt;

        Entry(StoredResponse response, long usedAt) {
            this.response = response;
            this.usedAt = usedAt;
        }
    }

    /** @param clock nanoseconds that only grow */
    ResponseStore(ResponseStoreSettings settings, LongSupplier clock) {
        this.maxBytes = settings.maxBytes();
        this.ttlNanos = settings.ttl().toNanos();
        this.clock = clock;
    }

    /** Whether anything is ever kept. */
    boolean enabled() {
        return maxBytes > 0;
    }

    /** Keeps an answer; one that alone is larger than the bound is dropped. */
    synchronized void put(StoredResponse response) {
        dropExpired();
        if (response.bytes() > maxBytes) {
            return;
        }
        remove(response.id(), response.keyName());
        bytes += response.bytes();
        Key key = new Key(response.id(), response.keyName());
        entries.put(key, new Entry(response, clock.getAsLong()));
        for (String item : response.items()) {
            items.put(new Key(item, response.keyName()), key);
        }
        Iterator<Entry> oldest = entries.values().iterator();
        while (bytes > maxBytes) {
            forget(oldest.next().response);
            oldest.remove();
        }
    }

    /** An answer given to the holder of this key, or null; it counts as used. */
    synchronized @Nullable StoredResponse find(String id, @Nullable String keyName) {
        dropExpired();
        Entry entry = entries.get(new Key(id, keyName));
        if (entry == null) {
            return null;
        }
        entry.usedAt = clock.getAsLong();
        return entry.response;
    }

    /** The answer that one of its items belongs to, or null. */
    synchronized @Nullable StoredResponse findByItem(String itemId, @Nullable String keyName) {
        Key response = items.get(new Key(itemId, keyName));
        return response == null ? null : find(response.id(), keyName);
    }

    /** False when the holder of this key has no such answer. */
    synchronized boolean remove(String id, @Nullable String keyName) {
        dropExpired();
        Entry entry = entries.remove(new Key(id, keyName));
        if (entry == null) {
            return false;
        }
        forget(entry.response);
        return true;
    }

    synchronized int size() {
        return entries.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    // In order of use, so that the first one young enough ends the search.
    private void dropExpired() {
        long now = clock.getAsLong();
        Iterator<Entry> oldest = entries.values().iterator();
        while (oldest.hasNext()) {
            Entry entry = oldest.next();
            if (now - entry.usedAt < ttlNanos) {
                return;
            }
            forget(entry.response);
            oldest.remove();
        }
    }

    private void forget(StoredResponse response) {
        bytes -= response.bytes();
        for (String item : response.items()) {
            items.remove(new Key(item, response.keyName()));
        }
    }
}
