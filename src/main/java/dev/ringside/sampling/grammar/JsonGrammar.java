package dev.ringside.sampling.grammar;

/** JSON without a schema: for {@code response_format} {@code json_object}. Whitespace and the digits of numbers are bounded. */
public final class JsonGrammar {

    private JsonGrammar() {}

    /** Any JSON object. */
    public static Grammar anyObject() {
        return new Grammar(new JsonRules().anyObject());
    }

    /** Any JSON value. */
    public static Grammar anyValue() {
        return new Grammar(new JsonRules().anyValue());
    }
}
