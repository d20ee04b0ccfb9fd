package dev.ringside.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Refuses a file in which two tensors share bytes. */
final class TensorOverlap {

    private TensorOverlap() {}

    static void refuse(Path file, List<TensorInfo> tensors) {
        List<TensorInfo> sorted = new ArrayList<>(tensors);
        sorted.sort(Comparator.comparingLong(TensorInfo::fileOffset));
        for (int i = 1; i < sorted.size(); i++) {
            TensorInfo before = sorted.get(i - 1);
            TensorInfo tensor = sorted.get(i);
            long end = before.fileOffset() + before.byteSize();
            if (tensor.fileOffset() < end) {
                throw new GgufException(file, tensor.fileOffset(), "tensor '" + tensor.name() + "'",
                        "its data overlap tensor '" + before.name()
                                + "', which ends at byte " + end + GgufCursor.DAMAGED,
                        null);
            }
        }
    }
}
