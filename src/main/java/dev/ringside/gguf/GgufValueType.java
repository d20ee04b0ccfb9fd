package dev.ringside.gguf;

import org.jspecify.annotations.Nullable;

/** Type of a metadata value, in the order of the ids of the format. */
enum GgufValueType {
    U8("u8", 1, Kind.INTEGER),
    I8("i8", 1, Kind.INTEGER),
    U16("u16", 2, Kind.INTEGER),
    I16("i16", 2, Kind.INTEGER),
    U32("u32", 4, Kind.INTEGER),
    I32("i32", 4, Kind.INTEGER),
    F32("f32", 4, Kind.FLOAT),
    BOOL("bool", 1, Kind.BOOL),
    STRING("string", 0, Kind.STRING),
    ARRAY("array", 0, Kind.ARRAY),
    U64("u64", 8, Kind.INTEGER),
    I64("i64", 8, Kind.INTEGER),
    F64("f64", 8, Kind.FLOAT);

    enum Kind {
        INTEGER("an integer"),
        FLOAT("a float"),
        BOOL("a bool"),
        STRING("a string"),
        ARRAY("an array");

        final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    private static final GgufValueType[] VALUES = values();

    final String text;
    /** Bytes of one value; 0 where it varies. */
    final int bytes;
    final Kind kind;

    GgufValueType(String text, int bytes, Kind kind) {
        this.text = text;
        this.bytes = bytes;
        this.kind = kind;
    }

    static @Nullable GgufValueType find(int id) {
        return id >= 0 && id < VALUES.length ? VALUES[id] : null;
    }
}
