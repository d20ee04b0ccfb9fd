package dev.ringside.api;

import dev.ringside.api.CompletionRequest.Text;
import dev.ringside.api.CompletionRequest.Tokens;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** From requests to token ids. */
final class Prompts {

    private final @Nullable ChatTemplate template;
    private final Tokenizer tokenizer;

    /** @param template null when the model has none, so that only plain completions work */
    Prompts(@Nullable ChatTemplate template, Tokenizer tokenizer) {
        this.template = template;
        this.tokenizer = tokenizer;
    }

    int[] encode(ChatCompletionRequest request) {
        if (template == null) {
            throw ApiException.unsupported("messages", "This model has no usable chat template; send text to /v1/completions instead");
        }
        return nonEmpty(withBos(tokenizer.encode(template.render(request.conversation()))), "messages");
    }

    List<int[]> encode(CompletionRequest request) {
        List<int[]> prompts = new ArrayList<>(request.prompts().size());
        for (CompletionRequest.Prompt prompt : request.prompts()) {
            prompts.add(switch (prompt) {
                case Text(String text, String path) -> nonEmpty(withBos(tokenizer.encode(text, SpecialTokens.RECOGNISE)), path);
                case Tokens(int[] ids) -> ids;
            });
        }
        return prompts;
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
