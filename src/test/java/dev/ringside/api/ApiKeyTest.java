package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiKeyTest {

    /** What {@code printf %s sesame | sha256sum} prints. */
    private static final String SESAME = "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272";

    @Test
    void aKeyIsKnownByItsHash() {
        ApiKey key = ApiKey.parseAll(List.of("alice=sha256:" + SESAME)).getFirst();

        assertThat(key.name()).isEqualTo("alice");
        assertThat(key.plain()).isFalse();
        assertThat(key.matches(ApiKey.digest("sesame"))).isTrue();
        assertThat(key.matches(ApiKey.digest("Sesame"))).isFalse();
    }

    @Test
    void keysWithoutANameAreNumbered() {
        assertThat(ApiKey.parseAll(List.of("plain", "sha256:" + SESAME.toUpperCase(java.util.Locale.ROOT), "bob=sha256:" + SESAME)))
                .extracting(ApiKey::name).containsExactly("key-1", "key-2", "bob");
    }

    @Test
    void aPlainKeyMayHoldAnything() {
        ApiKey key = ApiKey.parseAll(List.of("a=b:c")).getFirst();

        assertThat(key.plain()).isTrue();
        assertThat(key.matches(ApiKey.digest("a=b:c"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"sha256:abcd|64 hexadecimal", "x=sha256:|64 hexadecimal",
        "sha256:zz000000000000000000000000000000000000000000000000000000000000zz|64 hexadecimal",
        "my key=sha256:00|letters, digits", "=sha256:00|letters, digits", "' '|blank"})
    void whatIsNoKeyIsRefusedWithoutShowingIt(String setting, String expected) {
        assertThatThrownBy(() -> ApiKey.parseAll(List.of(setting))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(expected).hasMessageContaining("number 1").hasMessageNotContaining("zz0");
    }

    @Test
    void twoKeysOfOneNameAreRefused() {
        assertThatThrownBy(() -> ApiKey.parseAll(List.of("a=sha256:" + SESAME, "a=sha256:" + SESAME)))
                .hasMessageContaining("'a' is there twice");
    }

    @Test
    void aKeyNeverShows() {
        assertThat(ApiKey.parseAll(List.of("sesame"))).hasToString("[key-1]");
    }

    @Test
    void adminsAreKeysByName() {
        List<ApiKey> keys = ApiKey.parseAll(List.of("alice=sha256:" + SESAME, "bob=sha256:" + SESAME), List.of("bob"));

        assertThat(keys).extracting(ApiKey::admin).containsExactly(false, true);
    }

    @Test
    void anAdminWithoutAKeyIsRefused() {
        assertThatThrownBy(() -> ApiKey.parseAll(List.of("alice=sha256:" + SESAME), List.of("carol")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'carol'");
    }
}
