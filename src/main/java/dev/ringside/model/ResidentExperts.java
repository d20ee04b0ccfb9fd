package dev.ringside.model;

import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.SlotAddresses;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.ResidentRouting;

/** The experts of a model as the device knows them, and whether what is enqueued now belongs to a step that the device routes itself. */
final class ResidentExperts {

    private final ResidentKernels kernels;
    private final ResidentRouting routing;
    private final SlotAddresses addresses;
    private boolean active;

    private ResidentExperts(ResidentKernels kernels, ResidentRouting routing, SlotAddresses addresses) {
        this.kernels = kernels;
        this.routing = routing;
        this.addresses = addresses;
    }

    /** Takes the tables from the device's memory. */
    static ResidentExperts on(Device device, ResidentKernels kernels, ExpertFetcher fetcher, int choices) {
        SlotAddresses addresses = fetcher.addresses();
        int layers = addresses.layers();
        int experts = addresses.experts();
        int rows = kernels.maxRows();
        int pairs = Math.multiplyExact(rows, choices + 1);
        long logBytes = 8L * layers * rows * choices;
        ResidentRouting routing = new ResidentRouting(layers, experts, choices, rows,
                device.bytes(8L * layers * experts, "slots of experts"), device.floats(pairs, "routing weights"),
                device.bytes(8L * pairs, "routed slots"), device.bytes(4L * pairs, "routed experts"),
                device.bytes(4L * pairs, "routed rows"),
                device.bytes(4L * (pairs + 1), "routed groups"), device.bytes(logBytes, "routing log"),
                device.pinned(logBytes, "routing log"));
        addresses.takeOverAll();
        return new ResidentExperts(kernels, routing, addresses);
    }

    ResidentKernels kernels() {
        return kernels;
    }

    ResidentRouting routing() {
        return routing;
    }

    /** Brings the device's table up to date, for what is enqueued from here on. */
    void update() {
        if (addresses.changes() > 0) {
            kernels.place(routing, addresses.cells(), addresses.values(), addresses.changes());
            addresses.takenOver();
        }
    }

    boolean active() {
        return active;
    }

    void activate(boolean on) {
        active = on;
    }
}
