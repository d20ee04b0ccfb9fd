package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReplayCommandTest {

    private static final String TRACE = "src/test/resources/demo/routing-trace.txt.gz";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void printsTheMissesOfEachPolicyForEachSize() {
        assertThat(run("replay", TRACE, "--slots", "64,128", "--policy", "lru,belady")).isZero();

        assertThat(out.toString()).contains("2048 steps, 256 different experts").contains("lru", "belady").contains("20.86", "12.50");
    }

    @Test
    void printsTheSameAsJson() {
        assertThat(run("replay", TRACE, "--slots", "64", "--policy", "lru", "--json")).isZero();

        JsonNode result = JsonMapper.shared().readTree(out.toString()).get(0);
        assertThat(result.get("policy").asString()).isEqualTo("lru");
        assertThat(result.get("slots").asInt()).isEqualTo(64);
        assertThat(result.get("misses").asLong()).isPositive();
    }

    @Test
    void anUnknownPolicyIsWrongUsage() {
        assertThat(run("replay", TRACE, "--slots", "64", "--policy", "guess")).isEqualTo(2);

        assertThat(err.toString()).contains("guess");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(run("replay", "no-such-trace.txt", "--slots", "64")).isEqualTo(1);

        assertThat(err.toString()).contains("no-such-trace.txt");
    }

    private int run(String... args) {
        return RingsideCommand.execute(args, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
