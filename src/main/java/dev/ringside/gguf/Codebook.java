package dev.ringside.gguf;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * A table of the IQ1, IQ2 and IQ3 formats: rows of four or eight small integers that a block names by index. They are figures of the
 * format and cannot be derived; {@code iq-codebooks.json} beside the data says where they come from and holds their SHA-256.
 */
final class Codebook {

    static final Codebook IQ2_XXS = new Codebook(0, 256, 8);
    static final Codebook IQ2_XS = new Codebook(2048, 512, 8);
    static final Codebook IQ2_S = new Codebook(6144, 1024, 8);
    static final Codebook IQ3_XXS = new Codebook(14336, 256, 4);
    static final Codebook IQ3_S = new Codebook(15360, 512, 4);
    static final Codebook IQ1 = new Codebook(17408, 2048, 8);

    private static final String RESOURCE = "iq-codebooks.bin";

    private final int columns;
    private final byte[] values;

    private Codebook(int offset, int rows, int columns) {
        this.columns = columns;
        this.values = new byte[rows * columns];
        try (InputStream stream = Codebook.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("resource " + RESOURCE + " is missing beside " + Codebook.class.getName());
            }
            DataInputStream data = new DataInputStream(stream);
            data.skipNBytes(offset);
            data.readFully(values);
        } catch (IOException e) {
            throw new UncheckedIOException("resource " + RESOURCE + " cannot be read", e);
        }
    }

    int value(int row, int column) {
        return values[row * columns + column];
    }

    /** A copy of the table, row by row. */
    byte[] bytes() {
        return values.clone();
    }
}
