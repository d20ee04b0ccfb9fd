package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile and damaged files: each is refused by name before anything large is allocated. */
class GgufParserTest {

    private static final Path FILE = Path.of("m.gguf");

    private static GgufWriter model() {
        return GgufWriter.of("qwen3moe").putU32("n", 1).tensor("first", new long[] {8, 1}, 1, 2, 3, 4, 5, 6, 7, 8)
                .tensor("second", GgmlType.Q8_0, new long[] {32, 2}, new byte[68]);
    }

    private static GgufShard parse(byte[] bytes) {
        return GgufParser.parse(FILE, MemorySegment.ofArray(bytes), 0);
    }

    private static void assertRefused(byte[] bytes, String... mentions) {
        assertThatThrownBy(() -> parse(bytes)).isInstanceOf(GgufException.class).message().contains(mentions);
    }

    /** Offset of the number of dimensions of a tensor, right after its name. */
    private static int rankOf(byte[] file, String tensor) {
        return new String(file, StandardCharsets.ISO_8859_1).indexOf(tensor) + tensor.length();
    }

    private static ByteBuffer at(byte[] file, int position) {
        return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).position(position);
    }

    @Test
    void aZeroDimensionInATinyFileIsRefused() {
        byte[] file = ByteBuffer.allocate(73).order(ByteOrder.LITTLE_ENDIAN).put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3)
                .putLong(1)
                .putLong(0).putLong(9).put("dimension".getBytes(StandardCharsets.US_ASCII)).putInt(2).putLong(1).putLong(0).putInt(0)
                .putLong(0).array();
        assertRefused(file, "tensor 'dimension'", "dimension 1 is 0");
    }

    @Test
    void aProductThatWrapsIsASizeOverflow() {
        byte[] file = model().bytes();
        at(file, rankOf(file, "second") + 4).putLong(1L << 60).putLong((1L << 42) + 1);
        assertRefused(file, "tensor 'second'", "size overflow");
    }

    @Test
    void aByteSizeThatWrapsIsASizeOverflow() {
        byte[] file = model().bytes();
        at(file, rankOf(file, "first") + 4).putLong(1L << 61).putLong(1);
        assertRefused(file, "tensor 'first'", "size overflow");
    }

    @Test
    void aTensorFarLargerThanTheFileIsRefusedWithTheMissingBytes() {
        byte[] file = model().bytes();
        at(file, rankOf(file, "first") + 12).putLong((1L << 42) + 1);
        assertRefused(file, "tensor 'first'", "bytes are missing");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 1_000_000, -1})
    void aWrongNumberOfDimensionsIsRefusedBeforeReadingThem(int rank) {
        byte[] file = model().bytes();
        at(file, rankOf(file, "second")).putInt(rank);
        assertRefused(file, "tensor 'second'", Integer.toUnsignedString(rank) + " dimensions", "expected 1 to 4");
    }

    @Test
    void aNegativeDimensionIsRefused() {
        byte[] file = model().bytes();
        at(file, rankOf(file, "second") + 4).putLong(-32);
        assertRefused(file, "tensor 'second'", "-32");
    }

    @Test
    void aStringLongerThanTheFileIsRefused() {
        byte[] value = at(new byte[8], 0).putLong(1L << 40).array();
        assertRefused(model().put("s", 8, value).bytes(), "key 's'", "length", "1099511627776");
    }

    @Test
    void anArrayOfFourBillionStringsIsRefused() {
        assertRefused(model().putArray("s", 8, 1L << 32, new byte[64]).bytes(), "key 's'", "array of 4294967296", "end of file");
    }

    @Test
    void boolsOtherThanZeroAndOneAreRefused() {
        assertRefused(model().put("flag", 7, new byte[] {2}).bytes(), "key 'flag'", "found 2");
        assertRefused(model().putArray("flags", 7, 2, new byte[] {1, 9}).bytes(), "key 'flags'", "found 9");
    }

    @Test
    void emptyNamesAreRefused() {
        assertRefused(model().putU32("", 1).bytes(), "key 2 is empty");
        assertRefused(model().tensor("", new long[] {1}, 1).bytes(), "name of tensor 2 is empty");
    }

    @Test
    void namesThatAreNotUtf8AreRefused() {
        byte[] file = model().bytes();
        file[rankOf(file, "second") - 1] = (byte) 0xFF;
        assertRefused(file, "not UTF-8");
    }

    @Test
    void controlCharactersOfNamesStayOutOfMessages() {
        assertThatThrownBy(() -> parse(model().put("a\nb\u001b", 13, new byte[4]).bytes())).message().contains("a\uFFFDb\uFFFD")
                .doesNotContain("\n", "\u001b");
    }

    @Test
    void aKeyLongerThanTheFormatAllowsIsRefused() {
        assertRefused(model().putU32("k".repeat(65536), 1).bytes(), "key 2 has 65536 bytes");
    }

    @Test
    void aTensorOfTheLongestNameIsFine() {
        String name = "x".repeat(63);
        assertThat(parse(model().tensor(name, new long[] {1}, 1).bytes()).tensors()).last().extracting(TensorInfo::name).isEqualTo(name);
        assertRefused(model().tensor(name + "x", new long[] {1}, 1).bytes(), "name of tensor 2 has 64 bytes", "at most 63");
    }

    @Test
    void theOffsetOfTheFaultIsTold() {
        byte[] file = model().put("s", 13, new byte[4]).bytes();
        assertThatThrownBy(() -> parse(file)).isInstanceOfSatisfying(GgufException.class, e -> {
            assertThat(at(file, (int) e.offset()).getInt()).isEqualTo(13);
            assertThat(e.subject()).isEqualTo("key 's'");
        });
    }

    @Test
    void aFileWithoutTensorsIsFine() {
        assertThat(parse(GgufWriter.of("x").bytes()).tensors()).isEmpty();
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] file = model().bytes();
        // The last tensor has 68 bytes and is padded to 96: only the padding may be absent.
        int needed = file.length - 28;
        for (int length = 0; length < needed; length++) {
            byte[] cut = java.util.Arrays.copyOf(file, length);
            assertThatThrownBy(() -> parse(cut)).as("%d bytes", length).isInstanceOf(GgufException.class);
        }
        assertThat(parse(java.util.Arrays.copyOf(file, needed)).tensors()).hasSize(2);
    }

    @Test
    void damagedBytesNeverGiveAnotherError() {
        long seed = Long.getLong("ringside.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] file = model().bytes();
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = file.clone();
            for (int j = random.nextInt(3); j >= 0; j--) {
                damaged[random.nextInt(damaged.length)] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(2) * 255);
            }
            try {
                for (TensorInfo tensor : parse(damaged).tensors()) {
                    assertThat(tensor.fileOffset() + tensor.byteSize()).isLessThanOrEqualTo(damaged.length);
                }
            } catch (GgufException e) {
                assertThat(e).hasMessageContaining("m.gguf");
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", round " + i, e);
            }
        }
    }
}
