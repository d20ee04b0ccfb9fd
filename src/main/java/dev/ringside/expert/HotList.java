package dev.ringside.expert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Scanner;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The experts worth having, kept in a text file from one run to the next: a line {@code layer expert} for each, the most used first. A file
 * that cannot be read or written costs the warm start and nothing else.
 */
final class HotList {

    /** Experts of one layer that are read together. */
    record Batch(int layer, List<Integer> experts) {}

    private static final Logger LOG = LoggerFactory.getLogger(HotList.class);
    private static final String HEADER = "# ringside hot list: layer expert, most used first\n";
    private static final int HALF_LIFE = 500;

    private final int[] expertCounts;
    private final KeyHistory history;

    HotList(int[] expertCounts) {
        this.expertCounts = expertCounts.clone();
        this.history = new KeyHistory(expertCounts, HALF_LIFE);
    }

    void asked(int layer, int[] experts, int count) {
        history.record(layer, experts, count);
    }

    /** As {@link #write}, but a file that cannot be written is only reported. */
    int save(Path file, int most) {
        try {
            return write(file, most);
        } catch (UncheckedIOException e) {
            LOG.warn("{}", e.getMessage());
            return 0;
        }
    }

    /**
     * Writes at most so many experts, replacing the file at once; returns how many.
     *
     * @throws UncheckedIOException naming property and file when it cannot be written
     */
    int write(Path file, int most) {
        List<Integer> keys = new ArrayList<>();
        for (int layer = 0; layer < expertCounts.length; layer++) {
            for (int expert = 0; expert < expertCounts[layer]; expert++) {
                int key = ExpertKey.of(layer, expert);
                if (history.frequency(0, key) > 0) {
                    keys.add(key);
                }
            }
        }
        keys.sort(Comparator.comparingDouble((Integer key) -> -history.frequency(0, key)).thenComparing(Comparator.naturalOrder()));
        List<Integer> kept = keys.subList(0, Math.min(most, keys.size()));
        if (kept.isEmpty()) {
            // A run that served nothing knows nothing better than the run before.
            return 0;
        }
        StringBuilder text = new StringBuilder(HEADER);
        for (int key : kept) {
            text.append(ExpertKey.layer(key)).append(' ').append(ExpertKey.expert(key)).append('\n');
        }
        try {
            Path absolute = file.toAbsolutePath();
            Path temporary = Files.createTempFile(absolute.getParent(), absolute.getFileName().toString(), ".tmp");
            try {
                Files.writeString(temporary, text);
                Files.move(temporary, absolute, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("ringside.experts.hot-list-file: " + file + " cannot be written: " + e, e);
        }
        return kept.size();
    }

    /** Reads a file that an earlier run wrote, if there is one: at most so many experts, in batches of one layer. */
    List<Batch> load(Path file, int most, int batchLimit) {
        TreeMap<Integer, List<Integer>> layers = new TreeMap<>();
        int taken = 0;
        int unknown = 0;
        try (Scanner lines = new Scanner(Files.readString(file, StandardCharsets.UTF_8))) {
            while (lines.hasNextLine() && taken < most) {
                String line = lines.nextLine();
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                int space = line.indexOf(' ');
                int layer = space < 0 ? -1 : number(line.substring(0, space));
                int expert = space < 0 ? -1 : number(line.substring(space + 1));
                if (layer < 0 || layer >= expertCounts.length || expert < 0 || expert >= expertCounts[layer]) {
                    unknown++;
                    continue;
                }
                layers.computeIfAbsent(layer, each -> new ArrayList<>()).add(expert);
                taken++;
            }
        } catch (IOException e) {
            if (Files.exists(file)) {
                LOG.warn("ringside.experts.hot-list-file: {} cannot be read: {}", file, e.toString());
            }
            return List.of();
        }
        if (unknown > 0) {
            LOG.warn("ringside.experts.hot-list-file: {} lines of {} name no expert of this model and are left out", unknown, file);
        }
        List<Batch> batches = new ArrayList<>();
        layers.forEach((layer, experts) -> {
            List<Integer> all = experts.stream().distinct().toList();
            for (int from = 0; from < all.size(); from += batchLimit) {
                batches.add(new Batch(layer, all.subList(from, Math.min(all.size(), from + batchLimit))));
            }
        });
        return batches;
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static void skipped(Path file, ExpertReadException cause) {
        LOG.warn("ringside.experts.hot-list-file: experts of {} are left out: {}", file, cause.getMessage());
    }
}
