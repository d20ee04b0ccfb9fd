package dev.ringside.ops;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Does what it is asked at once, or fails as it is told. */
final class SampleExperts implements ExpertOperations {

    final List<Integer> sizes = new ArrayList<>();
    int minimum = 8;
    @Nullable
    Path file = Path.of("hot.txt");
    @Nullable
    RuntimeException failure;

    @Override
    public int minimumSlots() {
        return minimum;
    }

    @Override
    public @Nullable Path hotListFile() {
        return file;
    }

    @Override
    public CompletableFuture<Integer> resize(int slots) {
        sizes.add(slots);
        return answer(slots);
    }

    @Override
    public CompletableFuture<Integer> saveHotList(Path to) {
        return answer(19);
    }

    private CompletableFuture<Integer> answer(int number) {
        return failure == null ? CompletableFuture.completedFuture(number) : CompletableFuture.failedFuture(failure);
    }
}
