package dev.ringside.model;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A number that differs between models whose sequence state can't be exchanged: by architecture, by the name, type and shape of every
 * tensor, and by the first bytes of each, so that fine-tunes of one model differ too. Reading all weights would take minutes.
 */
public final class ModelFingerprint {

    private static final int SAMPLE_BYTES = 64;

    private ModelFingerprint() {}

    /** The fingerprint of a file, the same in every run and for every copy of it. */
    public static long of(GgufFile file) {
        MessageDigest digest = sha256();
        add(digest, file.architecture());
        for (TensorInfo tensor : file.tensors()) {
            add(digest, tensor.name() + ' ' + tensor.type() + ' ' + tensor.dimensions());
            MemorySegment data = file.data(tensor);
            digest.update(data.asSlice(0, Math.min(SAMPLE_BYTES, data.byteSize())).asByteBuffer());
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    private static void add(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
