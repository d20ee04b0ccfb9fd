package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ReaderPoolTest {

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "2,1", "4,3", "8,6", "16,12"})
    void backgroundReadsLeaveReadersForUrgentOnes(int threads, int background) {
        try (ReaderPool pool = new ReaderPool(threads)) {
            assertThat(pool.backgroundLimit()).isEqualTo(background);
        }
    }

    @Test
    void noMoreReadersThanTheLimitAreInTheBackgroundAndUrgentPartsStillRun() {
        try (ReaderPool pool = new ReaderPool(8)) {
            CountDownLatch busy = new CountDownLatch(pool.backgroundLimit());
            CountDownLatch release = new CountDownLatch(1);
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            pool.startBackground(part -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                busy.countDown();
                await(release);
                running.decrementAndGet();
            }, 40);
            await(busy);
            // With the background stuck, urgent parts find the reader that is left and the one that waits.
            AtomicInteger urgent = new AtomicInteger();
            pool.start(part -> urgent.incrementAndGet(), 100);
            pool.finish();
            assertThat(urgent).hasValue(100);
            assertThat(pool.backgroundDepth()).isEqualTo(40 - pool.backgroundLimit());
            release.countDown();
            pool.finishBackground();
            assertThat(most).hasValueLessThanOrEqualTo(pool.backgroundLimit() + 1);
            assertThat(pool.backgroundDone()).isTrue();
        }
    }

    @Test
    void urgentPartsAreTakenBeforeBackgroundOnes() {
        try (ReaderPool pool = new ReaderPool(2)) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            AtomicInteger urgentRun = new AtomicInteger();
            // What is looked at is which parts are left to take: two threads may end parts in another order than they took them.
            ConcurrentLinkedQueue<Integer> urgentLeft = new ConcurrentLinkedQueue<>();
            pool.startBackground(part -> {
                if (part == 0) {
                    started.countDown();
                    await(release);
                } else {
                    urgentLeft.add(pool.urgentDepth());
                }
            }, 3);
            await(started);
            pool.start(part -> urgentRun.incrementAndGet(), 5);
            assertThat(pool.urgentDepth()).isEqualTo(5);
            release.countDown();
            pool.finish();
            assertThat(urgentRun).hasValue(5);
            pool.finishBackground();
            assertThat(urgentLeft).containsExactly(0, 0);
        }
    }

    @Test
    void cancelledPartsAreSkippedAndThoseUnderWayGoOn() {
        try (ReaderPool pool = new ReaderPool(2)) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger skipped = new AtomicInteger();
            pool.startBackground(new ReaderPool.Job() {

                @Override
                public void run(int part) {
                    started.countDown();
                    await(release);
                    ran.incrementAndGet();
                }

                @Override
                public void skipped(int part) {
                    skipped.incrementAndGet();
                }
            }, 4);
            await(started);
            pool.cancelBackground();
            assertThat(skipped).hasValue(3);
            assertThat(pool.backgroundDone()).isFalse();
            release.countDown();
            pool.finishBackground();
            assertThat(ran).hasValue(1);
            assertThat(pool.backgroundDone()).isTrue();
        }
    }

    @Test
    void poolWithoutThreadsHasNoBackground() {
        try (ReaderPool pool = new ReaderPool(1)) {
            assertThatThrownBy(() -> pool.startBackground(part -> {
            }, 1)).isInstanceOf(IllegalStateException.class).hasMessageContaining("two reader threads");
        }
    }
}
