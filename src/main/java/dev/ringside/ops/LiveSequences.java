package dev.ringside.ops;

import dev.ringside.serving.RequestInfo;
import java.util.List;

/** The requests that run or wait, as the scheduler lists them; from any thread. */
@FunctionalInterface
public interface LiveSequences {

    /** Those that run, then those that wait in the order in which they will start. */
    List<RequestInfo> list();
}
