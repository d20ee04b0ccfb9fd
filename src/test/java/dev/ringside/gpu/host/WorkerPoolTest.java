package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {

    private static void assertEveryItemRunsOnce(WorkerPool pool, int items, int grain) {
        AtomicIntegerArray runs = new AtomicIntegerArray(Math.max(1, items));
        AtomicInteger badStarts = new AtomicInteger();
        pool.run((worker, from, to) -> {
            if (from % grain != 0 || worker < 0 || worker >= pool.threads()) {
                badStarts.incrementAndGet();
            }
            for (int i = from; i < to; i++) {
                runs.incrementAndGet(i);
            }
        }, items, grain);
        for (int i = 0; i < items; i++) {
            assertThat(runs.get(i)).as("item %d of %d, grain %d, %d threads", i, items, grain, pool.threads()).isEqualTo(1);
        }
        assertThat(badStarts.get()).isZero();
    }

    @Test
    void everyItemRunsOnceForAnyCountGrainAndThreads() {
        for (int threads = 1; threads <= 4; threads++) {
            try (WorkerPool pool = new WorkerPool(threads)) {
                for (int items : new int[] {0, 1, 2, 3, 7, 8, 9, 31, 100, 1000}) {
                    for (int grain : new int[] {1, 2, 8, 64}) {
                        assertEveryItemRunsOnce(pool, items, grain);
                    }
                }
            }
        }
    }

    @Test
    void manySmallRunsFollowEachOther() {
        try (WorkerPool pool = new WorkerPool(3)) {
            int[] sums = new int[3 * 16];
            ParallelTask task = (worker, from, to) -> sums[worker * 16] += to - from;
            for (int i = 0; i < 20_000; i++) {
                pool.run(task, 12, 1);
            }
            assertThat(sums[0] + sums[16] + sums[32]).isEqualTo(240_000);
        }
    }

    @Test
    void parkedWorkersWakeUp() {
        try (WorkerPool pool = new WorkerPool(2)) {
            for (int i = 0; i < 20; i++) {
                LockSupport.parkNanos(200_000);
                CountDownLatch both = new CountDownLatch(2);
                pool.run((worker, from, to) -> {
                    both.countDown();
                    try {
                        assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }, 2, 1);
            }
        }
    }

    @Test
    void anExceptionOfAnyWorkerReachesTheCallerAfterAllHaveStopped() {
        try (WorkerPool pool = new WorkerPool(3)) {
            for (int failing = 0; failing < 12; failing++) {
                int bad = failing;
                AtomicInteger running = new AtomicInteger();
                assertThatThrownBy(() -> pool.run((worker, from, to) -> {
                    running.incrementAndGet();
                    try {
                        if (from <= bad && bad < to) {
                            throw new IllegalStateException("item " + bad);
                        }
                    } finally {
                        running.decrementAndGet();
                    }
                }, 12, 1)).isInstanceOf(IllegalStateException.class).hasMessage("item " + bad);
                assertThat(running.get()).isZero();
            }
            assertEveryItemRunsOnce(pool, 100, 1);
        }
    }

    @Test
    void anErrorIsRethrownAsItIs() {
        try (WorkerPool pool = new WorkerPool(2)) {
            assertThatThrownBy(() -> pool.run((worker, from, to) -> {
                throw new StackOverflowError();
            }, 8, 1)).isInstanceOf(StackOverflowError.class);
        }
    }

    @Test
    void aCallDuringAnotherThreadsRunIsDoneByItsCaller() throws InterruptedException {
        try (WorkerPool pool = new WorkerPool(2)) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            Thread other = Thread.ofPlatform().start(() -> pool.run((worker, from, to) -> {
                inside.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, 2, 1));
            inside.await();
            Thread caller = Thread.currentThread();
            AtomicInteger mine = new AtomicInteger();
            pool.run((worker, from, to) -> {
                assertThat(Thread.currentThread()).isSameAs(caller);
                mine.addAndGet(to - from);
            }, 100, 1);
            release.countDown();
            other.join();
            assertThat(mine.get()).isEqualTo(100);
        }
    }

    @Test
    void aClosedPoolRefusesWorkAndItsThreadsAreGone() {
        WorkerPool pool = new WorkerPool(3);
        pool.close();
        pool.close();
        assertThatThrownBy(() -> pool.run((worker, from, to) -> {
        }, 10, 1)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void aPoolNeedsAThread() {
        assertThatThrownBy(() -> new WorkerPool(0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("got 0");
    }

    @Test
    void aRunDoesNotAllocate() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (WorkerPool pool = new WorkerPool(2)) {
            long[] sums = new long[32];
            ParallelTask task = (worker, from, to) -> sums[worker * 16] += to - from;
            for (int i = 0; i < 5_000; i++) {
                pool.run(task, 64, 1);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                pool.run(task, 64, 1);
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(4_096);
        }
    }
}
