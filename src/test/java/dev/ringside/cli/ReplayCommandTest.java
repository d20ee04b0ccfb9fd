package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    void aLongReplayShowsItsProgressOnStandardError() {
        assertThat(run("replay", TRACE, "--slots", "64,72,80,96,128,160,192", "--policy", "lru", "--json")).isZero();

        assertThat(err.toString()).contains("Replaying: 50 %").contains("Replaying: 100 %");
        assertThat(JsonMapper.shared().readTree(out.toString())).hasSize(7);
    }

    @Test
    void aShortReplayShowsNone() {
        assertThat(run("replay", TRACE, "--slots", "64", "--policy", "lru")).isZero();

        assertThat(err.toString()).isEmpty();
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

    @Test
    void drawsALineForEachPolicy(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("misses.png");
        assertThat(run("replay", TRACE, "--slots", "64,128,192", "--policy", "lru,belady", "--plot", file.toString())).isZero();

        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(MissPlot.WIDTH);
        assertThat(image.getHeight()).isEqualTo(MissPlot.HEIGHT);
        assertThat(pixels(image, MissPlot.colour(0).getRGB())).isGreaterThan(500);
        assertThat(pixels(image, MissPlot.colour(1).getRGB())).isGreaterThan(500);
        assertThat(pixels(image, MissPlot.colour(2).getRGB())).isZero();
    }

    @Test
    void aPlotThatCannotBeWrittenIsNamed(@TempDir Path directory) {
        String file = directory.resolve("no/such/place.png").toString();
        assertThat(run("replay", TRACE, "--slots", "64", "--policy", "lru", "--plot", file)).isEqualTo(1);

        assertThat(err.toString()).contains("--plot").contains(file);
    }

    private static int pixels(BufferedImage image, int colour) {
        int count = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                count += image.getRGB(x, y) == colour ? 1 : 0;
            }
        }
        return count;
    }

    private int run(String... args) {
        return RingsideCommand.execute(args, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
