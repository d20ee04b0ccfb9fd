package dev.ringside.download;

import java.io.IOException;

/** What a status other than success means. */
final class Refusals {

    private Refusals() {}

    /**
     * Gives the failure to throw when trying again may help, throws one that ends the download otherwise.
     *
     * @param hub whether the hub was asked
     * @param token whether it got a token
     */
    static IOException of(HttpAnswer answer, String name, boolean hub, boolean token) {
        int status = answer.status();
        return switch (status) {
            case 408, 425, 429, 500, 502, 503, 504 -> new TransientFailure(
                    status == 429 ? "the server is asked too often (429)" : "the server can't answer now (" + status + ")",
                    answer.retryAfter(), null);
            case 401, 403 -> throw new DownloadException(name + ": access is refused (" + status + ")", access(hub, token), null);
            case 404, 410 -> throw new DownloadException(name + " does not exist (" + status + ")", hub
                    ? "Check organisation, repository, revision and file; the hub lists them under Files."
                    : "Check ringside.model.path.", null);
            default -> throw new DownloadException(name + ": the server answers with status " + status, "Check ringside.model.path.", null);
        };
    }

    private static String access(boolean hub, boolean token) {
        if (!hub) {
            return "Use an address that needs no login, such as a presigned one, or download the file and set its path.";
        }
        return token
                ? "Check that the repository exists, that its terms are accepted, and that the token in HF_TOKEN may read it."
                : "Check that the repository exists; if it is private or has terms, set HF_TOKEN to a token that may read it.";
    }
}
