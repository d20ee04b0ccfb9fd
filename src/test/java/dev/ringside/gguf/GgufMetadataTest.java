package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class GgufMetadataTest {

    private static GgufMetadata read(GgufWriter writer) {
        return GgufParser.parse(Path.of("m.gguf"), MemorySegment.ofArray(writer.bytes()), 0).metadata();
    }

    private static final GgufMetadata METADATA = read(new GgufWriter().putString("s", "text").putU8("u8", 200).putU16("u16", 60000)
            .putU32("u32", 4_000_000_000L).putI32("i32", -5).putU64("u64", 1L << 62).putI64("i64", -7).putU64("huge", -1)
            .putF32("f32", 0.1f)
            .putF64("f64", 1e-6).putBool("yes", true).putStrings("strings", List.of("a", "", "ü")).putI32s("one", 4)
            .putI32s("same", 8, 8, 8)
            .putI32s("layers", 4, 0, 4).putU64s("long", 1, 1L << 45).putF32s("floats", 1, 2).putBools("bools", true, false)
            .putF32s("none"));

    @Test
    void integersOfAnyWidthAreRead() {
        assertThat(METADATA.getInt("u8")).isEqualTo(200);
        assertThat(METADATA.getInt("u16")).isEqualTo(60000);
        assertThat(METADATA.getLong("u32")).isEqualTo(4_000_000_000L);
        assertThat(METADATA.getInt("i32")).isEqualTo(-5);
        assertThat(METADATA.getLong("u64")).isEqualTo(1L << 62);
        assertThat(METADATA.getInt("i64")).isEqualTo(-7);
    }

    @Test
    void integersOutOfRangeAreNamed() {
        assertRefused(() -> METADATA.getInt("u32"), "key 'u32'", "4000000000");
        assertRefused(() -> METADATA.getLong("huge"), "key 'huge'", "18446744073709551615");
    }

    @Test
    void arraysOfOneOrOfEqualValuesReadAsScalars() {
        assertThat(METADATA.getInt("one")).isEqualTo(4);
        assertThat(METADATA.getInt("same")).isEqualTo(8);
        assertRefused(() -> METADATA.getInt("layers"), "key 'layers'", "i32[3]");
        assertRefused(() -> METADATA.getFloat("none"), "key 'none'", "empty");
    }

    @Test
    void scalarsReadAsArraysOfOne() {
        assertThat(METADATA.getInts("u8")).containsExactly(200);
        assertThat(METADATA.getFloats("f32")).containsExactly(0.1f);
        assertThat(METADATA.getBools("yes")).containsExactly(true);
        assertThat(METADATA.getStrings("s")).containsExactly("text");
    }

    @Test
    void valuesForEachLayerAreRepeatedOrCounted() {
        assertThat(METADATA.getInts("u8", 3)).containsExactly(200, 200, 200);
        assertThat(METADATA.getInts("layers", 3)).containsExactly(4, 0, 4);
        assertRefused(() -> METADATA.getInts("layers", 4), "key 'layers'", "4", "3");
    }

    @Test
    void arraysKeepTheirValues() {
        assertThat(METADATA.getLongs("long")).containsExactly(1, 1L << 45);
        assertThat(METADATA.getFloats("floats")).containsExactly(1, 2);
        assertThat(METADATA.getBools("bools")).containsExactly(true, false);
        assertThat(METADATA.getStrings("strings")).containsExactly("a", "", "ü");
        assertThat(METADATA.getStrings("none")).isEmpty();
        assertThat(METADATA.length("floats")).isEqualTo(2);
    }

    @Test
    void doublesReadAsFloats() {
        assertThat(METADATA.getFloat("f64")).isEqualTo(1e-6f);
    }

    @Test
    void aMissingKeyIsNamedWithTheExpectedType() {
        assertRefused(() -> METADATA.getInt("x.block_count"), "m.gguf", "key 'x.block_count'", "missing", "an integer");
    }

    @Test
    void defaultsStandInForMissingKeysOnly() {
        assertThat(METADATA.getInt("absent", 3)).isEqualTo(3);
        assertThat(METADATA.getFloat("absent", 1.5f)).isEqualTo(1.5f);
        assertThat(METADATA.getString("absent", "d")).isEqualTo("d");
        assertThat(METADATA.getBool("absent", true)).isTrue();
        assertRefused(() -> METADATA.getInt("s", 3), "key 's'", "an integer", "string");
    }

    @Test
    void kindsAreNotMixed() {
        assertRefused(() -> METADATA.getString("u8"), "key 'u8'", "a string", "u8");
        assertRefused(() -> METADATA.getFloat("u8"), "a float");
        assertRefused(() -> METADATA.getInt("f32"), "an integer", "f32");
        assertRefused(() -> METADATA.getBool("u8"), "a bool");
        assertRefused(() -> METADATA.getInts("strings"), "an integer", "string[3]");
        assertRefused(() -> METADATA.getStrings("floats"), "strings", "f32[2]");
    }

    @Test
    void valuesAreShownToPeople() {
        assertThat(METADATA.keys()).startsWith("s", "u8");
        assertThat(METADATA.describe("huge")).isEqualTo("18446744073709551615");
        assertThat(METADATA.describe("layers")).isEqualTo("[4, 0, 4]");
        assertThat(METADATA.describe("strings")).isEqualTo("['a', '', 'ü']");
        assertThat(METADATA.describe("bools")).isEqualTo("[true, false]");
        assertThat(METADATA.typeName("strings")).isEqualTo("string[3]");
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... mentions) {
        assertThatThrownBy(call).isInstanceOf(GgufException.class).message().contains(mentions);
    }
}
