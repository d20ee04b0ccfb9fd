package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeTest {

    private final ByteSize sizes = new ByteSize();

    @Test
    void units_are_multiples_of_1024() {
        assertThat(sizes.convert("24GB")).isEqualTo(24L << 30);
        assertThat(sizes.convert("1.5 GiB")).isEqualTo(3L << 29);
        assertThat(sizes.convert("512m")).isEqualTo(512L << 20);
        assertThat(sizes.convert("4096")).isEqualTo(4096);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GB", "-1GB", "0", "12XB", "1.2.3GB", "999999999999TB"})
    void other_texts_are_refused(String text) {
        assertThatThrownBy(() -> sizes.convert(text)).isInstanceOf(TypeConversionException.class).hasMessageContaining("24GB");
    }

    @Test
    void sizes_are_shown_with_few_digits() {
        assertThat(ByteSize.text(512)).isEqualTo("512 B");
        assertThat(ByteSize.text(3L << 29)).isEqualTo("1.50 GiB");
        assertThat(ByteSize.text(800L << 20)).isEqualTo("800 MiB");
        assertThat(ByteSize.count(30_500_000_000L)).isEqualTo("30.50 B");
    }
}
