package dev.ringside.ops;

import dev.ringside.sequence.PrefixInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators may do with the prefixes of a running engine; from any thread. */
public interface PrefixOperations {

    /** The prefixes used last, at most so many; empty when the engine is too busy to say. */
    List<PrefixInfo> list(int most);

    /** Drops the prefix with an id, or all when it is null, and tells how many there were. */
    int drop(@Nullable String id);
}
