package dev.ringside.model;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import java.util.HashSet;
import java.util.Set;

/** Counts the tensors of a file that are in place. Experts stay in the file and do not count. */
final class LoadMeter {

    private final LoadProgress.Listener listener;
    private final Set<String> placed = new HashSet<>();
    private final int tensors;
    private final long totalBytes;
    private long bytes;

    LoadMeter(GgufFile file, LoadProgress.Listener listener) {
        this.listener = listener;
        int count = 0;
        long sum = 0;
        for (TensorInfo tensor : file.tensors()) {
            if (!isExperts(tensor)) {
                count++;
                sum += tensor.byteSize();
            }
        }
        this.tensors = count;
        this.totalBytes = sum;
        tell();
    }

    /** A tensor, or a part of it, is in place; several parts count once. */
    void placed(TensorInfo tensor) {
        if (!isExperts(tensor) && placed.add(tensor.name())) {
            bytes += tensor.byteSize();
            tell();
        }
    }

    private void tell() {
        listener.progressed(new LoadProgress(LoadProgress.Phase.WEIGHTS, placed.size(), tensors, bytes, totalBytes));
    }

    private static boolean isExperts(TensorInfo tensor) {
        return tensor.name().endsWith("_exps.weight");
    }
}
