package dev.ringside.sampling.grammar;

import java.util.Map;

/** Values of the schema keyword {@code format} as patterns. Each takes a part of what the format allows, never more. */
final class Formats {

    private static final String LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
    private static final String DATE = "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
            + "|02-(?:0[1-9]|1[0-9]|2[0-8]))|" + LEAP_YEAR + "-02-29)";
    private static final String OFFSET = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
    private static final String TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?" + OFFSET;
    private static final String LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?";
    private static final String NAME = LABEL + "(?:\\." + LABEL + "){0,3}";
    private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final String HEX = "[0-9A-Fa-f]";
    private static final String GROUP = HEX + "{1,4}";
    private static final String DURATION_TIME = "T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S)";
    private static final String DURATION_DATE = "(?:[0-9]{1,9}Y(?:[0-9]{1,9}M(?:[0-9]{1,9}D)?)?|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}D)";

    /** RFC 3339, 5321, 1123, 2673, 4291 and 4122, and ISO 8601 durations as RFC 3339 has them. No leap seconds, no quoted mailbox names. */
    static final Map<String, String> PATTERNS = Map.of(
            "date", whole(DATE),
            "time", whole(TIME),
            "date-time", whole(DATE + "T" + TIME),
            "duration", whole("P(?:" + DURATION_DATE + "(?:" + DURATION_TIME + ")?|" + DURATION_TIME + "|[0-9]{1,9}W)"),
            "email", whole("[A-Za-z0-9_+-]{1,15}(?:\\.[A-Za-z0-9_+-]{1,15}){0,3}@" + LABEL + "(?:\\." + LABEL + "){0,2}\\.[A-Za-z]{2,12}"),
            "hostname", whole(NAME),
            "ipv4", whole(BYTE + "(?:\\." + BYTE + "){3}"),
            "ipv6", whole(ipv6()),
            "uuid", whole(HEX + "{8}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{12}"));

    private Formats() {}

    private static String whole(String pattern) {
        return "^(?:" + pattern + ")$";
    }

    /** Eight groups, or fewer with one {@code ::} in their place. */
    private static String ipv6() {
        StringBuilder pattern = new StringBuilder("(?:" + GROUP + ":){7}" + GROUP);
        for (int before = 0; before <= 7; before++) {
            String head = before == 0 ? ":" : "(?:" + GROUP + ":){" + before + "}";
            String tail = before == 7 ? "" : "(?:" + GROUP + "(?::" + GROUP + "){0," + (6 - before) + "})?";
            pattern.append('|').append(head).append(':').append(tail);
        }
        return pattern.toString();
    }
}
