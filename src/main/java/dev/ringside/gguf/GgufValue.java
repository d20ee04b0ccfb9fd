package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A decoded metadata value. */
sealed interface GgufValue {

    ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Type as shown to people: {@code u32}, {@code string[272]}. */
    String typeName();

    /** Type of the value or of the elements of the array. */
    GgufValueType elementType();

    /** Number of values: 1 for a scalar. */
    int count();

    /** Whether both hold the same type and values. */
    boolean sameAs(GgufValue other);

    /** The value as shown to people, long ones shortened. */
    String describe();

    /**
     * Numbers and bools, one or an array, in the bytes of the file: an array of one-byte numbers costs one byte each.
     *
     * @param array whether it was written as an array
     */
    record Numbers(GgufValueType elementType, boolean array, int count, MemorySegment bytes) implements GgufValue {

        /** The integer at the index; a u64 above the range of long comes back negative, see {@link #fitsLong}. */
        long integer(int index) {
            return switch (elementType) {
                case U8, BOOL -> Byte.toUnsignedLong(bytes.get(ValueLayout.JAVA_BYTE, index));
                case I8 -> bytes.get(ValueLayout.JAVA_BYTE, index);
                case U16 -> Short.toUnsignedLong(bytes.get(SHORT, 2L * index));
                case I16 -> bytes.get(SHORT, 2L * index);
                case U32 -> Integer.toUnsignedLong(bytes.get(INT, 4L * index));
                case I32 -> bytes.get(INT, 4L * index);
                case U64, I64 -> bytes.get(LONG, 8L * index);
                case F32, F64, STRING, ARRAY -> throw new IllegalStateException(typeName() + " is not an integer");
            };
        }

        boolean fitsLong(int index) {
            return elementType != GgufValueType.U64 || integer(index) >= 0;
        }

        double floating(int index) {
            return elementType == GgufValueType.F32 ? bytes.get(FLOAT, 4L * index) : bytes.get(DOUBLE, 8L * index);
        }

        @Override
        public String typeName() {
            return array ? elementType.text + "[" + count + "]" : elementType.text;
        }

        @Override
        public boolean sameAs(GgufValue other) {
            return other instanceof Numbers numbers && numbers.elementType == elementType && numbers.array == array
                    && numbers.count == count && numbers.bytes.mismatch(bytes) < 0;
        }

        @Override
        public String describe() {
            if (!array) {
                return text(0);
            }
            StringBuilder out = new StringBuilder("[");
            for (int i = 0; i < Math.min(count, 16); i++) {
                out.append(i == 0 ? "" : ", ").append(text(i));
            }
            return out.append(count > 16 ? ", …]" : "]").toString();
        }

        private String text(int index) {
            return switch (elementType.kind) {
                case FLOAT -> elementType == GgufValueType.F32 ? Float.toString((float) floating(index)) : Double.toString(floating(index));
                case BOOL -> Boolean.toString(integer(index) != 0);
                case INTEGER, STRING, ARRAY -> elementType == GgufValueType.U64
                        ? Long.toUnsignedString(integer(index))
                        : Long.toString(integer(index));
            };
        }
    }

    /** Strings, one or an array. The array is owned by this value. */
    @SuppressWarnings("ArrayRecordComponent")
    record Strings(boolean array, String[] values) implements GgufValue {

        @Override
        public String typeName() {
            return array ? "string[" + values.length + "]" : "string";
        }

        @Override
        public GgufValueType elementType() {
            return GgufValueType.STRING;
        }

        @Override
        public int count() {
            return values.length;
        }

        @Override
        public boolean sameAs(GgufValue other) {
            return other instanceof Strings strings && strings.array == array && Arrays.equals(strings.values, values);
        }

        @Override
        public String describe() {
            if (!array) {
                return quote(values[0]);
            }
            StringBuilder out = new StringBuilder("[");
            for (int i = 0; i < Math.min(values.length, 8); i++) {
                out.append(i == 0 ? "" : ", ").append(quote(values[i]));
            }
            return out.append(values.length > 8 ? ", …]" : "]").toString();
        }

        private static String quote(String text) {
            if (text.length() <= 60) {
                return "'" + text + "'";
            }
            // Never half of a surrogate pair.
            return "'" + text.substring(0, Character.isHighSurrogate(text.charAt(59)) ? 59 : 60) + "…'";
        }
    }
}
