package dev.ringside.model;

import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.WaveConsumer;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.RowNorm;
import dev.ringside.gpu.SharedExpert;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Mixture of experts with an optional shared expert. The router's choices are grouped by expert, the fetcher brings the experts into slots
 * in waves, and each wave's experts run on the rows that chose them. Outputs are summed in router order whatever the waves were.
 */
final class MoeBlock implements ChannelMixer, WaveConsumer {

    /**
     * Weights of one layer; routed experts lie in slots.
     *
     * @param alike the shared expert as one of the routed ones, where it is shaped like them and the device routes by itself
     */
    record Weights(int layer, Matrix router, float scale, ExpertShape experts, @Nullable FeedForward shared,
            @Nullable DevicePtr sharedGate, @Nullable SharedExpert alike) {}

    /**
     * Activations and routing, shared by the layers of a model.
     *
     * @param guesses the routing of {@value #LOOKAHEAD_ROWS} rows
     * @param resident the experts as the device knows them, null where the host is the device
     */
    record Buffers(RoutingTable routing, RoutingTable guesses, ExpertGroups groups, ExpertWave wave, DevicePtr expertOut,
            DevicePtr sharedOut, @Nullable ResidentExperts resident) {}

    /** Steps of more rows touch so many experts of a layer that guessing them is no use. */
    static final int LOOKAHEAD_ROWS = 8;

    private static final WaveConsumer NOBODY = (experts, slotAddresses, count) -> {
        // The device has used them already.
    };

    private final Kernels kernels;
    private final GpuStream stream;
    private final ExpertFetcher fetcher;
    private final Weights weights;
    private final Buffers buffers;
    private final int[] guessed;
    private final @Nullable RoutingTable log;
    private DevicePtr input;
    private @Nullable Weights next;

    MoeBlock(Kernels kernels, GpuStream stream, ExpertFetcher fetcher, Weights weights, Buffers buffers) {
        this.kernels = kernels;
        this.stream = stream;
        this.fetcher = fetcher;
        this.weights = weights;
        this.buffers = buffers;
        this.guessed = new int[LOOKAHEAD_ROWS * buffers.guesses().choices()];
        this.input = buffers.sharedOut();
        this.log = buffers.resident() == null ? null : buffers.resident().routing().log(weights.layer());
    }

    int layer() {
        return weights.layer();
    }

    /** Names the mixture of experts that is computed after this one. */
    void precedes(MoeBlock block) {
        next = block.weights;
    }

    @Override
    public void forward(@Nullable RowNorm norm, DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum,
            @Nullable ForwardObserver observer) {
        ResidentExperts resident = buffers.resident();
        if (resident != null && resident.active()) {
            forward(resident, norm, hidden, rows, out, sum);
            return;
        }
        if (norm != null) {
            norm.apply(kernels, rows, hidden);
        }
        RoutingTable routing = buffers.routing();
        kernels.route(weights.router(), hidden, rows, weights.scale(), routing);
        // The shared expert needs no routing: it keeps the device busy while the host reads the choices.
        DevicePtr shared = shared(hidden, rows);
        Weights following = looksAhead(rows) ? next : null;
        if (following != null) {
            // The hidden state changes little from layer to layer, so the next router mostly picks the same from this one.
            kernels.route(following.router(), hidden, rows, following.scale(), buffers.guesses());
        }
        stream.synchronize();
        if (observer != null) {
            observer.routed(weights.layer(), routing, rows);
        }
        gather(routing, hidden, rows, following);
        combine(routing, hidden, rows, shared, out, sum);
    }

    private void combine(RoutingTable routing, DevicePtr hidden, int rows, @Nullable DevicePtr shared, DevicePtr out,
            @Nullable DevicePtr sum) {
        kernels.combineExperts(buffers.expertOut(), routing, rows, weights.experts().hidden(), shared, weights.sharedGate(), hidden, out);
        if (sum != null) {
            kernels.add(sum, out, (long) rows * weights.experts().hidden());
        }
    }

    private void gather(RoutingTable routing, DevicePtr hidden, int rows, @Nullable Weights following) {
        ExpertGroups groups = buffers.groups();
        groups.group(routing, rows);
        input = hidden;
        fetcher.gather(weights.layer(), groups.experts(), groups.count(), stream, this);
        if (following != null) {
            prefetch(following.layer(), rows);
        }
    }

    private @Nullable DevicePtr shared(DevicePtr hidden, int rows) {
        FeedForward shared = weights.shared();
        if (shared == null) {
            return null;
        }
        kernels.feedForward(shared, hidden, rows, buffers.sharedOut());
        return buffers.sharedOut();
    }

    /** Guesses come before the router: behind it the step may stop, and that is when they are wanted. */
    private void forward(ResidentExperts resident, @Nullable RowNorm norm, DevicePtr hidden, int rows, DevicePtr out,
            @Nullable DevicePtr sum) {
        RowNorm left = norm;
        Weights following = looksAhead(rows) ? next : null;
        if (following != null) {
            if (norm != null) {
                norm.apply(kernels, rows, hidden);
                left = null;
            }
            kernels.route(following.router(), hidden, rows, following.scale(), buffers.guesses());
        }
        ResidentKernels device = resident.kernels();
        SharedExpert alike = weights.alike();
        device.route(left, weights.router(), hidden, rows, weights.scale(), alike, resident.routing(), weights.layer());
        DevicePtr shared = alike == null ? shared(hidden, rows) : null;
        device.experts(weights.experts(), hidden, rows, resident.routing().choices() + (alike == null ? 0 : 1), resident.routing(),
                buffers.expertOut(), shared, weights.sharedGate(), sum != null, sum == null ? out : sum);
    }

    /** Whether the routing of the next layer is guessed in steps of so many rows. */
    boolean looksAhead(int rows) {
        return rows <= LOOKAHEAD_ROWS && fetcher.looksAhead();
    }

    /** Does what is left of a resident step that stopped behind this router: the experts it lacked are brought in. */
    void finish(DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum) {
        RoutingTable routing = Objects.requireNonNull(log);
        DevicePtr shared = shared(hidden, rows);
        gather(routing, hidden, rows, looksAhead(rows) ? next : null);
        combine(routing, hidden, rows, shared, out, sum);
    }

    /** Says to the expert memory which experts a resident step found in their slots. */
    void account(int rows) {
        ExpertGroups groups = buffers.groups();
        groups.group(Objects.requireNonNull(log), rows);
        fetcher.gather(weights.layer(), groups.experts(), groups.count(), stream, NOBODY);
    }

    /** Every row's first choices go before anybody's second ones. */
    private void prefetch(int layer, int rows) {
        RoutingTable guesses = buffers.guesses();
        int count = 0;
        for (int choice = 0; choice < guesses.choices(); choice++) {
            for (int row = 0; row < rows; row++) {
                guessed[count++] = guesses.expert(row, choice);
            }
        }
        fetcher.prefetch(layer, guessed, count);
    }

    @Override
    public void accept(int[] experts, long[] slotAddresses, int count) {
        ExpertWave wave = buffers.wave();
        buffers.groups().fill(wave, experts, slotAddresses, count);
        kernels.experts(weights.experts(), input, wave, buffers.routing().choices(), buffers.expertOut());
    }
}
