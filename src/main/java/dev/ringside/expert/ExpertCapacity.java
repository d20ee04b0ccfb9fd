package dev.ringside.expert;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How large an expert arena is to be: the value of {@code ringside.experts.arena-bytes}. */
public sealed interface ExpertCapacity {

    /** All experts where they fit in the memory budget, otherwise as many as do. */
    record Auto() implements ExpertCapacity {

        @Override
        public String toString() {
            return "auto";
        }
    }

    /** So many bytes. */
    record Bytes(long bytes, String text) implements ExpertCapacity {

        @Override
        public String toString() {
            return text;
        }
    }

    /** A share of all experts of the model, above 0 and at most 100. */
    record Percent(double percent, String text) implements ExpertCapacity {

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * Reads {@code auto}, a size such as {@code 8GB} or {@code 512MB} (multiples of 1024; plain numbers are bytes) or a share of all
     * experts such as {@code 25%}.
     *
     * @throws IllegalArgumentException naming property, value and the allowed forms
     */
    static ExpertCapacity parse(String text) {
        String value = text.strip().toUpperCase(Locale.ROOT);
        try {
            if (value.equals("AUTO")) {
                return new Auto();
            }
            if (value.endsWith("%")) {
                double percent = Double.parseDouble(value.substring(0, value.length() - 1).strip());
                if (percent > 0 && percent <= 100) {
                    return new Percent(percent, text.strip());
                }
                throw refused(text, null);
            }
            int digits = 0;
            while (digits < value.length() && value.charAt(digits) >= '0' && value.charAt(digits) <= '9') {
                digits++;
            }
            long number = Long.parseLong(value.substring(0, digits));
            return new Bytes(Math.multiplyExact(number, unit(text, value.substring(digits).strip())), text.strip());
        } catch (NumberFormatException | ArithmeticException e) {
            throw refused(text, e);
        }
    }

    private static long unit(String text, String unit) {
        return switch (unit) {
            case "", "B" -> 1;
            case "KB", "KIB" -> 1L << 10;
            case "MB", "MIB" -> 1L << 20;
            case "GB", "GIB" -> 1L << 30;
            case "TB", "TIB" -> 1L << 40;
            default -> throw refused(text, null);
        };
    }

    private static IllegalArgumentException refused(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException(ExpertArenaTooSmallException.PROPERTY + ": found '" + text
                + "', expected auto, a size such as 8GB or 512MB, or a share of all experts above 0% and up to 100% such as 25%", cause);
    }

    /**
     * Number of slots, never more than there are experts.
     *
     * @param budget bytes that {@code auto} may use
     * @param expertsPerToken experts a token is routed to in one layer
     * @throws ExpertArenaTooSmallException below {@link #minimumSlots}
     */
    default int slots(long slotBytes, int totalExperts, int expertsPerToken, long budget) {
        long slots = switch (this) {
            case Auto auto -> budget / slotBytes;
            case Bytes size -> size.bytes() / slotBytes;
            // The tiny addend undoes the rounding of shares that are whole numbers of experts.
            case Percent share -> (long) Math.floor(totalExperts * share.percent() / 100 + 1e-6);
        };
        slots = Math.min(slots, totalExperts);
        int needed = minimumSlots(totalExperts, expertsPerToken);
        if (slots < needed) {
            long asked = switch (this) {
                case Auto auto -> budget;
                case Bytes size -> size.bytes();
                case Percent share -> slots * slotBytes;
            };
            throw new ExpertArenaTooSmallException(toString(), asked, needed, slotBytes, totalExperts, expertsPerToken);
        }
        return (int) slots;
    }

    /** Fewest slots that work: the experts of one token in use while those of the next wave are staged, or all there are. */
    static int minimumSlots(int totalExperts, int expertsPerToken) {
        return Math.min(totalExperts, Math.max(2, 2 * expertsPerToken));
    }
}
