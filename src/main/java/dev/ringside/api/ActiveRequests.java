package dev.ringside.api;

import dev.ringside.serving.RequestInfo;
import java.util.List;

/** Requests that run or wait: the scheduler, seen from here. */
public interface ActiveRequests {

    /** Those that run, then those that wait in the order in which they will start. */
    List<RequestInfo> requests();

    /** Ends an answer with all its choices; false when there is none of this id. */
    boolean cancel(String id);

    /** Whether new requests are taken. */
    boolean accepting();
}
