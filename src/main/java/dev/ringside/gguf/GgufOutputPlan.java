package dev.ringside.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The header of a GGUF file to be written: its key-value pairs and its tensors, both in the order in which they are added. */
public final class GgufOutputPlan {

    /** Alignment in bytes of every tensor, the format's default. */
    static final long ALIGNMENT = 32;

    private static final int MAGIC = 0x46554747; // "GGUF", first byte lowest
    private static final int VERSION = 3;
    private static final int MAX_NAME_BYTES = 63;

    /**
     * A tensor of the file.
     *
     * @param dimensions one to four positive sizes, fastest first
     * @param byteSize size in bytes, without padding
     */
    public record Tensor(String name, GgmlType type, List<Long> dimensions, long byteSize) {}

    private final Map<String, byte[]> pairs = new LinkedHashMap<>();
    private final List<Tensor> tensors = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    /** @param architecture value of {@code general.architecture} */
    public GgufOutputPlan(String architecture) {
        putString("general.architecture", architecture);
    }

    public GgufOutputPlan putString(String key, String value) {
        return put(key, typed(GgufValueType.STRING).string(value));
    }

    /** Adds a u32. */
    public GgufOutputPlan putInt(String key, int value) {
        return put(key, typed(GgufValueType.U32).integer(value));
    }

    public GgufOutputPlan putFloat(String key, float value) {
        return put(key, typed(GgufValueType.F32).integer(Float.floatToRawIntBits(value)));
    }

    public GgufOutputPlan putBool(String key, boolean value) {
        return put(key, typed(GgufValueType.BOOL).octet(value ? 1 : 0));
    }

    /** Adds an array of i32. */
    public GgufOutputPlan putInts(String key, int[] values) {
        Bytes bytes = array(GgufValueType.I32, values.length);
        for (int value : values) {
            bytes.integer(value);
        }
        return put(key, bytes);
    }

    /** Adds an array of u64. */
    public GgufOutputPlan putLongs(String key, long[] values) {
        Bytes bytes = array(GgufValueType.U64, values.length);
        for (long value : values) {
            bytes.wide(value);
        }
        return put(key, bytes);
    }

    public GgufOutputPlan putStrings(String key, List<String> values) {
        Bytes bytes = array(GgufValueType.STRING, values.size());
        values.forEach(bytes::string);
        return put(key, bytes);
    }

    /**
     * Adds a tensor.
     *
     * @param dimensions one to four positive sizes, fastest first
     * @throws IllegalArgumentException when the name was added before or is longer than 63 bytes, or a row is not whole blocks of the type
     * @throws ArithmeticException when the size does not fit a long
     */
    public GgufOutputPlan tensor(String name, GgmlType type, long... dimensions) {
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES || name.isEmpty() || !names.add(name)) {
            throw new IllegalArgumentException("tensor '" + name + "': expected a new name of 1 to " + MAX_NAME_BYTES + " bytes");
        }
        if (dimensions.length < 1 || dimensions.length > 4) {
            throw new IllegalArgumentException("tensor '" + name + "': expected 1 to 4 dimensions, found " + dimensions.length);
        }
        long rows = 1;
        List<Long> shape = new ArrayList<>();
        for (int i = 0; i < dimensions.length; i++) {
            if (dimensions[i] < 1) {
                throw new IllegalArgumentException(
                        "tensor '" + name + "': dimension " + i + " is " + dimensions[i] + ", expected at least 1");
            }
            shape.add(dimensions[i]);
            rows = i == 0 ? rows : Math.multiplyExact(rows, dimensions[i]);
        }
        tensors.add(new Tensor(name, type, List.copyOf(shape), Math.multiplyExact(type.rowBytes(dimensions[0]), rows)));
        return this;
    }

    /** All tensors, in the order of the file. */
    public List<Tensor> tensors() {
        return List.copyOf(tensors);
    }

    /** Bytes of the whole file. */
    public long fileBytes() {
        long total = aligned(header().length);
        for (Tensor tensor : tensors) {
            total = Math.addExact(total, aligned(tensor.byteSize()));
        }
        return total;
    }

    /**
     * Starts the file.
     *
     * @throws IOException naming the file when it cannot be written
     */
    public GgufOutput create(Path target) throws IOException {
        return GgufOutput.create(target, this);
    }

    byte[] header() {
        Bytes bytes = new Bytes();
        bytes.integer(MAGIC).integer(VERSION).wide(tensors.size()).wide(pairs.size());
        pairs.forEach((key, value) -> bytes.string(key).raw(value));
        long offset = 0;
        for (Tensor tensor : tensors) {
            bytes.string(tensor.name()).integer(tensor.dimensions().size());
            tensor.dimensions().forEach(bytes::wide);
            bytes.integer(tensor.type().id()).wide(offset);
            offset = Math.addExact(offset, aligned(tensor.byteSize()));
        }
        return bytes.toArray();
    }

    private GgufOutputPlan put(String key, Bytes value) {
        if (pairs.putIfAbsent(key, value.toArray()) != null) {
            throw new IllegalArgumentException("key '" + key + "' was given before, expected each key once");
        }
        return this;
    }

    @SuppressWarnings("EnumOrdinal") // types stand in the order of their ids
    private static int id(GgufValueType type) {
        return type.ordinal();
    }

    private static Bytes typed(GgufValueType type) {
        return new Bytes().integer(id(type));
    }

    private static Bytes array(GgufValueType elements, int count) {
        return typed(GgufValueType.ARRAY).integer(id(elements)).wide(count);
    }

    private static long aligned(long bytes) {
        return Math.addExact(bytes, ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Little-endian bytes that grow. */
    private static final class Bytes {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Bytes octet(int value) {
            out.write(value);
            return this;
        }

        Bytes integer(int value) {
            for (int shift = 0; shift < 32; shift += 8) {
                out.write(value >>> shift);
            }
            return this;
        }

        Bytes wide(long value) {
            return integer((int) value).integer((int) (value >>> 32));
        }

        Bytes string(String value) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            return wide(utf8.length).raw(utf8);
        }

        Bytes raw(byte[] value) {
            out.writeBytes(value);
            return this;
        }

        byte[] toArray() {
            return out.toByteArray();
        }
    }
}
