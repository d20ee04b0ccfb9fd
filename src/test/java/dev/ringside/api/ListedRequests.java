package dev.ringside.api;

import dev.ringside.serving.RequestInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Requests as a test lists them. */
final class ListedRequests implements ActiveRequests {

    final List<RequestInfo> listed = new CopyOnWriteArrayList<>();
    volatile boolean accepting = true;

    @Override
    public List<RequestInfo> requests() {
        return List.copyOf(listed);
    }

    @Override
    public boolean cancel(String id, @Nullable String keyName) {
        return listed.removeIf(info -> info.id().equals(id) && (keyName == null || keyName.equals(info.keyName())));
    }

    @Override
    public boolean accepting() {
        return accepting;
    }
}
