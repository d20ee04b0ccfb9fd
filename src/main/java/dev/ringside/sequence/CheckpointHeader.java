package dev.ringside.sequence;

import dev.ringside.gpu.KvType;
import java.util.ArrayList;
import java.util.List;

/**
 * What saved state says of itself.
 *
 * @param version of the format
 * @param identity model and KV type
 * @param layoutHash {@link StateLayout#hash()}
 * @param position tokens behind which the state stands
 * @param tokens their ids
 * @param draftLength positions whose rows of the draft (MTP) block it holds
 * @param following the token that the last of these rows was computed for
 * @param random state of the request's random generator, or empty
 * @param regions one image per region of the layout, in its order, one behind the other
 */
record CheckpointHeader(int version, CheckpointIdentity identity, long layoutHash, int pageTokens, int position, int[] tokens,
        int draftLength, int following, long[] random,
        List<Image> regions) {

    static final int VERSION = 2;

    /**
     * The bytes of a region.
     *
     * @param crc CRC32C of them
     */
    record Image(String name, boolean positional, long bytes, int crc) {}

    CheckpointHeader {
        regions = List.copyOf(regions);
    }

    /** Header of state at a position; checksums as given. */
    static CheckpointHeader of(StateLayout layout, CheckpointIdentity identity, int[] tokens, int draftLength, int following, long[] random,
            int[] checksums) {
        int position = tokens.length;
        List<Image> images = new ArrayList<>(checksums.length);
        for (int i = 0; i < checksums.length; i++) {
            StateRegion region = layout.regions().get(i);
            images.add(new Image(region.name(), region.positional(), layout.payloadBytesAt(region, position), checksums[i]));
        }
        return new CheckpointHeader(VERSION, identity, layout.hash(), layout.pageTokens(), position, tokens, draftLength, following, random,
                images);
    }

    long payloadBytes() {
        long bytes = 0;
        for (Image image : regions) {
            bytes += image.bytes;
        }
        return bytes;
    }

    /** @throws CheckpointException when the state can't be read as this layout, saying what differs */
    void requireFits(StateLayout layout, CheckpointIdentity own) {
        differ("the format version", version, VERSION);
        if (identity.modelFingerprint() != own.modelFingerprint()) {
            throw new CheckpointException("The checkpoint is of another model: fingerprint " + Long.toHexString(identity.modelFingerprint())
                    + ", expected " + Long.toHexString(own.modelFingerprint()));
        }
        KvType kv = identity.kvType();
        if (kv != own.kvType()) {
            throw new CheckpointException("The checkpoint's ringside.kv.type is " + kv + ", expected " + own.kvType());
        }
        differ("ringside.kv.page-tokens", pageTokens, layout.pageTokens());
        differ("the number of regions", regions.size(), layout.regions().size());
        differ("the number of tokens", tokens.length, position);
        if (draftLength < 0 || draftLength > position) {
            throw new CheckpointException(
                    "The checkpoint has " + draftLength + " rows of the draft block, expected 0 to " + position + " at that position");
        }
        for (int i = 0; i < regions.size(); i++) {
            requireFits(regions.get(i), layout.regions().get(i), layout);
        }
        if (layoutHash != layout.hash()) {
            throw new CheckpointException("The checkpoint's layout hash is " + Long.toHexString(layoutHash) + ", expected "
                    + Long.toHexString(layout.hash()));
        }
    }

    private void requireFits(Image found, StateRegion expected, StateLayout layout) {
        if (!found.name.equals(expected.name()) || found.positional != expected.positional()) {
            throw new CheckpointException("The checkpoint has the " + kind(found.positional) + " region '" + found.name + "' where the "
                    + kind(expected.positional()) + " region '" + expected.name() + "' is expected");
        }
        long bytes = layout.payloadBytesAt(expected, position);
        if (found.bytes != bytes) {
            throw new CheckpointException(
                    "Region '" + found.name + "' of the checkpoint has " + found.bytes + " bytes, expected " + bytes + " at position "
                            + position);
        }
    }

    private static String kind(boolean positional) {
        return positional ? "positional" : "recurrent";
    }

    private static void differ(String what, long found, long expected) {
        if (found != expected) {
            throw new CheckpointException("In the checkpoint " + what + " is " + found + ", expected " + expected);
        }
    }
}
