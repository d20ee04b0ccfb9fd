package dev.ringside.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One call of a client, which is none, one or several requests (a choice each). It travels in Reactor's context, so that neither parsers nor the
 * engine need to know of it. Thread safe.
 */
public final class RequestScope {

    private final String id;
    private final String operation;
    private final Supplier<@Nullable String> keyName;
    private final Consumer<RequestScope> whenDone;
    private final List<RequestRecord> records = new ArrayList<>(1);
    /** Requests that have not ended, and the call itself. */
    private final AtomicInteger open = new AtomicInteger(1);
    private volatile int status;

    /**
     * @param operation what was called, such as {@code chat}
     * @param keyName name of the API key, null without one; asked when it is needed
     * @param whenDone called once, when the response and all requests have ended
     */
    public RequestScope(String id, String operation, Supplier<@Nullable String> keyName, Consumer<RequestScope> whenDone) {
        this.id = id;
        this.operation = operation;
        this.keyName = keyName;
        this.whenDone = whenDone;
    }

    /** The scope of a subscriber, or null outside of any. */
    public static @Nullable RequestScope of(ContextView context) {
        return context.<RequestScope>getOrDefault(RequestScope.class, null);
    }

    public Context in(Context context) {
        return context.put(RequestScope.class, this);
    }

    public String id() {
        return id;
    }

    public String operation() {
        return operation;
    }

    public @Nullable String keyName() {
        return keyName.get();
    }

    /** Status of the response, or 0 when none was sent. */
    public int status() {
        return status;
    }

    /** Requests of this call in the order in which they ended. */
    public List<RequestRecord> records() {
        synchronized (records) {
            return List.copyOf(records);
        }
    }

    /** The response has ended; 0 when the client left before there was one. */
    public void responded(int responseStatus) {
        status = responseStatus;
        close();
    }

    void opened() {
        open.incrementAndGet();
    }

    void ended(RequestRecord outcome) {
        synchronized (records) {
            records.add(outcome);
        }
        close();
    }

    private void close() {
        if (open.decrementAndGet() == 0) {
            whenDone.accept(this);
        }
    }
}
