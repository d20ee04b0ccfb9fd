package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers between two bounds in plain decimal notation, compared digit by digit and so exactly. A bound that is absent stands at 20 digits.
 *
 * @param low least number, if any
 * @param high greatest number, if any
 * @param places digits behind the point at most; 0 for integers
 */
record NumberRange(@Nullable BigDecimal low, boolean lowExcluded, @Nullable BigDecimal high, boolean highExcluded, int places) {

    private static final BigDecimal LIMIT = BigDecimal.TEN.pow(JsonSyntax.MAX_DIGITS);

    Expr expr() {
        BigDecimal least = low == null ? LIMIT.negate() : low;
        BigDecimal most = high == null ? LIMIT : high;
        boolean leastExcluded = low == null || lowExcluded;
        boolean mostExcluded = high == null || highExcluded;
        List<Expr> parts = new ArrayList<>();
        if (most.signum() >= 0) {
            boolean positive = least.signum() < 0;
            parts.add(magnitudes(positive ? BigDecimal.ZERO : least, !positive && leastExcluded, most, mostExcluded));
        }
        if (least.signum() < 0) {
            boolean negative = most.signum() >= 0;
            parts.add(Expr.sequence(Expr.literal("-"),
                    magnitudes(negative ? BigDecimal.ZERO : most.negate(), negative || mostExcluded, least.negate(), leastExcluded)));
        }
        return new Expr.Choice(parts);
    }

    private Expr magnitudes(BigDecimal from, boolean fromExcluded, BigDecimal to, boolean toExcluded) {
        if (places > 0) {
            return new Digits(from, fromExcluded, to, toExcluded, places).expr();
        }
        BigInteger first = from.setScale(0, RoundingMode.CEILING).toBigIntegerExact();
        BigInteger last = to.setScale(0, RoundingMode.FLOOR).toBigIntegerExact();
        if (fromExcluded && first.equals(from.setScale(0, RoundingMode.FLOOR).toBigIntegerExact())) {
            first = first.add(BigInteger.ONE);
        }
        if (toExcluded && last.equals(to.setScale(0, RoundingMode.CEILING).toBigIntegerExact())) {
            last = last.subtract(BigInteger.ONE);
        }
        return new Digits(new BigDecimal(first), false, new BigDecimal(last), false, 0).expr();
    }

    /** Non-negative numbers; bounds have no more digits behind the point than {@code places}. */
    private record Digits(BigDecimal from, boolean fromExcluded, BigDecimal to, boolean toExcluded, String low, String high,
            String lowPlaces,
            String highPlaces, int places) {

        Digits(BigDecimal from, boolean fromExcluded, BigDecimal to, boolean toExcluded, int places) {
            this(from, fromExcluded, to, toExcluded, whole(from), whole(to), fraction(from, places), fraction(to, places), places);
        }

        private static String whole(BigDecimal value) {
            return value.toBigInteger().toString();
        }

        private static String fraction(BigDecimal value, int places) {
            BigInteger digits = value.subtract(new BigDecimal(value.toBigInteger())).abs().movePointRight(places).toBigIntegerExact();
            String text = digits.toString();
            return "0".repeat(Math.max(0, places - text.length())) + (places == 0 ? "" : text);
        }

        Expr expr() {
            int order = from.compareTo(to);
            if (order > 0 || order == 0 && (fromExcluded || toExcluded)) {
                return Expr.NEVER;
            }
            List<Expr> parts = new ArrayList<>();
            if (low.length() == high.length()) {
                parts.add(digits(0, low.length(), true, true));
            } else {
                parts.add(digits(0, low.length(), true, false));
                if (low.length() + 1 < high.length()) {
                    parts.add(Expr.sequence(JsonSyntax.NON_ZERO, JsonSyntax.digits(low.length(), high.length() - 2), point(false, false)));
                }
                parts.add(digits(0, high.length(), false, true));
            }
            return new Expr.Choice(parts);
        }

        /** The rest of a number behind {@code at} of {@code length} digits that were, if so bound, those of the bounds. */
        private Expr digits(int at, int length, boolean lowBound, boolean highBound) {
            if (at == length) {
                return point(lowBound, highBound);
            }
            int first = lowBound ? low.charAt(at) - '0' : at == 0 && length > 1 ? 1 : 0;
            int last = highBound ? high.charAt(at) - '0' : 9;
            if (!lowBound && !highBound) {
                return Expr.sequence(digit(first, 9), JsonSyntax.digits(length - at - 1, length - at - 1), point(false, false));
            }
            return branches(first, last, lowBound, highBound, (low, high) -> digits(at + 1, length, low, high));
        }

        /** What follows a digit, by whether the digits are still those of a bound. */
        private interface Rest {

            Expr behind(boolean lowBound, boolean highBound);
        }

        private static Expr branches(int first, int last, boolean lowBound, boolean highBound, Rest rest) {
            List<Expr> parts = new ArrayList<>();
            int freeFrom = lowBound ? first + 1 : first;
            int freeTo = highBound ? last - 1 : last;
            if (lowBound && highBound && first == last) {
                return Expr.sequence(digit(first, first), rest.behind(true, true));
            }
            if (lowBound && first <= last) {
                parts.add(Expr.sequence(digit(first, first), rest.behind(true, false)));
            }
            if (freeFrom <= freeTo) {
                parts.add(Expr.sequence(digit(freeFrom, freeTo), rest.behind(false, false)));
            }
            if (highBound && first <= last) {
                parts.add(Expr.sequence(digit(last, last), rest.behind(false, true)));
            }
            return new Expr.Choice(parts);
        }

        private Expr point(boolean lowBound, boolean highBound) {
            if (places == 0) {
                return Expr.EMPTY;
            }
            Expr fraction = Expr.sequence(Expr.literal("."), places(0, lowBound, highBound, true));
            return mayEnd(0, lowBound, highBound) ? Expr.optional(fraction) : fraction;
        }

        private Expr places(int at, boolean lowBound, boolean highBound, boolean needed) {
            if (!lowBound && !highBound) {
                return JsonSyntax.digits(needed ? 1 : 0, places - at);
            }
            if (at == places) {
                return Expr.EMPTY;
            }
            int first = lowBound ? lowPlaces.charAt(at) - '0' : 0;
            int last = highBound ? highPlaces.charAt(at) - '0' : 9;
            Expr more = branches(first, last, lowBound, highBound, (low, high) -> {
                Expr rest = places(at + 1, low, high, false);
                return at + 1 < places || mayEnd(places, low, high) ? rest : Expr.NEVER;
            });
            return !needed && mayEnd(at, lowBound, highBound) ? Expr.optional(more) : more;
        }

        /** Whether the number may end behind so many places: nothing but zeros would follow. */
        private boolean mayEnd(int at, boolean lowBound, boolean highBound) {
            boolean aboveLow = !lowBound || zeros(lowPlaces, at) && !fromExcluded;
            boolean belowHigh = !highBound || !(toExcluded && zeros(highPlaces, at));
            return aboveLow && belowHigh;
        }

        private static boolean zeros(String digits, int from) {
            for (int i = from; i < digits.length(); i++) {
                if (digits.charAt(i) != '0') {
                    return false;
                }
            }
            return true;
        }

        private static Expr digit(int first, int last) {
            return new Expr.ByteRange('0' + first, '0' + last);
        }
    }
}
