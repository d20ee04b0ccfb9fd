package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.model.ForwardObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs synthetic models and counts which experts their routers choose. */
class RoutingPopularityTest {

    private static final int VOCABULARY = 1024;

    @TempDir
    Path directory;

    @Test
    void with_zipf_routing_experts_are_as_popular_as_the_law_says() throws IOException {
        double[] expected = Routing.parse("zipf:1.0").shares(32, 8);
        double[][] measured = popularity("zipf:1.0");
        for (double[] layer : measured) {
            assertThat(layer[0]).isCloseTo(expected[0], Offset.offset(0.1));
            assertThat(slope(layer)).as("slope of log share over log rank").isBetween(slope(expected) - 0.3, slope(expected) + 0.3);
            for (int rank = 0; rank < 8; rank++) {
                assertThat(layer[rank] / expected[rank]).as("share of rank %s", rank + 1).isBetween(0.65, 1.5);
            }
        }
    }

    @Test
    void with_uniform_routing_all_experts_are_about_as_popular() throws IOException {
        for (double[] layer : popularity("uniform")) {
            assertThat(layer[0]).isLessThan(8.0 / 32 * 1.5);
            assertThat(layer[31]).isGreaterThan(8.0 / 32 / 1.6);
        }
    }

    /** Share of tokens that ask for each expert, most popular first, in each of two layers. */
    private double[][] popularity(String routing) throws IOException {
        int rows = 320;
        Path file = directory.resolve("model.gguf");
        ModelShape shape = ModelShape.all().getFirst().withLayers(2).withExperts(32).withTables(VOCABULARY, 0);
        new Synthesizer(shape, QuantMix.parse("q4_k"), Routing.parse(routing), 1).write(file, written -> {
        });
        double[][] shares = new double[2][32];
        try (BenchSession session = new BenchSession(file, 2, rows, 1, rows, ExpertOptions.defaults(1, 1))) {
            session.loaded().model().observe(new ForwardObserver() {
                @Override
                public void routed(int layer, RoutingTable table, int count) {
                    for (int row = 0; row < count; row++) {
                        for (int choice = 0; choice < table.choices(); choice++) {
                            shares[layer][table.expert(row, choice)] += 1.0 / rows;
                        }
                    }
                }
            });
            session.prefill(0, new SplittableRandom(11).ints(rows, 0, VOCABULARY).toArray(), rows, rows);
        }
        for (double[] layer : shares) {
            Arrays.sort(layer);
            for (int i = 0; i < 16; i++) {
                double other = layer[i];
                layer[i] = layer[31 - i];
                layer[31 - i] = other;
            }
        }
        return shares;
    }

    /** Least squares over the ranks that are neither capped nor rare. */
    private static double slope(double[] shares) {
        double n = 0;
        double sx = 0;
        double sy = 0;
        double sxx = 0;
        double sxy = 0;
        for (int rank = 2; rank < 24; rank++) {
            double x = Math.log(rank + 1);
            double y = Math.log(shares[rank]);
            n++;
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
        return (n * sxy - sx * sy) / (n * sxx - sx * sx);
    }
}
