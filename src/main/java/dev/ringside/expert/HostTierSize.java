package dev.ringside.expert;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How large the host tier is to be: the value of {@code ringside.experts.host-tier-bytes}.
 *
 * @param capacity its size, or null for no tier; {@code auto} takes up to half of the machine's memory
 */
public record HostTierSize(@Nullable ExpertCapacity capacity) {

    /** No tier. */
    public static final HostTierSize NONE = new HostTierSize(null);

    private static final String PROPERTY = "ringside.experts.host-tier-bytes";

    /**
     * Reads {@code 0}, {@code auto}, a size such as {@code 64GB} or a share of all experts such as {@code 50%}.
     *
     * @throws IllegalArgumentException naming property, value and the allowed forms
     */
    public static HostTierSize parse(String text) {
        try {
            ExpertCapacity capacity = ExpertCapacity.parse(text);
            return capacity instanceof ExpertCapacity.Bytes size && size.bytes() == 0 ? NONE : new HostTierSize(capacity);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(PROPERTY + ": found '" + text
                    + "', expected 0, auto, a size such as 64GB, or a share of all experts such as 50%", e);
        }
    }

    /**
     * Number of slots, never more than there are experts; 0 for no tier.
     *
     * @param needed fewest slots that work
     * @throws IllegalArgumentException naming property, value and the bytes needed when fewer slots than that were asked for
     */
    int slots(long slotBytes, int totalExperts, int needed) {
        if (capacity == null) {
            return 0;
        }
        long slots = switch (capacity) {
            case ExpertCapacity.Auto auto ->
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() / 2 / slotBytes;
            case ExpertCapacity.Bytes size -> size.bytes() / slotBytes;
            case ExpertCapacity.Percent share -> (long) Math.floor(totalExperts * share.percent() / 100 + 1e-6);
        };
        int least = Math.min(needed, totalExperts);
        if (slots < least) {
            throw new IllegalArgumentException(String.format(Locale.ROOT,
                    "%s: '%s' gives room for %d experts, but a tier needs at least %d: set it to 0, to %d or more, or to auto", PROPERTY,
                    capacity,
                    slots, least, least * slotBytes));
        }
        return (int) Math.min(slots, totalExperts);
    }

    @Override
    public String toString() {
        return capacity == null ? "0" : capacity.toString();
    }
}
