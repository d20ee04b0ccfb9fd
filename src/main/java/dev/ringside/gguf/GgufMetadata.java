package dev.ringside.gguf;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The key-value pairs of a GGUF file; for a split file those of its first part.
 * <p>
 * Strict on the kind of a value (integer, float, bool, string), lenient on the width and sign of integers and on arrays: a scalar may be
 * read as an array of one, an array whose values are all equal as a scalar, since writers differ in both. Every getter without a default
 * throws {@link GgufException} when the key is missing, and every getter does so when the value is of another kind or out of range.
 */
public final class GgufMetadata {

    private final Path file;
    private final Map<String, GgufValue> values;

    GgufMetadata(Path file, Map<String, GgufValue> values) {
        this.file = file;
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** The file the values come from, for messages. */
    public Path file() {
        return file;
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    /** All keys in the order of the file. */
    public Set<String> keys() {
        return values.keySet();
    }

    /** Type of the value as shown to people, such as {@code u32} or {@code string[151936]}. */
    public String typeName(String key) {
        return require(key, "a value").typeName();
    }

    /** The value as shown to people, long texts and arrays shortened. */
    public String describe(String key) {
        return require(key, "a value").describe();
    }

    /** Number of values: the length of an array, 1 for a scalar. */
    public int length(String key) {
        return require(key, "a value").count();
    }

    public String getString(String key) {
        return text(key, require(key, "a string"));
    }

    public String getString(String key, String fallback) {
        GgufValue value = values.get(key);
        return value == null ? fallback : text(key, value);
    }

    public int getInt(String key) {
        return toInt(key, getLong(key));
    }

    public int getInt(String key, int fallback) {
        return has(key) ? getInt(key) : fallback;
    }

    public long getLong(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.INTEGER);
        requireUniform(key, numbers);
        return integer(key, numbers, 0);
    }

    public long getLong(String key, long fallback) {
        return has(key) ? getLong(key) : fallback;
    }

    public float getFloat(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.FLOAT);
        requireUniform(key, numbers);
        return (float) numbers.floating(0);
    }

    public float getFloat(String key, float fallback) {
        return has(key) ? getFloat(key) : fallback;
    }

    public boolean getBool(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.BOOL);
        requireUniform(key, numbers);
        return numbers.integer(0) != 0;
    }

    public boolean getBool(String key, boolean fallback) {
        return has(key) ? getBool(key) : fallback;
    }

    /** The integers of an array, or of a scalar as an array of one. */
    public int[] getInts(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.INTEGER);
        int[] result = new int[numbers.count()];
        for (int i = 0; i < result.length; i++) {
            result[i] = toInt(key, integer(key, numbers, i));
        }
        return result;
    }

    /** One integer for each of {@code count} layers: an array of that length, or a single value repeated. */
    public int[] getInts(String key, int count) {
        int[] found = getInts(key);
        if (found.length == 1 && count != 1) {
            int[] repeated = new int[count];
            Arrays.fill(repeated, found[0]);
            return repeated;
        }
        if (found.length != count) {
            throw new GgufException(file, named(key), "expected one value or " + count + " (one a layer), found " + found.length);
        }
        return found;
    }

    /** The integers of an array, or of a scalar as an array of one. */
    public long[] getLongs(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.INTEGER);
        long[] result = new long[numbers.count()];
        for (int i = 0; i < result.length; i++) {
            result[i] = integer(key, numbers, i);
        }
        return result;
    }

    /** The floats of an array, or of a scalar as an array of one. */
    public float[] getFloats(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.FLOAT);
        float[] result = new float[numbers.count()];
        for (int i = 0; i < result.length; i++) {
            result[i] = (float) numbers.floating(i);
        }
        return result;
    }

    /** The bools of an array, or of a scalar as an array of one. */
    public boolean[] getBools(String key) {
        GgufValue.Numbers numbers = numbers(key, GgufValueType.Kind.BOOL);
        boolean[] result = new boolean[numbers.count()];
        for (int i = 0; i < result.length; i++) {
            result[i] = numbers.integer(i) != 0;
        }
        return result;
    }

    /** The strings of an array, or of a scalar as a list of one: an unmodifiable random-access view, not a copy. */
    public List<String> getStrings(String key) {
        GgufValue value = require(key, "strings");
        if (value instanceof GgufValue.Strings strings) {
            return Collections.unmodifiableList(Arrays.asList(strings.values()));
        }
        // An empty array has no element of the wrong kind.
        if (value.count() == 0) {
            return List.of();
        }
        throw wrongKind(key, "strings", value);
    }

    @Nullable
    GgufValue find(String key) {
        return values.get(key);
    }

    private GgufValue require(String key, String expected) {
        GgufValue value = values.get(key);
        if (value == null) {
            throw new GgufException(file, named(key), "is missing, expected " + expected
                    + "; the file is incomplete or of another kind: download it again or convert the model with a current converter");
        }
        return value;
    }

    private GgufValue.Numbers numbers(String key, GgufValueType.Kind kind) {
        GgufValue value = require(key, kind.text);
        if (value instanceof GgufValue.Numbers numbers && (numbers.elementType().kind == kind || numbers.count() == 0)) {
            return numbers;
        }
        throw wrongKind(key, kind.text, value);
    }

    private String text(String key, GgufValue value) {
        if (value instanceof GgufValue.Strings strings && strings.values().length == 1) {
            return strings.values()[0];
        }
        throw wrongKind(key, "a string", value);
    }

    private void requireUniform(String key, GgufValue.Numbers numbers) {
        if (numbers.count() == 0) {
            throw new GgufException(file, named(key), "expected a value, found an empty array");
        }
        int size = numbers.elementType().bytes;
        for (int i = 1; i < numbers.count(); i++) {
            long at = (long) i * size;
            if (numbers.bytes().asSlice(at, size).mismatch(numbers.bytes().asSlice(0, size)) >= 0) {
                throw new GgufException(file, named(key), "expected one value, found " + numbers.typeName() + " with different values");
            }
        }
    }

    private long integer(String key, GgufValue.Numbers numbers, int index) {
        if (!numbers.fitsLong(index)) {
            throw new GgufException(file, named(key), "value " + Long.toUnsignedString(numbers.integer(index)) + " is above 2^63-1");
        }
        return numbers.integer(index);
    }

    private int toInt(String key, long value) {
        if ((int) value != value) {
            throw new GgufException(file, named(key), "value " + value + " is out of range, expected a 32-bit integer");
        }
        return (int) value;
    }

    private GgufException wrongKind(String key, String expected, GgufValue found) {
        return new GgufException(file, named(key), "expected " + expected + ", found " + found.typeName());
    }

    private static String named(String key) {
        return "key '" + key + "'";
    }
}
