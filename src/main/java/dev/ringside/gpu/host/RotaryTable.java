package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import dev.ringside.gpu.Rotary;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Cosines and sines of the step's rows for rotary embedding. Angles are computed in double: a float angle at position 100,000 is off by
 * more than a hundredth. A row keeps its entry while position and frequencies stay the same, so the layers of a step compute it once.
 */
final class RotaryTable {

    private int half;
    private float magnitude;
    private boolean interleaved;
    private float[] frequencies = new float[0];
    private float[] cosines = new float[0];
    private float[] sines = new float[0];
    private int[] positions = new int[0];

    /** Must be called before the parallel phase in which rows are filled. */
    void begin(Rotary rotary, int rows) {
        long inverseFrequencies = rotary.inverseFrequencies().address();
        int pairs = rotary.width() / 2;
        interleaved = rotary.interleaved();
        boolean same = pairs == half && rows <= positions.length && rotary.magnitude() == magnitude;
        for (int i = 0; same && i < pairs; i++) {
            same = frequencies[i] == ALL.get(FLOAT, inverseFrequencies + 4L * i);
        }
        if (same) {
            return;
        }
        if (pairs != half || rows > positions.length) {
            int capacity = Math.max(rows, positions.length);
            half = pairs;
            frequencies = new float[pairs];
            cosines = new float[Math.multiplyExact(capacity, pairs)];
            sines = new float[cosines.length];
            positions = new int[capacity];
        }
        magnitude = rotary.magnitude();
        for (int i = 0; i < pairs; i++) {
            frequencies[i] = ALL.get(FLOAT, inverseFrequencies + 4L * i);
        }
        Arrays.fill(positions, -1);
    }

    /** Sets the position of a row. Rows are independent. */
    void fill(int row, int position) {
        if (positions[row] == position) {
            return;
        }
        for (int i = 0; i < half; i++) {
            double angle = position * (double) frequencies[i];
            cosines[row * half + i] = (float) (Math.cos(angle) * magnitude);
            sines[row * half + i] = (float) (Math.sin(angle) * magnitude);
        }
        positions[row] = position;
    }

    /** Rotates the leading {@code 2 * pairs} elements at x in place. */
    void rotate(int row, long x) {
        if (interleaved) {
            rotateInterleaved(row, x);
        } else {
            rotateHalves(row, x);
        }
    }

    private void rotateInterleaved(int row, long x) {
        int table = row * half;
        for (int i = 0; i < half; i++) {
            float a = HostMemory.getFloat(x + 8L * i);
            float b = HostMemory.getFloat(x + 8L * i + 4);
            HostMemory.setFloat(x + 8L * i, a * cosines[table + i] - b * sines[table + i]);
            HostMemory.setFloat(x + 8L * i + 4, a * sines[table + i] + b * cosines[table + i]);
        }
    }

    /** Whole vectors and then element by element: a masked load at the end of an array may take a path that makes objects. */
    private void rotateHalves(int row, long x) {
        long y = x + 4L * half;
        int table = row * half;
        int whole = Vectors.whole(half);
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            FloatVector cosine = FloatVector.fromArray(FLOATS, cosines, table + i);
            FloatVector sine = FloatVector.fromArray(FLOATS, sines, table + i);
            FloatVector a = fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN);
            FloatVector b = fromMemorySegment(FLOATS, ALL, y + offset, LITTLE_ENDIAN);
            a.mul(cosine).sub(b.mul(sine)).intoMemorySegment(ALL, x + offset, LITTLE_ENDIAN);
            a.mul(sine).add(b.mul(cosine)).intoMemorySegment(ALL, y + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < half; i++) {
            float a = HostMemory.getFloat(x + 4L * i);
            float b = HostMemory.getFloat(y + 4L * i);
            HostMemory.setFloat(x + 4L * i, a * cosines[table + i] - b * sines[table + i]);
            HostMemory.setFloat(y + 4L * i, a * sines[table + i] + b * cosines[table + i]);
        }
    }
}
