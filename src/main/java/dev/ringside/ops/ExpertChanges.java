package dev.ringside.ops;

import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertSnapshot;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Operators' requests to the expert arena: checked here, done by the engine between two gathers. */
final class ExpertChanges {

    private static final String OPERATIONS = "resize, trim or save-hot-list";
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;
    /** A step over a long prompt on a small machine, and the copies of a large arena. */
    private static final long PATIENCE_SECONDS = 30;

    private final Supplier<ExpertSnapshot> experts;
    private final ExpertOperations operations;

    ExpertChanges(Supplier<ExpertSnapshot> experts, ExpertOperations operations) {
        this.experts = experts;
        this.operations = operations;
    }

    /** Of a resize or trim: what is in force now. */
    record Resized(String operation, int slots, long arenaBytes, int resident) {}

    /** Of {@code save-hot-list}; 0 experts, and the file is as it was, when none was asked for since the start. */
    record Saved(String operation, int saved, String file) {}

    /** Why nothing was done. */
    record Refused(String error) {}

    /** What an operator got wrong. */
    private static final class BadValue extends Exception {

        private static final long serialVersionUID = 1;

        BadValue(String message) {
            super(message);
        }
    }

    int minimumSlots() {
        return operations.minimumSlots();
    }

    WebEndpointResponse<Object> change(@Nullable String operation, @Nullable String slots, @Nullable String size) {
        try {
            if (operations.minimumSlots() == 0) {
                throw new BadValue("The model has no routed experts");
            }
            return switch (operation) {
                case "resize" -> resize("resize", wantedSlots(slots, size));
                case "trim" -> resize("trim", operations.minimumSlots());
                case "save-hot-list" -> saveHotList();
                case null -> throw new BadValue("operation: missing, expected " + OPERATIONS);
                default -> throw new BadValue("operation: found '" + operation + "', expected " + OPERATIONS);
            };
        } catch (BadValue e) {
            return refused(WebEndpointResponse.STATUS_BAD_REQUEST, e.getMessage());
        }
    }

    private WebEndpointResponse<Object> resize(String operation, int count) {
        return answer(operations.resize(count), slots -> {
            ExpertSnapshot now = experts.get();
            return new Resized(operation, slots, slots * now.slotBytes(), now.resident());
        });
    }

    private WebEndpointResponse<Object> saveHotList() throws BadValue {
        Path file = operations.hotListFile();
        if (file == null) {
            throw new BadValue("There is no file to save to: set ringside.experts.hot-list-file");
        }
        return answer(operations.saveHotList(file), saved -> new Saved("save-hot-list", saved, file.toString()));
    }

    private int wantedSlots(@Nullable String slots, @Nullable String size) throws BadValue {
        if ((slots == null) == (size == null)) {
            throw new BadValue("resize takes either slots or size: " + range());
        }
        long wanted = slots == null ? slotsOf(String.valueOf(size)) : number(slots);
        if (wanted < operations.minimumSlots() || wanted > experts.get().experts()) {
            throw new BadValue(
                    (slots == null ? "size: found '" + size + "', which is " + wanted + " slots" : "slots: found " + slots) + ", "
                            + range());
        }
        return (int) wanted;
    }

    private long number(String slots) throws BadValue {
        try {
            return Long.parseLong(slots.strip());
        } catch (NumberFormatException e) {
            throw new BadValue("slots: found '" + slots + "', " + range());
        }
    }

    private long slotsOf(String size) throws BadValue {
        ExpertSnapshot now = experts.get();
        try {
            return switch (ExpertCapacity.parse(size)) {
                case ExpertCapacity.Auto auto -> throw new BadValue("size: found 'auto', " + range());
                // All there are may take less than was offered.
                case ExpertCapacity.Bytes bytes -> Math.min(now.experts(), bytes.bytes() / now.slotBytes());
                case ExpertCapacity.Percent share -> (long) Math.floor(now.experts() * share.percent() / 100 + 1e-6);
            };
        } catch (IllegalArgumentException e) {
            throw new BadValue("size: found '" + size + "', " + range());
        }
    }

    private String range() {
        ExpertSnapshot now = experts.get();
        int least = operations.minimumSlots();
        return "expected slots from " + least + " to " + now.experts() + ", or a size from " + least * now.slotBytes() + " bytes ("
                + now.slotBytes() + " each) such as 8GB or 25%";
    }

    private static WebEndpointResponse<Object> answer(CompletableFuture<Integer> asked, IntFunction<Object> report) {
        try {
            return new WebEndpointResponse<>(report.apply(asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refused(UNAVAILABLE, "Interrupted while waiting for the engine");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return refused(CONFLICT, "Nothing was changed: " + cause.getMessage());
        } catch (TimeoutException e) {
            return refused(UNAVAILABLE,
                    "The engine is still in a step after " + PATIENCE_SECONDS + " s; it will do it afterwards, see GET /actuator/experts");
        }
    }

    private static WebEndpointResponse<Object> refused(int status, @Nullable String why) {
        return new WebEndpointResponse<>(new Refused(String.valueOf(why)), status);
    }
}
