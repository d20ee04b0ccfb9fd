package dev.ringside;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A strict reader of Prometheus' text format 0.0.4: every sample belongs to a family with a TYPE, names and labels are well-formed, values are
 * numbers, nothing comes twice, histograms are cumulative and end with their count.
 */
final class PrometheusText {

    /** One line. */
    record Sample(String name, Map<String, String> labels, double value) {}

    private final Map<String, String> types = new LinkedHashMap<>();
    private final List<Sample> samples = new ArrayList<>();

    private PrometheusText() {}

    static PrometheusText parse(String text) {
        PrometheusText result = new PrometheusText();
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("The last line is not ended");
        }
        for (String line : text.lines().toList()) {
            try {
                result.line(line);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(e.getMessage() + ": " + line, e);
            }
        }
        result.checkHistograms();
        return result;
    }

    private void line(String line) {
        if (line.startsWith("# TYPE ")) {
            String[] words = line.split(" ");
            require(words.length == 4 && List.of("counter", "gauge", "histogram", "summary", "untyped", "info").contains(words[3]),
                    "bad TYPE");
            require(types.put(words[2], words[3]) == null, "a second TYPE");
        } else if (!line.startsWith("# HELP ") && !line.isEmpty()) {
            require(!line.startsWith("#"), "an unknown comment");
            sample(line);
        }
    }

    private void sample(String line) {
        int end = 0;
        while (end < line.length() && isName(line.charAt(end), end == 0)) {
            end++;
        }
        String name = line.substring(0, end);
        require(!name.isEmpty(), "no name");
        Map<String, String> labels = new TreeMap<>();
        if (line.charAt(end) == '{') {
            end = labels(line, end + 1, labels);
        }
        String[] rest = line.substring(end).strip().split(" ");
        require(rest.length == 1, "more than a value");
        Sample sample = new Sample(name, labels, number(rest[0]));
        require(types.containsKey(family(name)), "no TYPE of " + name);
        samples.add(sample);
    }

    private int labels(String line, int from, Map<String, String> labels) {
        int at = from;
        while (line.charAt(at) != '}') {
            int equals = line.indexOf('=', at);
            String label = line.substring(at, equals);
            require(!label.isEmpty() && line.charAt(equals + 1) == '"', "bad label");
            for (int i = 0; i < label.length(); i++) {
                require(isName(label.charAt(i), i == 0) && label.charAt(i) != ':', "bad label name " + label);
            }
            StringBuilder value = new StringBuilder();
            at = equals + 2;
            while (line.charAt(at) != '"') {
                if (line.charAt(at) == '\\') {
                    at++;
                    require("\\\"n".indexOf(line.charAt(at)) >= 0, "bad escape");
                    value.append(line.charAt(at) == 'n' ? '\n' : line.charAt(at));
                } else {
                    value.append(line.charAt(at));
                }
                at++;
            }
            require(labels.put(label, value.toString()) == null, "label twice");
            at++;
            if (line.charAt(at) == ',') {
                at++;
            }
        }
        return at + 1;
    }

    private String family(String name) {
        if (types.containsKey(name)) {
            return name;
        }
        for (String end : List.of("_bucket", "_sum", "_count")) {
            if (name.endsWith(end) && types.containsKey(name.substring(0, name.length() - end.length()))) {
                return name.substring(0, name.length() - end.length());
            }
        }
        return name;
    }

    private void checkHistograms() {
        require(samples.stream().map(sample -> sample.name + sample.labels).distinct().count() == samples.size(), "a sample twice");
        types.forEach((family, type) -> {
            if (type.equals("histogram")) {
                checkHistogram(family);
            }
        });
    }

    private void checkHistogram(String family) {
        Map<Map<String, String>, double[]> last = new LinkedHashMap<>();
        for (Sample sample : samples) {
            if (sample.name.equals(family + "_bucket")) {
                Map<String, String> labels = new TreeMap<>(sample.labels);
                double bound = number(labels.remove("le"));
                double[] before = last.getOrDefault(labels, new double[] {Double.NEGATIVE_INFINITY, 0});
                require(bound > before[0] && sample.value >= before[1], "buckets of " + family + " are not cumulative");
                last.put(labels, new double[] {bound, sample.value});
            }
        }
        last.forEach((labels, bucket) -> require(bucket[0] == Double.POSITIVE_INFINITY && bucket[1] == value(family + "_count", labels),
                "the last bucket of " + family + " is not its count"));
    }

    boolean has(String name) {
        return samples.stream().anyMatch(sample -> sample.name.equals(name));
    }

    /** Sum over all label values. */
    double sum(String name) {
        require(has(name), "There is no metric " + name);
        return samples.stream().filter(sample -> sample.name.equals(name)).mapToDouble(Sample::value).sum();
    }

    private double value(String name, Map<String, String> labels) {
        return samples.stream().filter(sample -> sample.name.equals(name) && sample.labels.equals(labels)).findFirst().orElseThrow().value;
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static boolean isName(char c, boolean first) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || !first && c >= '0' && c <= '9';
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
