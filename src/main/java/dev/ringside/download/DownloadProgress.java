package dev.ringside.download;

import java.util.Locale;

/**
 * How far a download is.
 *
 * @param source address without secrets
 * @param part file being fetched, from 1
 * @param parts files of the model
 * @param bytes of this file that are here
 * @param totalBytes of this file, or -1 when the server has not said yet
 * @param bytesPerSecond lately
 */
public record DownloadProgress(String source, Phase phase, int part, int parts, long bytes, long totalBytes, long bytesPerSecond) {

    /** What is being done. */
    public enum Phase {
        /** Another process downloads the same file. */
        WAITING,
        /** The server is asked, or asked again behind a pause. */
        CONNECTING,
        /** Bytes come. */
        DOWNLOADING,
        /** What came earlier is read again for its digest. */
        VERIFYING,
        /** All files are here and verified. */
        DONE
    }

    /** Share of the file that is here, 0 to 100, or -1 when its size is not known. */
    public int percent() {
        return phase == Phase.DONE ? 100 : totalBytes < 0 ? -1 : totalBytes == 0 ? 0 : (int) Math.min(100, bytes * 100.0 / totalBytes);
    }

    /** For people: {@code downloading 34 %, file 1 of 3, 1.2 GB of 3.5 GB, 80 MB/s}. */
    public String text() {
        StringBuilder text = new StringBuilder(phase == Phase.DONE ? "downloaded" : phase.name().toLowerCase(Locale.ROOT));
        if (phase == Phase.DOWNLOADING || phase == Phase.VERIFYING) {
            if (percent() >= 0) {
                text.append(' ').append(percent()).append(" %");
            }
            if (parts > 1) {
                text.append(", file ").append(part).append(" of ").append(parts);
            }
            text.append(", ").append(size(bytes));
            if (totalBytes >= 0) {
                text.append(" of ").append(size(totalBytes));
            }
            if (bytesPerSecond > 0) {
                text.append(", ").append(size(bytesPerSecond)).append("/s");
            }
        }
        return text.toString();
    }

    static String size(long bytes) {
        String[] units = {"B", "KB", "MB", "GB", "TB"};
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, value < 10 ? "%.2f %s" : "%.1f %s", value, units[unit]);
    }
}
