package dev.ringside.expert;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.StringTokenizer;
import java.util.zip.GZIPInputStream;

/**
 * Which experts were asked for, gather by gather in the order of a decoded stream of tokens. Read from a file that
 * {@code ringside.experts.trace-file} wrote, or from a routing log with lines {@code layer token expert expert ...}; either may be
 * gzipped.
 */
public record RoutingTrace(List<Gather> gathers) {

    /**
     * The distinct experts of one layer in one step.
     *
     * @param experts ids, at least one
     */
    public record Gather(int layer, List<Integer> experts) {

        public Gather {
            experts = List.copyOf(experts);
        }
    }

    private record Line(long token, int number, Gather gather) {}

    /** Columns before the experts in what {@link FetchTrace} writes, the layer being the second one. */
    private static final int TRACE_COLUMNS = 6;

    public RoutingTrace {
        gathers = List.copyOf(gathers);
    }

    /**
     * Reads a trace.
     *
     * @throws IllegalArgumentException naming file, line and what was expected
     */
    public static RoutingTrace read(Path file) throws IOException {
        boolean zipped = file.toString().endsWith(".gz");
        try (InputStream bytes = Files.newInputStream(file);
                InputStream plain = zipped ? new GZIPInputStream(bytes) : bytes;
                BufferedReader reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
            return read(reader, file.toString());
        }
    }

    /**
     * Reads a trace.
     *
     * @param name of the trace in errors
     */
    public static RoutingTrace read(BufferedReader reader, String name) throws IOException {
        List<Line> lines = new ArrayList<>();
        boolean written = false;
        int number = 0;
        String text;
        while ((text = reader.readLine()) != null) {
            number++;
            written |= text.equals(FetchTrace.HEADER);
            if (!text.isBlank() && !text.startsWith("#")) {
                lines.add(line(text, written, name, number));
            }
        }
        if (lines.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no gathers: expected lines of numbers, the layer, the token and the experts");
        }
        if (!written) {
            // Logs go layer by layer; tokens go through all layers.
            lines.sort(
                    Comparator.comparingLong(Line::token).thenComparingInt(each -> each.gather().layer()).thenComparingInt(Line::number));
        }
        return new RoutingTrace(lines.stream().map(Line::gather).toList());
    }

    private static Line line(String text, boolean written, String name, int number) {
        StringTokenizer words = new StringTokenizer(text);
        int before = written ? TRACE_COLUMNS : 2;
        if (words.countTokens() <= before) {
            throw new IllegalArgumentException(
                    name + ", line " + number + ": expected at least " + (before + 1) + " numbers, found '" + text + "'");
        }
        long[] head = new long[before];
        List<Integer> experts = new ArrayList<>();
        try {
            for (int i = 0; i < before; i++) {
                head[i] = Long.parseLong(words.nextToken());
            }
            while (words.hasMoreTokens()) {
                int expert = Integer.parseInt(words.nextToken());
                if (!experts.contains(expert)) {
                    experts.add(expert);
                }
            }
            int layer = Math.toIntExact(head[written ? 1 : 0]);
            for (int expert : experts) {
                ExpertKey.of(layer, expert);
            }
            return new Line(written ? number : head[1], number, new Gather(layer, experts));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    name + ", line " + number + ": expected layer, token and expert numbers, found '" + text + "'", e);
        }
    }

    /** Experts of each layer by number, as far as the trace shows. */
    int[] expertCounts() {
        int layers = gathers.stream().mapToInt(Gather::layer).max().orElse(0) + 1;
        int[] counts = new int[layers];
        for (Gather gather : gathers) {
            for (int expert : gather.experts()) {
                counts[gather.layer()] = Math.max(counts[gather.layer()], expert + 1);
            }
        }
        return counts;
    }

    /** Distinct experts in the trace. */
    public int distinctExperts() {
        return (int) gathers.stream().flatMapToInt(each -> each.experts().stream().mapToInt(expert -> ExpertKey.of(each.layer(), expert)))
                .distinct().count();
    }

    /** Steps: gathers of the layer that has most. */
    public int steps() {
        int[] counts = new int[expertCounts().length];
        int most = 0;
        for (Gather gather : gathers) {
            most = Math.max(most, ++counts[gather.layer()]);
        }
        return most;
    }

    /** Most experts of one gather: a cache must hold at least these. */
    public int largestGather() {
        return gathers.stream().mapToInt(each -> each.experts().size()).max().orElse(0);
    }
}
