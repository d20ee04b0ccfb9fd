package dev.ringside.serving;

import dev.ringside.engine.GenerationRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.util.context.ContextView;

/** Keeps what it sees. */
final class RecordingObserver implements RequestObserver {

    final List<RequestRecord> ended = new CopyOnWriteArrayList<>();
    final AtomicInteger arrived = new AtomicInteger();
    final AtomicInteger laterTokens = new AtomicInteger();

    @Override
    public Watch arrived(GenerationRequest request, ContextView context) {
        arrived.incrementAndGet();
        return new Watch() {
            @Override
            public void tokens(int count, long nanos) {
                laterTokens.addAndGet(count);
            }

            @Override
            public void ended(RequestRecord outcome) {
                ended.add(outcome);
            }
        };
    }
}
