package dev.ringside.api;

import dev.ringside.serving.RequestInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests that run or wait: the scheduler, seen from here. */
public interface ActiveRequests {

    /** Those that run, then those that wait in the order in which they will start. */
    List<RequestInfo> requests();

    /**
     * Ends an answer with all its choices; false when there is none of this id.
     *
     * @param keyName name of the API key it must have come with, or null for any or none
     */
    boolean cancel(String id, @Nullable String keyName);

    /** Whether new requests are taken. */
    boolean accepting();
}
