package dev.ringside.config;

import dev.ringside.gpu.DeviceInfo;
import dev.ringside.model.ModelInfo;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StateLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long sequences may be and how much memory they get.
 *
 * @param contextLength most tokens of a sequence
 */
record StatePlan(int contextLength, StateBudget budget) {

    private static final Logger LOG = LoggerFactory.getLogger(StatePlan.class);
    private static final String CONTEXT = "ringside.model.context-length";
    private static final String MEMORY = "ringside.state.memory-bytes";
    private static final int DEVICE_SHARE = 4;
    private static final int SHORTEST_CONTEXT = 2;
    // One to read and one to write.
    private static final int PLANES = 2;
    // For the state at a boundary inside a prompt, so that no step has to be cut for it.
    private static final int BOUNDARY_PLANES = 1;

    /** @param drafts most drafts of a sequence in a step, each of which takes a plane */
    static StatePlan of(RingsideProperties settings, ModelInfo model, StateLayout layout, DeviceInfo device, int drafts) {
        int asked = settings.model().contextLength();
        InvalidSettingException.require(asked == 0 || asked >= SHORTEST_CONTEXT && asked <= model.contextLength(), CONTEXT, asked,
                "must be 0 (all the model was made for) or from " + SHORTEST_CONTEXT + " to " + model.contextLength());
        int context = asked == 0 ? model.contextLength() : asked;
        int sequences = settings.scheduler().maxActive();
        boolean keepsBoundaries = settings.checkpoints().memoryBytes().toBytes() > 0 && layout.planeBytes() > 0;
        int planes = PLANES + Math.max(keepsBoundaries ? BOUNDARY_PLANES : 0, drafts);
        long fixed = Math.multiplyExact(sequences * (long) planes, Math.max(layout.planeBytes(), StateLayout.ALIGNMENT));
        long pageBytes = Math.max(layout.pageBytes(), StateLayout.ALIGNMENT);
        long wanted = Math.multiplyExact((long) sequences, layout.pagesFor(context));
        long set = settings.state().memoryBytes().toBytes();
        long allowed = set == 0 ? device.totalBytes() / DEVICE_SHARE : set;
        long pages = Math.min(wanted, Math.max(0, allowed - fixed) / pageBytes);
        if (pages >= layout.pagesFor(context)) {
            return new StatePlan(context, new StateBudget(sequences, planes, pages));
        }
        int longest = (int) Math.min(context, pages * layout.pageTokens());
        long needed = fixed + layout.pagesFor(context) * pageBytes;
        // What somebody asked for is not quietly made less; a default is.
        if (asked != 0 || longest < SHORTEST_CONTEXT) {
            throw tooSmall(context, needed, allowed, longest);
        }
        LOG.warn(
                "The context is {} tokens instead of the model's {}: one sequence of that length and {} sequences at a time would take {}, and {} are "
                        + "allowed. Raise {} or lower ringside.scheduler.max-active.",
                longest, context, sequences, Sizes.text(needed), Sizes.text(allowed), MEMORY);
        return new StatePlan(longest, new StateBudget(sequences, planes, pages));
    }

    private static StartupException tooSmall(int context, long needed, long allowed, int longest) {
        return new StartupException(
                "A sequence of " + context + " tokens and the recurrent state of all sequences take " + Sizes.text(needed) + " ("
                        + needed + " bytes), but " + Sizes.text(allowed) + " are allowed (" + MEMORY + ").",
                "Set " + MEMORY + " to " + needed + " or more, or lower ringside.scheduler.max-active"
                        + (longest < SHORTEST_CONTEXT ? "." : ", or lower " + CONTEXT + " to " + longest + "."),
                null);
    }
}
