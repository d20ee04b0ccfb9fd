package dev.ringside.gpu;

import java.util.function.BooleanSupplier;

/**
 * The rows of one step. Rows of one sequence are consecutive (a <em>segment</em>) and have consecutive positions.
 *
 * <p>Reused from step to step: the engine thread clears it, sequences append themselves, the model reads it. Kernels see it through
 * {@link Kernels#beginStep}.
 *
 * <p>Rows of prompts stand behind all others ({@link #beginPrompts}). A backend may compute the two kinds in different ways, each with its own
 * bits, and chooses by the kind alone: never by how many rows there are.
 *
 * <p>Recurrent state is never changed in place across a step: row i of a segment reads the plane of row i - 1 (row 0 reads
 * {@link #planeIn}) and, where {@link #planeOut} is not 0, leaves its state in that plane. The last row of a segment always has a plane.
 * A plane a step reads is never one it writes, so abandoning a step needs no repair.
 */
public final class StepRows {

    private static final long[] NO_PAGES = new long[0];
    private static final int[] NO_TOKENS = new int[0];

    private final int maxRows;
    private final int[] tokens;
    private final int[] positions;
    private final int[] segmentOfRow;
    private final long[] planeOut;
    private final int[] firstRow;
    private final long[] planeIn;
    private final long[][] pages;
    private final int[][] history;
    private final int[] logitRows;
    private int rows;
    private int segments;
    private int logitCount;
    private boolean prompts;
    private int decodeRows;
    private int decodeSegments;
    private int decodeLogitRows;
    private BooleanSupplier abandoned = () -> false;

    /** @param maxRows most rows (and so most segments) of a step */
    public StepRows(int maxRows) {
        this.maxRows = maxRows;
        this.tokens = new int[maxRows];
        this.positions = new int[maxRows];
        this.segmentOfRow = new int[maxRows];
        this.planeOut = new long[maxRows];
        this.firstRow = new int[maxRows + 1];
        this.planeIn = new long[maxRows];
        this.pages = new long[maxRows][];
        this.history = new int[maxRows][];
        this.logitRows = new int[maxRows];
    }

    /** Says whether nobody wants the result of a step any more; asked on the thread that computes, between layers, so it must be quick. */
    public void abandonWhen(BooleanSupplier nobodyIsLeft) {
        abandoned = nobodyIsLeft;
    }

    /**
     * Called by models between layers.
     *
     * @throws StepAbandonedException when nobody wants the result any more
     */
    public void requireWanted() {
        if (abandoned.getAsBoolean()) {
            throw new StepAbandonedException();
        }
    }

    public void clear() {
        for (int s = 0; s < segments; s++) {
            pages[s] = NO_PAGES;
            history[s] = NO_TOKENS;
        }
        rows = 0;
        segments = 0;
        logitCount = 0;
        prompts = false;
    }

    /** Segments begun from here on are parts of prompts, until {@link #clear}. */
    public void beginPrompts() {
        if (!prompts) {
            prompts = true;
            decodeRows = rows;
            decodeSegments = segments;
            decodeLogitRows = logitCount;
        }
    }

    /** Starts a segment of a sequence whose earlier tokens nobody asks for. */
    public int beginSegment(long[] pageAddresses, long planeAddress) {
        return beginSegment(pageAddresses, planeAddress, NO_TOKENS);
    }

    /**
     * Starts a segment.
     *
     * @param pageAddresses address of each page of the sequence; the array stays the sequence's own
     * @param planeAddress the recurrent plane with the state in front of the first row
     * @param tokens the sequence's token ids by position, at least those in front of the segment; the array stays the sequence's own
     * @return the segment's index
     */
    public int beginSegment(long[] pageAddresses, long planeAddress, int[] tokens) {
        pages[segments] = pageAddresses;
        history[segments] = tokens;
        planeIn[segments] = planeAddress;
        firstRow[segments] = rows;
        firstRow[segments + 1] = rows;
        return segments++;
    }

    /**
     * Appends a row to the segment begun last.
     *
     * @param plane address of the plane that keeps the state after this row, or 0 when it is not kept
     * @param logits whether the row's logits are wanted
     */
    public void addRow(int token, int position, long plane, boolean logits) {
        if (rows == maxRows) {
            throw new IllegalStateException("A step holds at most " + maxRows + " rows");
        }
        tokens[rows] = token;
        positions[rows] = position;
        segmentOfRow[rows] = segments - 1;
        planeOut[rows] = plane;
        if (logits) {
            logitRows[logitCount++] = rows;
        }
        rows++;
        firstRow[segments] = rows;
    }

    public int maxRows() {
        return maxRows;
    }

    public int rows() {
        return rows;
    }

    public int segments() {
        return segments;
    }

    /** Rows in front of those of prompts. */
    public int decodeRows() {
        return prompts ? decodeRows : rows;
    }

    /** Segments in front of those of prompts. */
    public int decodeSegments() {
        return prompts ? decodeSegments : segments;
    }

    public int token(int row) {
        return tokens[row];
    }

    public int position(int row) {
        return positions[row];
    }

    public int segmentOf(int row) {
        return segmentOfRow[row];
    }

    /** The first row of a segment; {@code firstRow(segments())} is {@link #rows()}. */
    public int firstRow(int segment) {
        return firstRow[segment];
    }

    public int rowCount(int segment) {
        return firstRow[segment + 1] - firstRow[segment];
    }

    /** Address of page {@code index} of a segment's sequence. */
    public long page(int segment, int index) {
        return pages[segment][index];
    }

    /** Page addresses of a segment's sequence; may be longer than the pages in use. */
    public long[] pages(int segment) {
        return pages[segment];
    }

    /** Token ids of a segment's sequence by position; holds at least the positions in front of the segment's first row. */
    public int[] history(int segment) {
        return history[segment];
    }

    public long planeIn(int segment) {
        return planeIn[segment];
    }

    /** Address of the plane that keeps the state after {@code row}, or 0. */
    public long planeOut(int row) {
        return planeOut[row];
    }

    /** Number of rows whose logits are wanted. */
    public int logitRows() {
        return logitCount;
    }

    /** Those of them in front of the rows of prompts. */
    public int decodeLogitRows() {
        return prompts ? decodeLogitRows : logitCount;
    }

    /** The row of the {@code index}-th wanted logits. */
    public int logitRow(int index) {
        return logitRows[index];
    }
}
