package dev.ringside.api;

import dev.ringside.serving.RequestRecord;
import dev.ringside.serving.RequestScope;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * One line for each call of the API, on the logger {@value #LOGGER}: words of the form {@code name=value}, no text of prompts or answers. Counts and
 * times of calls with several choices are those of all choices together and of the slowest.
 */
public final class AccessLog {

    /** Name of the logger. */
    public static final String LOGGER = "ringside.access";

    private final Logger log;
    private final String modelId;
    private final Executor writer;

    public AccessLog(String modelId) {
        // The last to end may be the engine, whose thread must not wait for a disk.
        this(LoggerFactory.getLogger(LOGGER), modelId, task -> Schedulers.parallel().schedule(task));
    }

    AccessLog(Logger log, String modelId, Executor writer) {
        this.log = log;
        this.modelId = modelId;
        this.writer = writer;
    }

    void write(RequestScope call, String method, String path) {
        if (log.isInfoEnabled()) {
            writer.execute(() -> log.info(line(call, method, path)));
        }
    }

    private String line(RequestScope call, String method, String path) {
        List<RequestRecord> requests = call.records();
        StringBuilder line = new StringBuilder(256);
        word(line, "id", call.id());
        word(line, "key", call.keyName() == null ? "-" : call.keyName());
        word(line, "method", method);
        word(line, "path", path);
        word(line, "status", Integer.toString(call.status()));
        if (requests.isEmpty()) {
            return line.toString();
        }
        RequestRecord first = requests.getFirst();
        word(line, "model", modelId);
        word(line, "priority", first.priority().name().toLowerCase(Locale.ROOT));
        word(line, "choices", Integer.toString(requests.size()));
        word(line, "prompt_tokens", sum(requests, RequestRecord::promptTokens));
        word(line, "cached_tokens", sum(requests, RequestRecord::cachedTokens));
        word(line, "completion_tokens", sum(requests, RequestRecord::completionTokens));
        word(line, "queue_ms", millis(requests.stream().mapToLong(RequestRecord::queuedNanos).max().orElse(0)));
        long firstToken = requests.stream().mapToLong(RequestRecord::firstTokenNanos).max().orElse(RequestRecord.NO_TOKEN);
        word(line, "ttft_ms", firstToken == RequestRecord.NO_TOKEN ? "-" : millis(firstToken));
        word(line, "total_ms", millis(requests.stream().mapToLong(RequestRecord::totalNanos).max().orElse(0)));
        word(line, "finish", end(requests));
        return line.toString();
    }

    private interface Count {

        int of(RequestRecord request);
    }

    private static String sum(List<RequestRecord> requests, Count count) {
        return Long.toString(requests.stream().mapToLong(count::of).sum());
    }

    private static String end(List<RequestRecord> requests) {
        StringBuilder ends = new StringBuilder();
        for (RequestRecord request : requests) {
            String end = request.finish() != null ? request.finish().name().toLowerCase(Locale.ROOT) : String.valueOf(request.error());
            if (ends.indexOf(end) < 0) {
                ends.append(ends.isEmpty() ? "" : ",").append(end);
            }
        }
        return ends.toString();
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
    }

    /** Appends a word; what a client chose, such as a path, can't end the line or the word. */
    private static void word(StringBuilder line, String name, String value) {
        line.append(line.isEmpty() ? "" : " ").append(name).append('=');
        for (int i = 0; i < value.length() && i < 200; i++) {
            char c = value.charAt(i);
            line.append(c > ' ' && c < 0x7F && c != '"' && c != '=' ? c : '_');
        }
    }
}
