package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Writes one answer of {@code /v1/responses}: cuts the turn into items and tells of each as it grows. */
final class ResponseWriter implements TurnWriter {

    private static final int FIRST_PART = 0;

    private final ResponseHead head;
    private final ToIntFunction<String> tokenCount;
    private final Completion completion;
    private final List<ResponseItem> output = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private int reasoningTokens;
    private int sequence;
    private @Nullable ResponseItem open;

    /** Learns of a finished answer before the client does. */
    interface Completion {

        void completed(Map<String, ? extends @Nullable Object> body, List<ResponseItem> output);
    }

    /** @param tokenCount tokens of a text, for the share of the reasoning in the usage */
    ResponseWriter(ResponseHead head, ToIntFunction<String> tokenCount, Completion completion) {
        this.head = head;
        this.tokenCount = tokenCount;
        this.completion = completion;
    }

    @Override
    public void begin(NamedEvents out) {
        Map<String, @Nullable Object> body = body(ResponseItem.IN_PROGRESS, null, null);
        emit(new ResponseEvent.Stage("response.created", sequence++, body), out);
        emit(new ResponseEvent.Stage("response.in_progress", sequence++, body), out);
    }

    @Override
    public void part(AssistantPart part, NamedEvents out) {
        switch (part) {
            case AssistantPart.Content(String more) -> {
                if (!more.isEmpty()) {
                    delta("response.output_text.delta", openMessage(out), more, out);
                }
            }
            case AssistantPart.Reasoning(String more) -> {
                if (!more.isEmpty()) {
                    delta("response.reasoning_text.delta", openReasoning(out), more, out);
                }
            }
            case AssistantPart.ToolCallOpened(int _, String callId, String name) -> {
                close(ResponseItem.COMPLETED, out);
                open(new ResponseItem.Call(RequestId.create("fc_"), ResponseItem.IN_PROGRESS, callId, name, ""), out);
            }
            case AssistantPart.ToolCallArguments(int _, String fragment) -> {
                if (open instanceof ResponseItem.Call call && !fragment.isEmpty()) {
                    delta("response.function_call_arguments.delta", call, fragment, out);
                }
            }
        }
    }

    @Override
    public void finish(AnswerEvent.Finished end, NamedEvents out) {
        finish(end.reason(), end.usage(), out);
    }

    /** The complete answer. */
    Map<String, @Nullable Object> finish(AnswerEnd reason, Usage usage, NamedEvents out) {
        boolean complete = reason != AnswerEnd.LENGTH;
        String status = complete ? ResponseItem.COMPLETED : ResponseItem.INCOMPLETE;
        if (output.isEmpty() && open == null) {
            openMessage(out);
        }
        close(status, out);
        Map<String, @Nullable Object> body = body(status, usage, null);
        completion.completed(body, output);
        emit(new ResponseEvent.Stage(complete ? "response.completed" : "response.incomplete", sequence++, body), out);
        return body;
    }

    @Override
    public void fail(ApiError error, NamedEvents out) {
        emit(new ResponseEvent.Stage("response.failed", sequence++, body("failed", null, error)), out);
    }

    @Override
    public void ping(NamedEvents out) {
        out.comment("ping");
    }

    private ResponseItem openMessage(NamedEvents out) {
        if (open instanceof ResponseItem.Message message) {
            return message;
        }
        close(ResponseItem.COMPLETED, out);
        ResponseItem message = open(new ResponseItem.Message(RequestId.create("msg_"), ResponseItem.IN_PROGRESS, List.of()), out);
        emit(new ResponseEvent.Part("response.content_part.added", sequence++, message.id(), output.size(), FIRST_PART,
                new ResponseItem.OutputText("")), out);
        return message;
    }

    private ResponseItem openReasoning(NamedEvents out) {
        if (open instanceof ResponseItem.Reasoning reasoning) {
            return reasoning;
        }
        close(ResponseItem.COMPLETED, out);
        ResponseItem reasoning = open(new ResponseItem.Reasoning(RequestId.create("rs_"), ResponseItem.IN_PROGRESS, List.of()), out);
        emit(new ResponseEvent.Part("response.content_part.added", sequence++, reasoning.id(), output.size(), FIRST_PART,
                new ResponseItem.ReasoningText("")), out);
        return reasoning;
    }

    private ResponseItem open(ResponseItem item, NamedEvents out) {
        open = item;
        text.setLength(0);
        emit(new ResponseEvent.Item("response.output_item.added", sequence++, output.size(), item), out);
        return item;
    }

    private void delta(String type, ResponseItem item, String more, NamedEvents out) {
        text.append(more);
        boolean parts = !(item instanceof ResponseItem.Call);
        emit(new ResponseEvent.Delta(type, sequence++, item.id(), output.size(), parts ? FIRST_PART : null, more,
                item instanceof ResponseItem.Message ? List.of() : null), out);
    }

    private void close(String status, NamedEvents out) {
        ResponseItem item = open;
        if (item == null) {
            return;
        }
        open = null;
        String whole = text.toString();
        int index = output.size();
        ResponseItem finished = switch (item) {
            case ResponseItem.Message message -> {
                ResponseItem.OutputText content = new ResponseItem.OutputText(whole);
                emit(new ResponseEvent.Done("response.output_text.done", sequence++, message.id(), index, FIRST_PART, whole, List.of(),
                        null,
                        null), out);
                emit(new ResponseEvent.Part("response.content_part.done", sequence++, message.id(), index, FIRST_PART, content), out);
                yield new ResponseItem.Message(message.id(), status, List.of(content));
            }
            case ResponseItem.Reasoning reasoning -> {
                ResponseItem.ReasoningText content = new ResponseItem.ReasoningText(whole);
                reasoningTokens += tokenCount.applyAsInt(whole);
                emit(new ResponseEvent.Done("response.reasoning_text.done", sequence++, reasoning.id(), index, FIRST_PART, whole, null,
                        null,
                        null), out);
                emit(new ResponseEvent.Part("response.content_part.done", sequence++, reasoning.id(), index, FIRST_PART, content), out);
                yield new ResponseItem.Reasoning(reasoning.id(), status, List.of(content));
            }
            case ResponseItem.Call call -> {
                emit(new ResponseEvent.Done("response.function_call_arguments.done", sequence++, call.id(), index, null, null, null,
                        call.name(),
                        whole), out);
                yield new ResponseItem.Call(call.id(), status, call.callId(), call.name(), whole);
            }
        };
        output.add(finished);
        emit(new ResponseEvent.Item("response.output_item.done", sequence++, index, finished), out);
    }

    private Map<String, @Nullable Object> body(String status, @Nullable Usage usage, @Nullable ApiError error) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("id", head.id());
        body.put("object", "response");
        body.put("created_at", head.created());
        body.put("status", status);
        body.put("background", false);
        body.put("completed_at", status.equals(ResponseItem.COMPLETED) ? head.now().getAsLong() : null);
        body.put("error", error == null ? null : new Failure(failureCode(error), error.message()));
        body.put("incomplete_details", status.equals(ResponseItem.INCOMPLETE) ? Map.of("reason", "max_output_tokens") : null);
        body.put("model", head.model());
        body.put("output", List.copyOf(output));
        body.put("usage", usage == null ? null : usage(usage));
        body.putAll(head.echo());
        return body;
    }

    // The one of OpenAI's words that fits, since its clients know no others.
    private static String failureCode(ApiError error) {
        return switch (error.status()) {
            case 429 -> "rate_limit_exceeded";
            case 400, 413 -> "invalid_prompt";
            default -> "server_error";
        };
    }

    private UsageCounts usage(Usage usage) {
        return new UsageCounts(usage.promptTokens(), new InputDetails(usage.cachedTokens(), 0), usage.completionTokens(),
                new OutputDetails(Math.min(reasoningTokens, usage.completionTokens())), usage.totalTokens());
    }

    private static void emit(ResponseEvent event, NamedEvents out) {
        out.event(event.type(), event);
    }

    record Failure(String code, String message) {}

    record UsageCounts(int inputTokens, InputDetails inputTokensDetails, int outputTokens, OutputDetails outputTokensDetails,
            int totalTokens) {}

    /** @param cacheWriteTokens 0: what is kept costs nothing */
    record InputDetails(int cachedTokens, int cacheWriteTokens) {}

    record OutputDetails(int reasoningTokens) {}
}
