package dev.ringside.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What the HTTP interface needs to know.
 *
 * @param modelId the model's name in requests and answers
 * @param modelCreated when the model file was written
 * @param contextLength longest prompt plus answer, in tokens
 * @param vocabularySize token ids are 0 to this number, exclusive
 * @param sampling used when a request says nothing
 * @param keys one of which a request must carry; empty means open
 * @param openPaths path patterns that need no key
 * @param maxBodyBytes largest request body
 * @param bodyTimeout longest pause of a client while it sends its body
 * @param commentInterval longest silence of a stream before a comment is sent; zero sends none
 * @param fingerprint names model and backend in answers
 * @param cors which web pages of other origins may call
 * @param responses how much of answers is kept for those that continue them
 */
public record ApiSettings(String modelId, Instant modelCreated, int contextLength, int vocabularySize, SamplingDefaults sampling,
        List<ApiKey> keys, List<String> openPaths,
        int maxBodyBytes, Duration bodyTimeout, Duration commentInterval, String fingerprint, CorsSettings cors,
        ResponseStoreSettings responses) {

    public ApiSettings {
        keys = List.copyOf(keys);
        openPaths = List.copyOf(openPaths);
    }

    @Override
    public String toString() {
        // Keys are secrets.
        return "ApiSettings[modelId=" + modelId + ", contextLength=" + contextLength + ", keys=" + keys.size() + "]";
    }
}
