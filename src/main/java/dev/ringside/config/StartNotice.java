package dev.ringside.config;

import dev.ringside.download.DownloadProgress;
import dev.ringside.model.LoadProgress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far the start is, for those who ask meanwhile.
 *
 * @param text for people, in plain words
 * @param percent 0 to 100, or -1 when nobody knows
 * @param details for the health endpoint
 */
record StartNotice(String text, int percent, Map<String, Object> details) {

    static final StartNotice STARTING = new StartNotice("starting", -1, Map.of("text", "starting"));

    private static final String PAGE = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="refresh" content="2">
        <meta name="color-scheme" content="light dark">
        <title>Ringside: %1$s</title>
        <style>body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:32rem;padding:0 1rem}progress{width:100%%}</style>
        </head>
        <body>
        <main>
        <h1>Ringside is starting</h1>
        <p role="status">%1$s</p>
        <progress aria-label="Loading the model"%2$s></progress>
        </main>
        </body>
        </html>
        """;

    StartNotice {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    static StartNotice of(DownloadProgress now) {
        boolean done = now.phase() == DownloadProgress.Phase.DONE;
        String text = done ? "loading" : now.text();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("source", now.source());
        details.put("phase", done ? "loading" : now.phase());
        details.put("percent", now.percent());
        details.put("part", now.part());
        details.put("parts", now.parts());
        details.put("bytes", now.bytes());
        details.put("totalBytes", now.totalBytes());
        details.put("bytesPerSecond", now.bytesPerSecond());
        details.put("text", text);
        return new StartNotice(text, done ? -1 : now.percent(), details);
    }

    static StartNotice of(LoadProgress now) {
        boolean weights = now.phase() == LoadProgress.Phase.WEIGHTS;
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("phase", "loading");
        details.put("percent", now.percent());
        details.put(weights ? "tensors" : "experts", now.done());
        details.put(weights ? "totalTensors" : "totalExperts", now.total());
        if (weights) {
            details.put("bytes", now.bytes());
            details.put("totalBytes", now.totalBytes());
        }
        details.put("text", now.text());
        return new StartNotice(now.text(), now.percent(), details);
    }

    /** A page that loads nothing and asks again every two seconds, until the console answers in its place. */
    String page() {
        return PAGE.formatted(escaped(text), percent < 0 ? "" : " max=\"100\" value=\"" + percent + '"');
    }

    private static String escaped(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
