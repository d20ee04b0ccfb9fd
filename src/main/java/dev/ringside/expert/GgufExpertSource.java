package dev.ringside.expert;

import com.sun.management.OperatingSystemMXBean;
import dev.ringside.expert.LayerExtents.Extent;
import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Experts in a GGUF file, read through descriptors of its own: expert {@code e} of a stacked tensor lies at the tensor's offset plus
 * {@code e} times the bytes of one matrix. Independent of the {@link GgufFile} it was opened from, which may be closed first.
 */
public final class GgufExpertSource implements ExpertSource {

    private static final long ALIGNMENT = ReadStrategy.Direct.MAX_ALIGNMENT;

    private final SlotLayout layout;
    private final @Nullable LayerExtents[] extents;
    private final @Nullable ShardFile[] shards;
    /** Whether a shard is read directly, so that matrices lie apart in staging memory. */
    private final boolean apart;
    /** Shift of slots that reads land in as they are, or {@link DirectPlacement#NONE}. */
    private final int shift;
    private final long stagingBytes;

    private GgufExpertSource(SlotLayout layout, int shift, @Nullable LayerExtents[] extents, @Nullable ShardFile[] shards) {
        this.layout = layout;
        this.shift = shift;
        this.extents = extents;
        this.shards = shards;
        boolean direct = false;
        for (ShardFile shard : shards) {
            direct |= shard != null && shard.direct();
        }
        this.apart = direct && shift == DirectPlacement.NONE;
        long largest = shift == DirectPlacement.NONE ? layout.slotBytes() : layout.slotBytes() + shift + ALIGNMENT - 1 & -ALIGNMENT;
        for (LayerExtents extent : extents) {
            if (apart && extent != null) {
                largest = Math.max(largest, regionEnd(extent, LayerExtents.ROLES - 1));
            }
        }
        this.stagingBytes = largest;
    }

    /** End of the staging room of a matrix: the window that covers it at any alignment of the file, whatever its place in the file. */
    private static long regionEnd(LayerExtents extent, int role) {
        long end = 0;
        for (int i = 0; i <= role; i++) {
            end += (extent.part(i).bytes() + ALIGNMENT - 1 & -ALIGNMENT) + 2 * ALIGNMENT;
        }
        return end;
    }

    /** Opens the files that hold the tensors, to be read as {@link ReadOptions#DEFAULT} says. */
    public static GgufExpertSource open(GgufFile file, List<ExpertTensors> layers) {
        return open(file, layers, ReadOptions.DEFAULT);
    }

    /**
     * Opens the files that hold the tensors.
     *
     * @throws GgufException naming tensor, expected and found shape when tensors do not fit together, or the file when it cannot be opened
     */
    public static GgufExpertSource open(GgufFile file, List<ExpertTensors> layers, ReadOptions options) {
        return open(file, layers, options, PositionalFile.Opener.platform());
    }

    static GgufExpertSource open(GgufFile file, List<ExpertTensors> layers, ReadOptions options, PositionalFile.Opener opener) {
        SlotLayout.Builder builder = SlotLayout.builder();
        int last = 0;
        for (ExpertTensors tensors : layers) {
            LayerExtents.check(file.path(), tensors);
            builder.add(tensors.layer(), LayerExtents.hidden(tensors), LayerExtents.width(tensors), tensors.gate().type(),
                    tensors.up().type(),
                    tensors.down().type());
            last = Math.max(last, tensors.layer());
        }
        SlotLayout compact = builder.build();
        long bytes = layers.stream().mapToLong(each -> each.down().dimension(2) * compact.expertBytes(each.layer())).sum();
        boolean direct = options.direct().wanted(bytes,
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize());
        int shift = direct ? DirectPlacement.shift(layers, compact) : DirectPlacement.NONE;
        SlotLayout layout = shift == DirectPlacement.NONE ? compact : DirectPlacement.layout(layers, compact, shift);
        @Nullable LayerExtents[] extents = new LayerExtents[last + 1];
        @Nullable ShardFile[] shards = new ShardFile[file.shards().size()];
        try {
            for (ExpertTensors tensors : layers) {
                LayerExtents extent = LayerExtents.of(tensors, layout.shape(tensors.layer()));
                extents[tensors.layer()] = extent;
                for (Extent part : extent.parts()) {
                    if (shards[part.shard()] == null) {
                        shards[part.shard()] = openShard(file.shards().get(part.shard()), direct, options, opener);
                    }
                }
            }
            return new GgufExpertSource(layout, shift, extents, shards);
        } catch (RuntimeException e) {
            closeAll(shards, e);
            throw e;
        }
    }

    private static ShardFile openShard(Path path, boolean direct, ReadOptions options, PositionalFile.Opener opener) {
        try {
            return new ShardFile(path, direct, options, opener);
        } catch (IOException e) {
            throw new GgufException(path, GgufException.NO_OFFSET, null, "cannot be opened for reading experts: " + e, e);
        }
    }

    @Override
    public SlotLayout layout() {
        return layout;
    }

    @Override
    public int expertCount(int layer) {
        return extents(layer).experts();
    }

    @Override
    public void read(int layer, int expert, long offset, long length, MemorySegment slot) {
        LayerExtents extent = extents(layer, expert);
        for (int role = 0; role < LayerExtents.ROLES; role++) {
            Extent part = extent.part(role);
            long begin = Math.max(offset, part.slotOffset());
            long end = Math.min(offset + length, part.slotOffset() + part.bytes());
            if (begin < end) {
                long fileOffset = part.fileOffset() + expert * part.stride() + (begin - part.slotOffset());
                read(part, layer, expert, fileOffset, slot, begin, end - begin, false);
            }
        }
    }

    @Override
    public long stagingBytes() {
        return stagingBytes;
    }

    @Override
    public boolean stagedApart() {
        return apart;
    }

    @Override
    public boolean slotsTakeWindows() {
        return shift != DirectPlacement.NONE;
    }

    @Override
    public int slotShift() {
        return Math.max(0, shift);
    }

    @Override
    public long stagedOffset(int layer, int expert, int role) {
        LayerExtents extent = extents(layer);
        Extent part = extent.part(role);
        if (!apart) {
            return slotShift() + part.slotOffset();
        }
        long region = role == 0 ? 0 : regionEnd(extent, role - 1);
        return region + (part.fileOffset() + expert * part.stride() & ALIGNMENT - 1);
    }

    @Override
    public void stage(int layer, int expert, int piece, int pieces, MemorySegment slot) {
        if (!apart && !slotsTakeWindows()) {
            ExpertSource.super.stage(layer, expert, piece, pieces, slot);
            return;
        }
        LayerExtents extent = extents(layer, expert);
        if (pieces % LayerExtents.ROLES == 0) {
            int each = pieces / LayerExtents.ROLES;
            int role = piece / each;
            long bytes = extent.part(role).bytes();
            stage(layer, expert, role, bytes * (piece % each) / each, bytes * (piece % each + 1) / each, slot);
            return;
        }
        long total = layout.expertBytes(layer);
        long from = total * piece / pieces;
        long to = total * (piece + 1) / pieces;
        long before = 0;
        for (int role = 0; role < LayerExtents.ROLES; role++) {
            stage(layer, expert, role, from - before, to - before, slot);
            before += extent.part(role).bytes();
        }
    }

    /** Stages the bytes of a matrix between two places, which may lie outside it. */
    private void stage(int layer, int expert, int role, long from, long to, MemorySegment slot) {
        Extent part = extents(layer).part(role);
        long fileOffset = part.fileOffset() + expert * part.stride();
        long begin = cut(fileOffset, part.bytes(), from);
        long end = cut(fileOffset, part.bytes(), to);
        if (begin < end) {
            read(part, layer, expert, fileOffset + begin, slot, stagedOffset(layer, expert, role) + begin, end - begin, true);
        }
    }

    /** Pieces meet at aligned places in the file, so that their windows do not overlap. */
    private static long cut(long fileOffset, long bytes, long at) {
        if (at <= 0 || at >= bytes) {
            return Math.clamp(at, 0, bytes);
        }
        return Math.max(0, (fileOffset + at & -ALIGNMENT) - fileOffset);
    }

    private void read(Extent part, int layer, int expert, long fileOffset, MemorySegment target, long targetOffset, long length,
            boolean room) {
        ShardFile shard = shards[part.shard()];
        if (shard == null) {
            throw new IllegalStateException("Shard " + part.shard() + " holds no experts");
        }
        try {
            shard.read(fileOffset, target, targetOffset, length, room);
        } catch (IOException e) {
            String problem = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new ExpertReadException(layer, expert, shard.path().toString(), fileOffset, problem, e);
        }
    }

    @Override
    public List<ShardSnapshot> shards() {
        List<ShardSnapshot> all = new ArrayList<>();
        for (ShardFile shard : shards) {
            if (shard != null) {
                all.add(shard.snapshot());
            }
        }
        return all;
    }

    private LayerExtents extents(int layer, int expert) {
        LayerExtents extent = extents(layer);
        if (expert < 0 || expert >= extent.experts()) {
            throw new IllegalArgumentException("Layer " + layer + " has " + extent.experts() + " experts, asked for number " + expert);
        }
        return extent;
    }

    private LayerExtents extents(int layer) {
        LayerExtents extent = layer >= 0 && layer < extents.length ? extents[layer] : null;
        if (extent == null) {
            throw new IllegalArgumentException("Layer " + layer + " has no experts; the layers with experts are " + layout.layers());
        }
        return extent;
    }

    @Override
    public void close() {
        IllegalStateException failure = new IllegalStateException("A model file could not be closed");
        closeAll(shards, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeAll(@Nullable ShardFile[] shards, RuntimeException failure) {
        for (ShardFile shard : shards) {
            if (shard != null) {
                try {
                    shard.close();
                } catch (IOException e) {
                    failure.addSuppressed(e);
                }
            }
        }
    }
}
