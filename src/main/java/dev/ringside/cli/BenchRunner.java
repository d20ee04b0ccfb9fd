package dev.ringside.cli;

import com.sun.management.ThreadMXBean;
import dev.ringside.expert.ExpertSnapshot;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Times prefill and decode of random tokens on a session. */
final class BenchRunner {

    private static final long SEED = 1;

    /**
     * What all measurements share.
     *
     * @param context tokens that a sequence holds before it generates
     */
    record Settings(int repeats, double warmUpSeconds, int stepRows, int context, double memoryBandwidth) {}

    private final BenchSession session;
    private final Settings settings;
    private final ExpertSizes sizes;
    private final long denseBytes;
    private final int[] tokens;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** @param mostTokens of one pass, all sequences together */
    BenchRunner(BenchSession session, Settings settings, int mostTokens) {
        this.session = session;
        this.settings = settings;
        ModelInspector inspector = new ModelInspector(session.file());
        this.sizes = inspector.expertSizes();
        this.denseBytes = inspector.denseStepBytes();
        SplittableRandom random = new SplittableRandom(SEED);
        int vocabulary = session.loaded().model().info().vocabularySize();
        this.tokens = random.ints(mostTokens, 0, vocabulary).toArray();
    }

    long denseBytes() {
        return denseBytes;
    }

    BenchReport.Result prefill(int length, ProgressBar progress) {
        return measure("prefill", length, 1, progress);
    }

    BenchReport.Result decode(int steps, int batch, ProgressBar progress) {
        return measure("decode", steps, batch, progress);
    }

    private BenchReport.Result measure(String test, int length, int batch, ProgressBar progress) {
        boolean decode = test.equals("decode");
        long warmUntil = System.nanoTime() + (long) (settings.warmUpSeconds() * 1e9);
        double[] bytes = traffic(decode, length, batch);
        do {
            prepare(decode, batch);
            run(decode, length, batch);
        } while (System.nanoTime() - warmUntil < 0);
        progress.advance(1);
        long hits = 0;
        long misses = 0;
        double waits = 0;
        double[] rates = new double[settings.repeats()];
        double[] allocated = new double[settings.repeats()];
        double count = (double) length * batch;
        for (int i = 0; i < rates.length; i++) {
            prepare(decode, batch);
            ExpertSnapshot before = session.loaded().expertSnapshot();
            long waitsBefore = session.loaded().model().stream().waits();
            long allocatedBefore = threads.getTotalThreadAllocatedBytes();
            long start = System.nanoTime();
            run(decode, length, batch);
            rates[i] = count * 1e9 / (System.nanoTime() - start);
            allocated[i] = (threads.getTotalThreadAllocatedBytes() - allocatedBefore) / count;
            ExpertSnapshot after = session.loaded().expertSnapshot();
            hits += after.hits() - before.hits();
            misses += after.misses() - before.misses();
            waits += session.loaded().model().stream().waits() - waitsBefore;
            progress.advance(1);
        }
        double rate = median(rates);
        double perToken = (bytes[0] + bytes[1]) / count;
        @Nullable Double allocatedPerToken = decode ? (Double) median(allocated) : null;
        return new BenchReport.Result(test, length, batch, rates.length, rate, Arrays.stream(rates).min().orElse(0),
                Arrays.stream(rates).max().orElse(0),
                perToken, bytes[1] / count, perToken * rate, perToken * rate / settings.memoryBandwidth(), hits, misses,
                decode ? waits / ((double) length * rates.length) : waits / rates.length,
                allocatedPerToken);
    }

    /** Dense and expert bytes of a pass, from the router's own choices; also the first warm-up. */
    private double[] traffic(boolean decode, int length, int batch) {
        ExpertTraffic traffic = new ExpertTraffic(sizes);
        prepare(decode, batch);
        session.loaded().model().observe(traffic);
        try {
            int steps = run(decode, length, batch);
            return new double[] {(double) denseBytes * steps, traffic.bytes()};
        } finally {
            session.loaded().model().observe(null);
        }
    }

    /** Sequences begin again, those that are to generate with as many tokens as they are to hold before. */
    private void prepare(boolean decode, int batch) {
        session.reset();
        for (int i = 0; decode && i < batch; i++) {
            session.prefill(i, tokens, settings.context(), settings.stepRows());
        }
    }

    private int run(boolean decode, int length, int batch) {
        if (!decode) {
            return session.prefill(0, tokens, length, settings.stepRows());
        }
        for (int i = 0; i < length; i++) {
            session.decode(tokens, i * batch, batch);
        }
        return length;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
