package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GgmlTypeTest {

    @ParameterizedTest
    @EnumSource
    void isFoundByItsId(GgmlType type) {
        assertThat(GgmlType.find(type.id())).isSameAs(type);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, 5, 9, 31, 34, 35, 41, 42, 97, 133, 202, Integer.MAX_VALUE})
    void removedAndForeignIdsAreUnknown(int id) {
        assertThat(GgmlType.find(id)).isNull();
    }

    @Test
    void sizesAreBytesOfWholeBlocks() {
        assertThat(GgmlType.Q4_K.rowBytes(2048)).isEqualTo(1152);
        assertThat(GgmlType.F32.byteSize(3)).isEqualTo(12);
        assertThat(GgmlType.IQ4_NL.byteSize(320_001_536L * 160)).isEqualTo(28_800_138_240L);
    }

    @Test
    void refusesRowsThatAreNotWholeBlocks() {
        assertThatThrownBy(() -> GgmlType.Q4_K.rowBytes(640)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("256")
                .hasMessageContaining("640");
    }

    @Test
    void refusesSizesAboveTheRangeOfLong() {
        assertThatThrownBy(() -> GgmlType.F32.byteSize(Long.MAX_VALUE)).isInstanceOf(ArithmeticException.class);
    }
}
