package dev.ringside.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reading of reference vectors, and where test models lie. */
public final class Reference {

    private Reference() {}

    /** A committed test resource. */
    public static Path resource(String name) {
        Path path = Path.of("src/test/resources", name);
        return Files.exists(path) ? path : Path.of("src/main/resources", name);
    }

    /** A file of the large test data; the test is skipped where there is none. */
    public static Path testData(String name) {
        String directory = System.getenv("RINGSIDE_TESTDATA");
        Assumptions.assumeTrue(directory != null, "RINGSIDE_TESTDATA names no directory of test data");
        Path path = Path.of(directory, name);
        Assumptions.assumeTrue(Files.exists(path), path + " is not there");
        return path;
    }

    public static Path demoModel() {
        return resource("models/ringside-demo.gguf");
    }

    public static JsonNode json(Path path) {
        try (InputStream file = Files.newInputStream(path);
                InputStream text = path.toString().endsWith(".gz") ? new GZIPInputStream(file) : file) {
            return JsonMapper.shared().readTree(text);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    public static int[] ints(JsonNode array) {
        int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asInt();
        }
        return values;
    }

    public static float[] floats(JsonNode array) {
        float[] values = new float[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) array.get(i).asDouble();
        }
        return values;
    }

    /** Largest absolute difference, infinite when one is NaN. */
    public static double maxDifference(float[] found, float[] expected) {
        double largest = found.length == expected.length ? 0 : Double.POSITIVE_INFINITY;
        for (int i = 0; i < Math.min(found.length, expected.length); i++) {
            double difference = Math.abs((double) found[i] - expected[i]);
            largest = Math.max(largest, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
        }
        return largest;
    }
}
