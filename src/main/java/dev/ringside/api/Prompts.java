package dev.ringside.api;

import dev.ringside.api.CompletionRequest.Text;
import dev.ringside.api.CompletionRequest.Tokens;
import dev.ringside.chat.ChatRequest;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.chat.TemplateException;
import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.TextSpan;
import dev.ringside.tokenizer.TokenStreamDecoder;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** From requests to token ids. */
final class Prompts {

    // Each costs a copy of the state that recurs, and those far back are seldom where conversations part.
    private static final int LATEST_BOUNDARIES = 7;
    private static final int[] NO_BOUNDARIES = {};

    private final @Nullable ChatTemplate template;
    private final Tokenizer tokenizer;

    /** @param template null when the model has none, so that only plain completions work */
    Prompts(@Nullable ChatTemplate template, Tokenizer tokenizer) {
        this.template = template;
        this.tokenizer = tokenizer;
    }

    /**
     * A conversation as the model's template writes it.
     *
     * @throws ApiException when the model has no template
     * @throws TemplateException when the template refuses the conversation
     */
    List<TextSpan> render(ChatRequest conversation) {
        if (template == null) {
            throw ApiException.unsupported("messages", "This model has no usable chat template; send text to /v1/completions instead");
        }
        return template.render(conversation);
    }

    Prompt encode(List<TextSpan> rendered) {
        int[] ids = nonEmpty(withBos(tokenizer.encode(rendered)), "messages");
        return new Prompt(ids, boundaries(ids));
    }

    List<Prompt> encode(CompletionRequest request) {
        List<Prompt> prompts = new ArrayList<>(request.prompts().size());
        for (CompletionRequest.Prompt prompt : request.prompts()) {
            prompts.add(new Prompt(switch (prompt) {
                case Text(String text, String path) -> nonEmpty(withBos(tokenizer.encode(text, SpecialTokens.RECOGNISE)), path);
                case Tokens(int[] ids) -> ids;
            }, NO_BOUNDARIES));
        }
        return prompts;
    }

    /** The text of a prompt as a client sent it. */
    String text(CompletionRequest.Prompt prompt) {
        return switch (prompt) {
            case Text(String text, String _) -> text;
            case Tokens(int[] ids) -> {
                TokenStreamDecoder decoder = new TokenStreamDecoder(tokenizer, true);
                StringBuilder text = new StringBuilder();
                for (int id : ids) {
                    text.append(decoder.append(id));
                }
                yield text.append(decoder.flush()).toString();
            }
        };
    }

    /**
     * Where conversations that begin alike may part: behind the first message, which is often a long one of the system, and behind the
     * latest. Content can't forge the tokens that end a message.
     */
    private int[] boundaries(int[] ids) {
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < ids.length - 1; i++) {
            if (tokenizer.isEndOfGeneration(ids[i])) {
                ends.add(i + 1);
            }
        }
        if (ends.isEmpty()) {
            return turnStarts(ids);
        }
        return kept(ends);
    }

    /** For templates that mark only where a message begins. */
    private int[] turnStarts(int[] ids) {
        List<Integer> starts = new ArrayList<>();
        for (int i = 1; i < ids.length; i++) {
            if (tokenizer.isControl(ids[i]) && !tokenizer.isControl(ids[i - 1])) {
                starts.add(i);
            }
        }
        return kept(starts);
    }

    private static int[] kept(List<Integer> positions) {
        int size = positions.size();
        if (size <= LATEST_BOUNDARIES + 1) {
            return positions.stream().mapToInt(Integer::intValue).toArray();
        }
        int[] kept = new int[LATEST_BOUNDARIES + 1];
        kept[0] = positions.getFirst();
        for (int i = 0; i < LATEST_BOUNDARIES; i++) {
            kept[i + 1] = positions.get(size - LATEST_BOUNDARIES + i);
        }
        return kept;
    }

    /** Puts the start token in front where the model wants one and template or text did not write it. */
    private int[] withBos(int[] ids) {
        if (!tokenizer.addsBosToken() || tokenizer.bosToken().isEmpty()) {
            return ids;
        }
        int start = tokenizer.bosToken().getAsInt();
        if (ids.length == 0 || ids[0] == start) {
            return ids;
        }
        int[] all = new int[ids.length + 1];
        all[0] = start;
        System.arraycopy(ids, 0, all, 1, ids.length);
        return all;
    }

    private static int[] nonEmpty(int[] ids, String path) {
        if (ids.length == 0) {
            throw ApiException.invalidValue(path, path + " must not be empty");
        }
        return ids;
    }
}
