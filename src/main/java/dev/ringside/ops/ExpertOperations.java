package dev.ringside.ops;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What operators may do with the experts of a running engine, from any thread; done between two gathers, with no request losing anything. */
public interface ExpertOperations {

    /** Fewest slots that work; 0 for a model without experts. */
    int minimumSlots();

    /** Where the hot list is kept, if that is set. */
    @Nullable
    Path hotListFile();

    /** Changes the number of slots; tells the number in force, or fails with nothing changed. */
    CompletableFuture<Integer> resize(int slots);

    /** Writes the hot list; tells of how many experts. */
    CompletableFuture<Integer> saveHotList(Path file);
}
