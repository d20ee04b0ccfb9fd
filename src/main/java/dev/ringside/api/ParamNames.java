package dev.ringside.api;

import dev.ringside.chat.TemplateException;
import dev.ringside.tokenizer.TokenizerException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the fields of a chat request were called in the request that was translated to it, so that a refusal names what the client wrote.
 */
final class ParamNames {

    private final Map<String, String> originals = new LinkedHashMap<>();

    /** @param translated path of a field, whose inner fields are renamed with it */
    void add(String translated, String original) {
        originals.put(translated, original);
    }

    /** The same refusal under the client's names. */
    ApiException rename(ApiException refused) {
        ApiError error = refused.error();
        String original = original(error.param());
        if (original == null || original.equals(error.param())) {
            return refused;
        }
        return new ApiError(error.status(), error.message().replace(String.valueOf(error.param()), original), error.type(), original,
                error.code(), error.retryAfter()).toException();
    }

    /** A failure under the client's names, if it is the client's. */
    Throwable rename(Throwable failure, ErrorMapper errors) {
        ApiError error = errors.map(failure);
        return error.status() == 400 ? rename(error.toException()) : failure;
    }

    /** Does what may refuse the translated request. */
    <T> T renaming(Supplier<T> step, ErrorMapper errors) {
        try {
            return step.get();
        } catch (ApiException | TemplateException | TokenizerException e) {
            throw rename(errors.map(e).toException());
        }
    }

    private @Nullable String original(@Nullable String param) {
        if (param == null) {
            return null;
        }
        String best = null;
        for (String translated : originals.keySet()) {
            if (isWithin(param, translated) && (best == null || translated.length() > best.length())) {
                best = translated;
            }
        }
        return best == null ? param : originals.get(best) + param.substring(best.length());
    }

    private static boolean isWithin(String param, String outer) {
        return param.startsWith(outer)
                && (param.length() == outer.length() || param.charAt(outer.length()) == '.' || param.charAt(outer.length()) == '[');
    }
}
