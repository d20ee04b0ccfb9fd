package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepRowsTest {

    private final StepRows rows = new StepRows(16);

    private void segment(int count, boolean logitsOfTheLast) {
        rows.beginSegment(new long[0], 0);
        for (int i = 0; i < count; i++) {
            rows.addRow(1, i, 0, logitsOfTheLast && i == count - 1);
        }
    }

    @Test
    void allRowsDecodeUnlessPromptsBegin() {
        segment(2, true);
        segment(1, true);
        assertThat(rows.decodeRows()).isEqualTo(3);
        assertThat(rows.decodeSegments()).isEqualTo(2);
        assertThat(rows.decodeLogitRows()).isEqualTo(2);
    }

    @Test
    void rowsBehindTheBeginningOfPromptsAreThoseOfPrompts() {
        segment(2, true);
        rows.beginPrompts();
        segment(4, false);
        rows.beginPrompts();
        segment(3, true);
        assertThat(rows.rows()).isEqualTo(9);
        assertThat(rows.decodeRows()).isEqualTo(2);
        assertThat(rows.decodeSegments()).isEqualTo(1);
        assertThat(rows.decodeLogitRows()).isEqualTo(1);
    }

    @Test
    void aClearedStepHasNoPrompts() {
        rows.beginPrompts();
        segment(2, true);
        rows.clear();
        segment(3, false);
        assertThat(rows.decodeRows()).isEqualTo(3);
        assertThat(rows.decodeSegments()).isEqualTo(1);
        assertThat(rows.decodeLogitRows()).isZero();
    }
}
