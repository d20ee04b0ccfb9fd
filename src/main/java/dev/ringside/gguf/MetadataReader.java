package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the key-value pairs of a file. */
final class MetadataReader {

    /** Longest array of numbers accepted, in bytes (the reference implementation has the same cap). */
    private static final long MAX_ARRAY_BYTES = 1L << 30;
    /** Longest array of strings accepted; the largest vocabularies have a quarter of a million. */
    private static final long MAX_STRINGS = 1L << 24;
    /** Longest key of the format. */
    private static final long MAX_KEY_BYTES = 65535;

    private MetadataReader() {}

    static GgufMetadata read(GgufCursor cursor, long count) {
        Map<String, GgufValue> values = new LinkedHashMap<>();
        for (long i = 0; i < count; i++) {
            long start = cursor.position();
            String key = cursor.readName("key " + i, MAX_KEY_BYTES);
            GgufValue earlier = values.get(key);
            if (earlier != null) {
                throw cursor.fault(start, named(key),
                        "duplicate key: it was given before as " + earlier.typeName() + ", expected each key once");
            }
            values.put(key, readValue(cursor, key));
        }
        return new GgufMetadata(cursor.file(), values);
    }

    private static GgufValue readValue(GgufCursor cursor, String key) {
        GgufValueType type = readType(cursor, key);
        return switch (type.kind) {
            case STRING -> new GgufValue.Strings(false, new String[] {cursor.readString("the string of key '" + key + "'")});
            case ARRAY -> readArray(cursor, key);
            case INTEGER, FLOAT, BOOL -> readNumbers(cursor, key, type, false, 1);
        };
    }

    private static GgufValueType readType(GgufCursor cursor, String key) {
        long at = cursor.position();
        int id = cursor.readInt("the value type of key '" + key + "'");
        GgufValueType type = GgufValueType.find(id);
        if (type == null) {
            throw cursor.fault(at, named(key), "unknown value type " + Integer.toUnsignedString(id) + ", expected 0 to 12"
                    + GgufCursor.DAMAGED);
        }
        return type;
    }

    private static GgufValue readArray(GgufCursor cursor, String key) {
        long start = cursor.position();
        GgufValueType type = readType(cursor, key);
        if (type.kind == GgufValueType.Kind.ARRAY) {
            throw cursor.fault(start, named(key), "an array of arrays is not supported, expected an array of numbers, bools or strings");
        }
        long count = cursor.readLong("the array length of key '" + key + "'");
        long minimum = type.kind == GgufValueType.Kind.STRING ? Long.BYTES : type.bytes;
        // Division, not multiplication: count * minimum may overflow.
        if (count < 0 || count > cursor.remaining() / minimum) {
            throw cursor.fault(start, named(key), "array of " + Long.toUnsignedString(count) + " " + type.text
                    + " values runs past the end of file: " + cursor.remaining() + " bytes are left" + GgufCursor.DAMAGED);
        }
        long limit = type.kind == GgufValueType.Kind.STRING ? MAX_STRINGS : MAX_ARRAY_BYTES / minimum;
        if (count > limit) {
            throw cursor.fault(start, named(key), "array of " + count + " " + type.text + " values is above the limit of " + limit);
        }
        if (type.kind != GgufValueType.Kind.STRING) {
            return readNumbers(cursor, key, type, true, (int) count);
        }
        String[] strings = new String[(int) count];
        String what = "a string of key '" + key + "'";
        for (int i = 0; i < strings.length; i++) {
            strings[i] = cursor.readString(what);
        }
        return new GgufValue.Strings(true, strings);
    }

    private static GgufValue readNumbers(GgufCursor cursor, String key, GgufValueType type, boolean array, int count) {
        long start = cursor.position();
        MemorySegment bytes = cursor.readBytes(count * type.bytes, "the value of key '" + key + "'");
        if (type.kind == GgufValueType.Kind.BOOL) {
            for (int i = 0; i < count; i++) {
                byte value = bytes.get(ValueLayout.JAVA_BYTE, i);
                if (value != 0 && value != 1) {
                    throw cursor.fault(start + i, named(key), "a bool must be 0 or 1, found " + Byte.toUnsignedInt(value));
                }
            }
        }
        return new GgufValue.Numbers(type, array, count, bytes);
    }

    private static String named(String key) {
        return "key '" + key + "'";
    }
}
