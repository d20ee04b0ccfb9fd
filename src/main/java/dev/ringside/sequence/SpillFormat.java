package dev.ringside.sequence;

import dev.ringside.gpu.KvType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The beginning of a checkpoint file: magic, version, length of the header, header, CRC32C of all that; the payload follows and ends the
 * file. Numbers are big-endian.
 */
final class SpillFormat {

    static final long MAGIC = 0x52494E4753504C4CL;
    /** Magic, version and length. */
    static final int PREAMBLE_BYTES = 16;
    private static final int CHECKSUM_BYTES = 4;
    private static final int MAX_HEADER_BYTES = 1 << 28;

    private SpillFormat() {}

    static byte[] encode(CheckpointHeader header) {
        try {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            writeBody(new DataOutputStream(body), header);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(all);
            out.writeLong(MAGIC);
            out.writeInt(header.version());
            out.writeInt(body.size());
            body.writeTo(out);
            out.writeInt(crc(all.toByteArray(), all.size()));
            return all.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeBody(DataOutputStream out, CheckpointHeader header) throws IOException {
        out.writeLong(header.identity().modelFingerprint());
        out.writeUTF(header.identity().kvType().name());
        out.writeLong(header.layoutHash());
        out.writeInt(header.pageTokens());
        out.writeInt(header.position());
        out.writeInt(header.tokens().length);
        for (int token : header.tokens()) {
            out.writeInt(token);
        }
        out.writeInt(header.draftLength());
        out.writeInt(header.following());
        out.writeInt(header.random().length);
        for (long word : header.random()) {
            out.writeLong(word);
        }
        out.writeInt(header.regions().size());
        for (CheckpointHeader.Image image : header.regions()) {
            out.writeUTF(image.name());
            out.writeBoolean(image.positional());
            out.writeLong(image.bytes());
            out.writeInt(image.crc());
        }
    }

    /**
     * Bytes in front of the payload.
     *
     * @param preamble the first {@link #PREAMBLE_BYTES} of a file
     * @throws CheckpointException when this is no such file, or one of another version
     */
    static int headerBytes(byte[] preamble) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(preamble));
        if (in.readLong() != MAGIC) {
            throw new CheckpointException("It is no checkpoint file: it does not begin with " + Long.toHexString(MAGIC));
        }
        int version = in.readInt();
        if (version != CheckpointHeader.VERSION) {
            throw new CheckpointException("Its format version is " + version + ", expected " + CheckpointHeader.VERSION);
        }
        int length = in.readInt();
        if (length < 0 || length > MAX_HEADER_BYTES) {
            throw new CheckpointException("Its header is damaged: " + length + " bytes");
        }
        return PREAMBLE_BYTES + length + CHECKSUM_BYTES;
    }

    /**
     * @param head all bytes in front of the payload
     * @throws CheckpointException when it is damaged
     */
    static CheckpointHeader decode(byte[] head) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(head, PREAMBLE_BYTES, head.length - PREAMBLE_BYTES));
        int found = crc(head, head.length - CHECKSUM_BYTES);
        int written = new DataInputStream(new ByteArrayInputStream(head, head.length - CHECKSUM_BYTES, CHECKSUM_BYTES)).readInt();
        if (found != written) {
            throw new CheckpointException(
                    "Its header is damaged: CRC32C " + Integer.toHexString(found) + ", expected " + Integer.toHexString(written));
        }
        long fingerprint = in.readLong();
        String kvName = in.readUTF();
        KvType kvType;
        try {
            kvType = KvType.valueOf(kvName);
        } catch (IllegalArgumentException e) {
            throw new CheckpointException("Its ringside.kv.type is " + kvName, e);
        }
        long layoutHash = in.readLong();
        int pageTokens = in.readInt();
        int position = in.readInt();
        int[] tokens = new int[in.readInt()];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = in.readInt();
        }
        int draftLength = in.readInt();
        int following = in.readInt();
        long[] random = new long[in.readInt()];
        for (int i = 0; i < random.length; i++) {
            random[i] = in.readLong();
        }
        int count = in.readInt();
        List<CheckpointHeader.Image> regions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            regions.add(new CheckpointHeader.Image(in.readUTF(), in.readBoolean(), in.readLong(), in.readInt()));
        }
        return new CheckpointHeader(CheckpointHeader.VERSION, new CheckpointIdentity(fingerprint, kvType), layoutHash, pageTokens, position,
                tokens, draftLength, following, random, regions);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
