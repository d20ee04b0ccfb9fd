package dev.ringside.config;

import dev.ringside.api.ActiveRequests;
import dev.ringside.serving.RequestInfo;
import dev.ringside.serving.RequestScheduler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scheduler's requests, as the HTTP interface sees them. */
record ScheduledRequests(RequestScheduler scheduler) implements ActiveRequests {

    @Override
    public List<RequestInfo> requests() {
        return scheduler.requests();
    }

    @Override
    public boolean cancel(String id, @Nullable String keyName) {
        return scheduler.cancel(id, keyName);
    }

    @Override
    public boolean accepting() {
        return scheduler.isAccepting();
    }
}
