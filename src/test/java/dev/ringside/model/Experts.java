package dev.ringside.model;

import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertOptions;

/** Expert settings of tests. The experts of a token are filled in when a model is loaded. */
public final class Experts {

    private Experts() {}

    public static ExpertOptions allResident() {
        return sized("100%", ArenaKind.AUTO);
    }

    public static ExpertOptions sized(String capacity, ArenaKind kind) {
        return ExpertOptions.defaults(1, 1L << 30).withArena(kind).withCapacity(ExpertCapacity.parse(capacity));
    }
}
