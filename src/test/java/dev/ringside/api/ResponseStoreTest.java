package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ResponseStoreTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final ResponseStore store = new ResponseStore(new ResponseStoreSettings(100, Duration.ofNanos(50)), now::get);

    @Test
    void whatIsUnusedLongestGoesFirst() {
        store.put(response("a", null, 40));
        store.put(response("b", null, 40));
        assertThat(store.find("a", null)).isNotNull();

        store.put(response("c", null, 40));

        assertThat(store.find("b", null)).isNull();
        assertThat(store.find("a", null)).isNotNull();
        assertThat(store.bytes()).isEqualTo(80);
    }

    @Test
    void whatIsLargerThanTheBoundIsNotKept() {
        store.put(response("a", null, 40));
        store.put(response("b", null, 101));

        assertThat(store.find("b", null)).isNull();
        assertThat(store.find("a", null)).isNotNull();
    }

    @Test
    void timeRunsOutUnlessItIsUsed() {
        store.put(response("a", null, 10));
        store.put(response("b", null, 10));
        now.addAndGet(30);
        assertThat(store.find("a", null)).isNotNull();
        now.addAndGet(30);

        assertThat(store.find("b", null)).isNull();
        assertThat(store.find("a", null)).isNotNull();
        assertThat(store.size()).isOne();
    }

    @Test
    void everyKeyHasItsOwn() {
        store.put(response("a", "alice", 10));

        assertThat(store.find("a", null)).isNull();
        assertThat(store.find("a", "bob")).isNull();
        assertThat(store.findByItem("item-a", "bob")).isNull();
        assertThat(store.remove("a", "bob")).isFalse();
        assertThat(store.findByItem("item-a", "alice")).isNotNull();
    }

    @Test
    void nothingOfARemovedResponseIsLeft() {
        store.put(response("a", null, 10));

        assertThat(store.remove("a", null)).isTrue();
        assertThat(store.bytes()).isZero();
        assertThat(store.findByItem("item-a", null)).isNull();
    }

    @Test
    void puttingAgainReplaces() {
        store.put(response("a", null, 10));
        store.put(response("a", null, 20));

        assertThat(store.bytes()).isEqualTo(20);
        assertThat(store.size()).isOne();
    }

    @Test
    void withoutMemoryNothingIsKept() {
        ResponseStore none = new ResponseStore(new ResponseStoreSettings(0, Duration.ofHours(1)), now::get);

        none.put(response("a", null, 1));

        assertThat(none.enabled()).isFalse();
        assertThat(none.size()).isZero();
    }

    private static StoredResponse response(String id, String keyName, int bytes) {
        return new StoredResponse(id, keyName, List.of(new byte[0]), List.of("item-" + id), new byte[0], new byte[bytes]);
    }
}
