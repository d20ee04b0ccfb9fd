package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StopMatcherTest {

    @Test
    void textPassesUnchangedWithoutStops() {
        String text = "as it is";

        assertThat(new StopMatcher(List.of()).append(text)).isSameAs(text);
    }

    @Test
    void textThatCannotBeginAStopIsReleasedAtOnce() {
        assertThat(new StopMatcher(List.of("END")).append("hello ")).isEqualTo("hello ");
    }

    @Test
    void aStopOverTwoTokensIsFoundAndNothingOfItIsReleased() {
        StopMatcher matcher = new StopMatcher(List.of("beta gamma"));

        assertThat(matcher.append("alpha beta")).isEqualTo("alpha ");
        assertThat(matcher.append(" gamma delta")).isEmpty();
        assertThat(matcher.found()).isTrue();
        assertThat(matcher.flush()).isEmpty();
    }

    @Test
    void aBeginningThatGoesOnOtherwiseIsReleased() {
        StopMatcher matcher = new StopMatcher(List.of("beta gamma"));
        matcher.append("beta");

        assertThat(matcher.append(" blocker")).isEqualTo("beta blocker");
    }

    @Test
    void theTailIsReleasedAtTheEnd() {
        StopMatcher matcher = new StopMatcher(List.of("beta gamma"));

        assertThat(matcher.append("alpha beta ga")).isEqualTo("alpha ");
        assertThat(matcher.flush()).isEqualTo("beta ga");
    }

    @Test
    void onlyThePartThatCanStillMatchStaysHeld() {
        StopMatcher matcher = new StopMatcher(List.of("aab"));

        assertThat(matcher.append("a")).isEmpty();
        assertThat(matcher.append("a")).isEmpty();
        assertThat(matcher.append("a")).isEqualTo("a");
        assertThat(matcher.append("b!")).isEmpty();
        assertThat(matcher.found()).isTrue();
    }

    @Test
    void theStopThatEndsFirstWins() {
        StopMatcher matcher = new StopMatcher(List.of("two three", "ne t"));

        assertThat(matcher.append("one two three")).isEqualTo("o");
    }

    @Test
    void theLongestOfThoseThatEndTogetherWins() {
        StopMatcher matcher = new StopMatcher(List.of("b", "aab"));

        assertThat(matcher.append("xaa")).isEqualTo("x");
        assertThat(matcher.append("b")).isEmpty();
        assertThat(matcher.found()).isTrue();
    }

    @Test
    void stopsMayHoldCharactersBeyondTheBasicPlane() {
        StopMatcher matcher = new StopMatcher(List.of("👩‍👩"));

        assertThat(matcher.append("日本👩")).isEqualTo("日本");
        assertThat(matcher.append("‍👧")).isEqualTo("👩‍👧");
        assertThat(matcher.append("👩‍👩‍👦")).isEmpty();
        assertThat(matcher.found()).isTrue();
    }

    @Test
    void aCharacterThatSharesItsFirstHalfWithAStopIsReleasedWhole() {
        StopMatcher matcher = new StopMatcher(List.of("😀"));

        assertThat(matcher.append("😁")).isEqualTo("😁");
    }

    @Test
    void nothingIsReleasedBehindAMatch() {
        StopMatcher matcher = new StopMatcher(List.of("x"));
        matcher.append("x");

        assertThat(matcher.append("more")).isEmpty();
    }

    @Test
    void emptyStopsAreRefused() {
        assertThatThrownBy(() -> new StopMatcher(List.of("a", ""))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hundredsOfThousandsOfAlmostMatchesTakeLinearTime() {
        String stop = "a".repeat(5000) + "b";
        StopMatcher matcher = new StopMatcher(List.of(stop, "a".repeat(4999) + "c"));
        int released = 0;
        for (int i = 0; i < 400; i++) {
            released += matcher.append("a".repeat(1000)).length();
        }

        assertThat(released).isEqualTo(400_000 - 5000);
    }

    @Test
    void anyCutOfTheTextGivesWhatASearchInTheWholeTextGives() {
        long seed = Long.getLong("ringside.test.seed", 77);
        Random random = new Random(seed);
        for (int round = 0; round < 3000; round++) {
            String text = randomText(random, 30);
            List<String> stops = new ArrayList<>();
            for (int i = 0, count = 1 + random.nextInt(3); i < count; i++) {
                stops.add(randomText(random, 4) + (char) ('a' + random.nextInt(3)));
            }
            StopMatcher matcher = new StopMatcher(stops);
            StringBuilder released = new StringBuilder();
            for (int at = 0; at < text.length();) {
                int end = Math.min(text.length(), at + 1 + random.nextInt(5));
                released.append(matcher.append(text.substring(at, end)));
                at = end;
            }
            released.append(matcher.flush());

            assertThat(released.toString()).as("seed %d round %d: %s in %s", seed, round, stops, text).isEqualTo(cut(text, stops));
        }
    }

    @Test
    void theStopStringThatWasFoundIsNamed() {
        StopMatcher matcher = new StopMatcher(List.of("gamma", "beta gamma", "end"));

        matcher.append("alpha be");
        assertThat(matcher.match()).isNull();
        matcher.append("ta gamma, the end");

        assertThat(matcher.match()).as("the longest of those that end first").isEqualTo("beta gamma");
    }

    private static String randomText(Random random, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = 0, length = random.nextInt(most); i < length; i++) {
            text.append((char) ('a' + random.nextInt(3)));
        }
        return text.toString();
    }

    private static String cut(String text, List<String> stops) {
        for (int end = 1; end <= text.length(); end++) {
            String head = text.substring(0, end);
            int longest = stops.stream().filter(head::endsWith).mapToInt(String::length).max().orElse(0);
            if (longest > 0) {
                return head.substring(0, end - longest);
            }
        }
        return text;
    }
}
