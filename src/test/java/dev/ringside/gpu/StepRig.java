package dev.ringside.gpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Runs an operation over the rows of some sequences, cut into steps as a test likes: every chunking, any batch mates. Pages and planes begin
 * as NaN except each sequence's first plane, which is zero.
 */
final class StepRig {

    /** The operation under test, its step begun. Buffers hold the rows of the step, in the order of the widths given. */
    interface Operation {
        void run(StepRows rows, DevicePtr[] buffers);
    }

    /** A part of a step: {@code count} further rows of a sequence. */
    record Part(int sequence, int count) {}

    /** What came out: {@code rows[buffer][sequence]} all rows one after the other, and the planes kept, {@code planes[sequence][position]}. */
    record Result(float[][][] rows, float[][][] planes, long[][] pages) {}

    private final DeviceFixture device;
    private final float[][][] inputs;
    private final int[] widths;
    private final int[] lengths;
    private final int planeFloats;
    private final int pageFloats;
    private final int pageTokens;
    private boolean prompts;

    /**
     * @param inputs {@code [buffer][sequence]}: rows of the sequence one after the other, or null for a buffer that is output only
     * @param widths of each buffer's rows
     */
    StepRig(DeviceFixture device, float[][][] inputs, int[] widths, int[] lengths, int planeFloats, int pageFloats, int pageTokens) {
        this.device = device;
        this.inputs = inputs;
        this.widths = widths;
        this.lengths = lengths;
        this.planeFloats = planeFloats;
        this.pageFloats = pageFloats;
        this.pageTokens = pageTokens;
    }

    /** From here on rows are those of prompts. */
    StepRig prompts(boolean are) {
        prompts = are;
        return this;
    }

    private float[] read(DevicePtr memory) {
        return device.download(memory, (int) (memory.bytes() / 4));
    }

    /** One sequence after the other, each in one step. */
    List<List<Part>> whole() {
        List<List<Part>> plan = new ArrayList<>();
        for (int s = 0; s < lengths.length; s++) {
            plan.add(List.of(new Part(s, lengths[s])));
        }
        return plan;
    }

    /** One sequence after the other, row by row. */
    List<List<Part>> single() {
        List<List<Part>> plan = new ArrayList<>();
        for (int s = 0; s < lengths.length; s++) {
            for (int i = 0; i < lengths[s]; i++) {
                plan.add(List.of(new Part(s, 1)));
            }
        }
        return plan;
    }

    /** All sequences together, in parts of random size. */
    List<List<Part>> mixed(Random random) {
        int[] left = lengths.clone();
        List<List<Part>> plan = new ArrayList<>();
        while (Arrays.stream(left).sum() > 0) {
            List<Part> step = new ArrayList<>();
            for (int s = 0; s < left.length; s++) {
                int count = Math.min(left[s], random.nextInt(8));
                if (count > 0) {
                    step.add(new Part(s, count));
                    left[s] -= count;
                }
            }
            if (!step.isEmpty()) {
                plan.add(step);
            }
        }
        return plan;
    }

    /** @param keepAll whether every row keeps its plane instead of only the last of a segment */
    Result run(Operation operation, List<List<Part>> plan, boolean keepAll) {
        device.turn();
        int sequences = lengths.length;
        float[][][] rows = new float[widths.length][sequences][];
        float[][][] planes = new float[sequences][][];
        long[][] pages = new long[sequences][];
        DevicePtr[] current = new DevicePtr[sequences];
        int[] done = new int[sequences];
        for (int s = 0; s < sequences; s++) {
            for (int b = 0; b < widths.length; b++) {
                rows[b][s] = new float[lengths[s] * widths[b]];
            }
            planes[s] = new float[lengths[s]][];
            pages[s] = new long[(lengths[s] + pageTokens - 1) / pageTokens];
            for (int p = 0; p < pages[s].length; p++) {
                pages[s][p] = device.floats(pageFloats).address();
            }
            current[s] = device.upload(new float[planeFloats]);
        }
        StepRows step = new StepRows(Arrays.stream(lengths).sum());
        for (List<Part> parts : plan) {
            step(operation, step, parts, keepAll, rows, planes, pages, current, done);
        }
        return new Result(rows, planes, pages);
    }

    private void step(Operation operation, StepRows step, List<Part> parts, boolean keepAll, float[][][] rows, float[][][] planes,
            long[][] pages, DevicePtr[] current, int[] done) {
        step.clear();
        if (prompts) {
            step.beginPrompts();
        }
        List<DevicePtr> kept = new ArrayList<>();
        List<float[]> before = new ArrayList<>();
        for (Part part : parts) {
            int s = part.sequence();
            step.beginSegment(pages[s], current[s].address());
            before.add(read(current[s]));
            for (int i = 0; i < part.count(); i++) {
                boolean keep = keepAll || i == part.count() - 1;
                DevicePtr plane = keep ? device.floats(planeFloats) : new DevicePtr(0, 0);
                kept.add(plane);
                step.addRow(0, done[s] + i, plane.address(), false);
            }
        }
        DevicePtr[] buffers = new DevicePtr[widths.length];
        for (int b = 0; b < widths.length; b++) {
            buffers[b] = device.floats(step.rows() * widths[b]);
            int row = 0;
            for (Part part : parts) {
                int s = part.sequence();
                if (inputs[b] != null) {
                    DevicePtr given = device
                            .upload(Arrays.copyOfRange(inputs[b][s], done[s] * widths[b], (done[s] + part.count()) * widths[b]));
                    device.backend.copy(given, 0, buffers[b], 4L * row * widths[b], given.bytes(), device.stream);
                }
                row += part.count();
            }
        }
        device.kernels.beginStep(step);
        operation.run(step, buffers);
        int row = 0;
        for (int p = 0; p < parts.size(); p++) {
            int s = parts.get(p).sequence();
            int count = parts.get(p).count();
            if (!Arrays.equals(before.get(p), read(current[s]))) {
                throw new AssertionError("The plane in front of the step was written to");
            }
            for (int b = 0; b < widths.length; b++) {
                float[] out = device.download(buffers[b].from(4L * row * widths[b]), count * widths[b]);
                System.arraycopy(out, 0, rows[b][s], done[s] * widths[b], out.length);
            }
            for (int i = 0; i < count; i++) {
                if (kept.get(row + i).bytes() > 0) {
                    planes[s][done[s] + i] = read(kept.get(row + i));
                }
            }
            row += count;
            done[s] += count;
            current[s] = kept.get(row - 1);
        }
    }
}
