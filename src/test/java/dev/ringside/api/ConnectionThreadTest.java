package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.serving.Delivery;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

/** How events reach the thread of their connections. */
class ConnectionThreadTest {

    private final Queue<Runnable> calls = new ArrayDeque<>();
    private final List<String> seen = new ArrayList<>();
    private final EventExecutor executor = Mockito.mock(EventExecutor.class);
    private final ConnectionThread thread = new ConnectionThread(executor);

    private final class Named implements Delivery.Task {

        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public int lookAhead() {
            seen.add("ahead " + name);
            return 1;
        }

        @Override
        public void run() {
            seen.add(name);
        }

        @Override
        public void undeliverable() {
            seen.add("lost " + name);
        }
    }

    @BeforeEach
    void collectCalls() {
        BDDMockito.willAnswer(call -> calls.add(call.getArgument(0))).given(executor).execute(Mockito.any());
    }

    @Test
    void theThreadIsWokenOnceForAllThatCome() {
        Named a = new Named("a");
        Named b = new Named("b");
        thread.expect(a);
        thread.expect(b);
        thread.execute(a);
        thread.execute(b);

        assertThat(calls).hasSize(1);
        calls.remove().run();
        assertThat(seen).containsExactly("ahead a", "ahead b", "a", "b");
    }

    @Test
    void whatComesWhileItRunsIsTakenToo() {
        thread.execute(() -> {
            seen.add("first");
            thread.execute(new Named("second"));
        });

        calls.remove().run();
        assertThat(calls).isEmpty();
        assertThat(seen).containsExactly("first", "second");
    }

    @Test
    void itIsWokenAgainWhenItHasFoundNothing() {
        Named a = new Named("a");
        thread.expect(a);
        calls.remove().run();
        thread.execute(a);

        assertThat(calls).hasSize(1);
        calls.remove().run();
        assertThat(seen).containsExactly("ahead a", "a");
    }

    @Test
    void moreThanUsualIsTakenAllTheSame() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            names.add("t" + i);
            thread.execute(new Named("t" + i));
        }

        calls.remove().run();
        assertThat(seen).isEqualTo(names);
    }

    @Test
    void aTaskThatFailsLeavesTheOthersAlone() {
        thread.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        thread.execute(new Named("a"));

        calls.remove().run();
        assertThat(seen).containsExactly("a");
    }

    @Test
    void whatComesWhenTheThreadHasEndedIsSaidToBeLost() {
        BDDMockito.willThrow(new RejectedExecutionException("ended")).given(executor).execute(Mockito.any());
        thread.expect(new Named("a"));
        thread.execute(new Named("b"));
        thread.execute(new Named("c"));

        assertThat(seen).containsExactly("lost b", "lost c");
    }
}
