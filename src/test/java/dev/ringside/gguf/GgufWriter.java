package dev.ringside.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes small GGUF version 3 files for tests. Pairs and tensors keep their order; tensors follow one another, padded to the alignment. A
 * tensor without data becomes a hole of its size, so that files over 2 GiB cost nothing where the file system is sparse.
 */
@SuppressWarnings({"ArrayRecordComponent", "ByteBufferBackingArray"}) // private records, buffers of our own
public final class GgufWriter {

    private static final int U8 = 0;
    private static final int U16 = 2;
    private static final int U32 = 4;
    private static final int I32 = 5;
    private static final int F32 = 6;
    private static final int BOOL = 7;
    private static final int STRING = 8;
    private static final int ARRAY = 9;
    private static final int U64 = 10;
    private static final int I64 = 11;
    private static final int F64 = 12;

    /** @param data the bytes, or null for a hole */
    private record Tensor(String name, int typeId, long[] dimensions, byte[] data, long size) {}

    private final Map<String, byte[]> pairs = new LinkedHashMap<>();
    private final List<Tensor> tensors = new ArrayList<>();
    private int alignment = 32;
    private int version = 3;

    /** A writer with this {@code general.architecture}. */
    public static GgufWriter of(String architecture) {
        return new GgufWriter().putString("general.architecture", architecture);
    }

    public GgufWriter putString(String key, String value) {
        return put(key, STRING, string(value));
    }

    public GgufWriter putU8(String key, int value) {
        return put(key, U8, new byte[] {(byte) value});
    }

    public GgufWriter putU16(String key, int value) {
        return put(key, U16, little(2).putShort((short) value).array());
    }

    public GgufWriter putU32(String key, long value) {
        return put(key, U32, little(4).putInt((int) value).array());
    }

    public GgufWriter putI32(String key, int value) {
        return put(key, I32, little(4).putInt(value).array());
    }

    public GgufWriter putU64(String key, long value) {
        return put(key, U64, little(8).putLong(value).array());
    }

    public GgufWriter putI64(String key, long value) {
        return put(key, I64, little(8).putLong(value).array());
    }

    public GgufWriter putF32(String key, float value) {
        return put(key, F32, little(4).putFloat(value).array());
    }

    public GgufWriter putF64(String key, double value) {
        return put(key, F64, little(8).putDouble(value).array());
    }

    public GgufWriter putBool(String key, boolean value) {
        return put(key, BOOL, new byte[] {(byte) (value ? 1 : 0)});
    }

    public GgufWriter putStrings(String key, List<String> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String value : values) {
            out.writeBytes(string(value));
        }
        return putArray(key, STRING, values.size(), out.toByteArray());
    }

    public GgufWriter putU32s(String key, int... values) {
        return putArray(key, U32, values.length, ints(values));
    }

    public GgufWriter putI32s(String key, int... values) {
        return putArray(key, I32, values.length, ints(values));
    }

    public GgufWriter putU64s(String key, long... values) {
        ByteBuffer buffer = little(8 * values.length);
        for (long value : values) {
            buffer.putLong(value);
        }
        return putArray(key, U64, values.length, buffer.array());
    }

    public GgufWriter putF32s(String key, float... values) {
        return putArray(key, F32, values.length, floats(values));
    }

    public GgufWriter putBools(String key, boolean... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        return putArray(key, BOOL, values.length, bytes);
    }

    /** A pair whose value is already encoded, of any type id. */
    public GgufWriter put(String key, int typeId, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(string(key));
        out.writeBytes(little(4).putInt(typeId).array());
        out.writeBytes(value);
        pairs.put(key, out.toByteArray());
        return this;
    }

    /** An array of already encoded elements of any type id and any announced count. */
    public GgufWriter putArray(String key, int elementTypeId, long count, byte[] elements) {
        return put(key, ARRAY, little(12 + elements.length).putInt(elementTypeId).putLong(count).put(elements).array());
    }

    /** Sets the alignment and its key. */
    public GgufWriter alignment(int value) {
        alignment = value;
        return putU32("general.alignment", value);
    }

    public GgufWriter version(int value) {
        version = value;
        return this;
    }

    /** A tensor of the given stored bytes, whose number is not checked. Dimensions are fastest first. */
    public GgufWriter tensor(String name, GgmlType type, long[] dimensions, byte[] data) {
        return tensor(name, type.id(), dimensions, data);
    }

    /** As above with any type id. */
    public GgufWriter tensor(String name, int typeId, long[] dimensions, byte[] data) {
        tensors.add(new Tensor(name, typeId, dimensions.clone(), data.clone(), data.length));
        return this;
    }

    /** An F32 tensor. */
    public GgufWriter tensor(String name, long[] dimensions, float... values) {
        return tensor(name, GgmlType.F32, dimensions, floats(values));
    }

    /** A tensor of zeros that the file holds as a hole. */
    public GgufWriter hole(String name, GgmlType type, long... dimensions) {
        long elements = 1;
        for (long dimension : dimensions) {
            elements = Math.multiplyExact(elements, dimension);
        }
        tensors.add(new Tensor(name, type.id(), dimensions.clone(), null, type.byteSize(elements)));
        return this;
    }

    /** The whole file; not for files with large holes. */
    public byte[] bytes() {
        byte[] head = header(tensors);
        long size = head.length;
        for (Tensor tensor : tensors) {
            size += pad(tensor.size);
        }
        ByteBuffer out = little(Math.toIntExact(size)).put(head);
        for (Tensor tensor : tensors) {
            int start = out.position();
            if (tensor.data != null) {
                out.put(tensor.data);
            }
            out.position(Math.toIntExact(start + pad(tensor.size)));
        }
        return out.array();
    }

    /** Writes a new file and gives its path back. */
    public Path write(Path file) {
        return write(file, tensors);
    }

    /**
     * Writes {@code <prefix>-00001-of-0000N.gguf} and its siblings: all metadata in the first part.
     *
     * @param tensorsPerPart number of tensors of each part; their sum must be the number of tensors
     * @return the parts in order
     */
    public List<Path> writeSplit(Path directory, String prefix, int... tensorsPerPart) {
        List<Path> paths = new ArrayList<>();
        int next = 0;
        for (int part = 0; part < tensorsPerPart.length; part++) {
            GgufWriter writer = new GgufWriter();
            writer.alignment = alignment;
            if (part == 0) {
                writer.pairs.putAll(pairs);
            } else if (pairs.containsKey("general.alignment")) {
                writer.alignment(alignment);
            }
            writer.putU16("split.no", part).putU16("split.count", tensorsPerPart.length).putI32("split.tensors.count", tensors.size());
            writer.tensors.addAll(tensors.subList(next, next + tensorsPerPart[part]));
            next += tensorsPerPart[part];
            paths.add(writer.write(directory.resolve("%s-%05d-of-%05d.gguf".formatted(prefix, part + 1, tensorsPerPart.length))));
        }
        if (next != tensors.size()) {
            throw new IllegalArgumentException(next + " tensors in parts, " + tensors.size() + " in the writer");
        }
        return paths;
    }

    private Path write(Path file, List<Tensor> list) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            byte[] head = header(list);
            channel.write(ByteBuffer.wrap(head));
            long at = head.length;
            for (Tensor tensor : list) {
                if (tensor.data != null) {
                    channel.write(ByteBuffer.wrap(tensor.data), at);
                }
                at += pad(tensor.size);
            }
            if (channel.size() < at) {
                channel.write(ByteBuffer.wrap(new byte[1]), at - 1);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] header(List<Tensor> list) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(little(20).putInt(version).putLong(list.size()).putLong(pairs.size()).array());
        pairs.values().forEach(out::writeBytes);
        long offset = 0;
        for (Tensor tensor : list) {
            out.writeBytes(string(tensor.name));
            ByteBuffer info = little(4 + 8 * tensor.dimensions.length + 12).putInt(tensor.dimensions.length);
            for (long dimension : tensor.dimensions) {
                info.putLong(dimension);
            }
            out.writeBytes(info.putInt(tensor.typeId).putLong(offset).array());
            offset += pad(tensor.size);
        }
        out.writeBytes(new byte[(int) (pad(out.size()) - out.size())]);
        return out.toByteArray();
    }

    private long pad(long size) {
        return (size + alignment - 1) / alignment * alignment;
    }

    private static byte[] ints(int... values) {
        ByteBuffer buffer = little(4 * values.length);
        for (int value : values) {
            buffer.putInt(value);
        }
        return buffer.array();
    }

    private static byte[] floats(float... values) {
        ByteBuffer buffer = little(4 * values.length);
        for (float value : values) {
            buffer.putFloat(value);
        }
        return buffer.array();
    }

    private static byte[] string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return little(8 + bytes.length).putLong(bytes.length).put(bytes).array();
    }

    private static ByteBuffer little(int capacity) {
        return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }
}
