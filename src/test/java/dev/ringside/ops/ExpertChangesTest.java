package dev.ringside.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** {@code POST /actuator/experts} on a model of 32 experts in slots of 4,096 bytes, of which at least 8 are needed. */
class ExpertChangesTest {

    private final SampleViews sample = new SampleViews();
    private final ExpertChanges changes = new ExpertChanges(sample.views().experts(), sample.experts);

    private String refusal(int status, @Nullable String operation, @Nullable String slots, @Nullable String size) {
        WebEndpointResponse<Object> answer = changes.change(operation, slots, size);
        assertThat(answer.getStatus()).isEqualTo(status);
        assertThat(answer.getBody()).isInstanceOf(ExpertChanges.Refused.class);
        return answer.getBody() instanceof ExpertChanges.Refused refused ? refused.error() : "";
    }

    @ParameterizedTest
    @CsvSource({"8,,8", "32,,32", ",50%,16", ",64KB,16", ",81920,20", ",8GB,32"})
    void resizeTakesSlotsOrASize(@Nullable String slots, @Nullable String size, int expected) {
        assertThat(changes.change("resize", slots, size).getStatus()).isEqualTo(200);

        assertThat(sample.experts.sizes).containsExactly(expected);
    }

    @Test
    void resizeAnswersWithWhatIsInForce() {
        assertThat(changes.change("resize", "16", null).getBody()).isEqualTo(new ExpertChanges.Resized("resize", 16, 65_536, 21));
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "0", "-1", "33", "many", "", "99999999999999999999", "1.5"})
    void slotsOutsideTheRangeAreRefusedWithIt(String slots) {
        assertThat(refusal(400, "resize", slots, null)).contains("found").contains("from 8 to 32");

        assertThat(sample.experts.sizes).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "0%", "101%", "10%", "4096", "8XB", "-5GB", ""})
    void sizesOutsideTheRangeAreRefusedWithIt(String size) {
        assertThat(refusal(400, "resize", null, size)).contains("found '" + size + "'").contains("from 32768 bytes");

        assertThat(sample.experts.sizes).isEmpty();
    }

    @Test
    void resizeNeedsOneOfSlotsAndSize() {
        assertThat(refusal(400, "resize", null, null)).contains("either slots or size");
        assertThat(refusal(400, "resize", "16", "50%")).contains("either slots or size");
    }

    @Test
    void unknownOperationsAreRefusedWithTheKnownOnes() {
        assertThat(refusal(400, "flush", null, null)).contains("'flush'").contains("resize, trim or save-hot-list");
        assertThat(refusal(400, null, null, null)).contains("missing").contains("resize, trim or save-hot-list");
    }

    @Test
    void trimGoesDownToTheFewestSlots() {
        assertThat(changes.change("trim", null, null).getBody()).isEqualTo(new ExpertChanges.Resized("trim", 8, 32_768, 21));
    }

    @Test
    void hotListIsSavedToTheConfiguredFile() {
        assertThat(changes.change("save-hot-list", null, null).getBody())
                .isEqualTo(new ExpertChanges.Saved("save-hot-list", 19, "hot.txt"));
        sample.experts.file = null;
        assertThat(refusal(400, "save-hot-list", null, null)).contains("ringside.experts.hot-list-file");
    }

    @Test
    void memoryThatCannotBeHadIsAConflict() {
        sample.experts.failure = new IllegalStateException("no memory");
        assertThat(refusal(409, "resize", "16", null)).contains("Nothing was changed").contains("no memory");
    }

    @Test
    void modelWithoutExpertsHasNothingToChange() {
        sample.experts.minimum = 0;
        assertThat(refusal(400, "trim", null, null)).contains("no routed experts");
    }
}
