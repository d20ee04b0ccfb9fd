package dev.ringside.expert;

import java.util.stream.LongStream;

/** Seeds of random tests: a few fixed ones ({@code -Dringside.test.seeds} of them), or the one given as {@code -Dringside.test.seed}. */
final class Seeds {

    private Seeds() {}

    static LongStream of(int count) {
        Long given = Long.getLong("ringside.test.seed");
        return given == null ? LongStream.rangeClosed(1, Integer.getInteger("ringside.test.seeds", count)) : LongStream.of(given);
    }
}
