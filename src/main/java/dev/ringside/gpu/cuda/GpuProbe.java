package dev.ringside.gpu.cuda;

import jcuda.runtime.JCuda;
import org.jspecify.annotations.Nullable;

/**
 * Whether there is a CUDA device. The runtime of JCuda is asked, which answers with a code where there is no driver; its driver API cannot
 * even be loaded there.
 */
final class GpuProbe {

    private static final int NO_DRIVER = 35;
    private static final int NO_DEVICE = 100;

    private GpuProbe() {}

    /** Why no CUDA device can be used, or null when one can. */
    static @Nullable String obstacle() {
        try {
            JCuda.setExceptionsEnabled(false);
            int[] count = new int[1];
            int code = JCuda.cudaGetDeviceCount(count);
            return switch (code) {
                case 0 -> count[0] > 0 ? null : "no CUDA device";
                case NO_DRIVER -> "no NVIDIA driver, or one older than CUDA 12.0";
                case NO_DEVICE -> "no CUDA device";
                default -> "CUDA answers with error " + code;
            };
        } catch (LinkageError e) {
            return "the native library of JCuda cannot be loaded (" + firstLine(e) + ")";
        }
    }

    private static String firstLine(LinkageError e) {
        String message = String.valueOf(e.getMessage()).strip();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
