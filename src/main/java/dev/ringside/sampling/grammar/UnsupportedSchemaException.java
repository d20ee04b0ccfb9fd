package dev.ringside.sampling.grammar;

/** A JSON schema is malformed, has no valid instance, or uses a keyword or a combination that can't be enforced exactly. */
public final class UnsupportedSchemaException extends GrammarException {

    private static final long serialVersionUID = 1L;

    private final String path;
    private final String keyword;

    /**
     * @param path JSON pointer of the schema that holds the keyword, as a fragment: {@code #/properties/name}
     * @param keyword the keyword, or the empty string when the schema as a whole is at fault
     */
    public UnsupportedSchemaException(String path, String keyword, String message) {
        super((keyword.isEmpty() ? "schema at " + path : "'" + keyword + "' in the schema at " + path) + ": " + message);
        this.path = path;
        this.keyword = keyword;
    }

    public String path() {
        return path;
    }

    public String keyword() {
        return keyword;
    }
}
