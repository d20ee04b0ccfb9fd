package dev.ringside.download;

import dev.ringside.download.DownloadProgress.Phase;
import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The download of one file, for as often as its connection breaks. One thread, which holds the file's lock. */
final class FileDownload {

    private static final Logger LOG = LoggerFactory.getLogger(ModelDownloader.class);
    /** A connection that brought so much before it broke counts as one that worked. */
    private static final long WORTHWHILE = 1 << 20;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final DownloadOptions options;
    private final HttpSource http;
    private final FreeSpace space;
    private final ProgressMeter progress;
    private final String name;
    private final URI address;
    private final boolean hub;
    private final Path target;
    private final Path info;
    private final @Nullable String expected;
    private final Retry retry;
    private @Nullable FileFacts facts;
    private boolean whole;
    private boolean ranges = true;

    /**
     * @param info where the facts of the file are kept
     * @param expected SHA-256 that the operator set, or null
     */
    FileDownload(DownloadOptions options, HttpSource http, FreeSpace space, ProgressMeter progress, ModelAddress.Remote source, URI address,
            Path target, Path info, @Nullable String expected) {
        this.options = options;
        this.http = http;
        this.space = space;
        this.progress = progress;
        this.name = source.display();
        this.address = address;
        this.hub = source instanceof ModelAddress.HubFile;
        this.target = target;
        this.info = info;
        this.expected = expected;
        this.retry = Retry.of("download", RetryConfig.custom().maxAttempts(options.attempts())
                .retryOnException(TransientFailure.class::isInstance).intervalBiFunction(this::pause).build());
    }

    /** Fetches what is missing; gives what is known of the file, its digest included. */
    FileFacts run() throws IOException {
        Path partInfo = target.resolveSibling(target.getFileName() + ".part.info");
        facts = FileFacts.read(partInfo);
        try (PartFile part = PartFile.open(target.resolveSibling(target.getFileName() + ".part"), progress, size())) {
            boolean resumed = part.length() > 0;
            fetch(part, partInfo);
            String digest = part.sha256();
            String wanted = wanted();
            if (wanted != null && !wanted.equals(digest)) {
                part.restart();
                Files.deleteIfExists(partInfo);
                if (!resumed) {
                    throw wrongDigest(wanted, digest);
                }
                LOG.warn("{}: what was here did not fit what came; fetching all of it again", name);
                facts = null;
                whole = false;
                fetch(part, partInfo);
                digest = part.sha256();
                wanted = wanted();
                if (wanted != null && !wanted.equals(digest)) {
                    part.restart();
                    throw wrongDigest(wanted, digest);
                }
            }
            FileFacts known = Objects.requireNonNull(facts).withSha256(digest);
            FileFacts result = new FileFacts(known.source(), part.length(), known.etag(), digest, known.commit());
            result.write(info);
            part.complete(target);
            Files.deleteIfExists(partInfo);
            return result;
        }
    }

    private void fetch(PartFile part, Path partInfo) throws IOException {
        while (!whole) {
            long before = part.length();
            try {
                retry.executeCallable(() -> {
                    connect(part, partInfo, before);
                    return true;
                });
            } catch (TransientFailure e) {
                throw new DownloadException(name + ": gave up after " + options.attempts() + " attempts; " + HttpSource.reason(e),
                        "Check the network and start again: what is here is kept.", e);
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Returns when the file is whole, or when the connection broke after it had brought enough. */
    private void connect(PartFile part, Path partInfo, long before) throws IOException {
        try {
            attempt(part, partInfo);
        } catch (TransientFailure e) {
            if (part.length() - before < WORTHWHILE) {
                LOG.info("{}: {}; trying again", name, HttpSource.reason(e));
                throw e;
            }
            LOG.info("{}: {}; going on at {}", name, HttpSource.reason(e), DownloadProgress.size(part.length()));
        }
    }

    private void attempt(PartFile part, Path partInfo) throws IOException {
        FileFacts known = facts;
        if (part.length() > 0 && (!ranges || known == null || known.etag() == null && wanted() == null)) {
            part.restart();
        }
        if (known != null && known.size() >= 0 && part.length() == known.size() && part.length() > 0) {
            whole = true;
            return;
        }
        progress.phase(Phase.CONNECTING, part.length(), size());
        try (HttpAnswer answer = http.open(address, part.length(), known == null ? null : known.etag())) {
            switch (answer.status()) {
                case 200 -> part.restart();
                case 206 -> requireRest(answer, part, known);
                case 416 -> {
                    part.restart();
                    throw new TransientFailure("the server has no bytes behind what is here", null, null);
                }
                default -> throw Refusals.of(answer, name, hub, options.token() != null);
            }
            long size = size(answer);
            facts = new FileFacts(name, size, answer.etag(), answer.sha256(), answer.commit());
            facts.write(partInfo);
            space.require(target, size - part.length(), name);
            progress.phase(Phase.DOWNLOADING, part.length(), size);
            read(answer, part, size);
        }
    }

    private void requireRest(HttpAnswer answer, PartFile part, @Nullable FileFacts known) throws IOException {
        boolean changed = known != null && (known.size() >= 0 && answer.rangeTotal() >= 0 && answer.rangeTotal() != known.size()
                || known.etag() != null && answer.etag() != null && !known.etag().equals(answer.etag()) && wanted() == null);
        if (answer.rangeStart() != part.length() || changed) {
            ranges = changed;
            part.restart();
            throw new TransientFailure(changed ? "the file changed meanwhile" : "the server sends another part than was asked for", null,
                    null);
        }
    }

    /** Size of the whole file, or -1 when the server does not say. */
    private long size(HttpAnswer answer) {
        long said = answer.status() == 206 ? answer.rangeTotal() : answer.length();
        long linked = answer.linkedSize();
        if (said >= 0 && linked >= 0 && said != linked) {
            throw new DownloadException(name + ": the hub says the file has " + linked + " bytes, but it is sent with " + said,
                    "Start again later, or name another revision.", null);
        }
        return said >= 0 ? said : linked;
    }

    private void read(HttpAnswer answer, PartFile part, long size) throws IOException {
        try (StallGuard guard = new StallGuard(answer.body(), options.stall())) {
            for (int count = next(answer, part, guard); count >= 0; count = next(answer, part, guard)) {
                if (size >= 0 && part.length() + count > size) {
                    part.restart();
                    throw new TransientFailure("the server sends more than the " + size + " bytes it announced", null, null);
                }
                part.append(count);
                progress.bytes(part.length());
            }
        }
        if (size >= 0 && part.length() < size) {
            throw new TransientFailure("the connection ended at " + part.length() + " of " + size + " bytes", null, null);
        }
        whole = true;
    }

    private int next(HttpAnswer answer, PartFile part, StallGuard guard) throws TransientFailure {
        IOException failure = null;
        int count = -1;
        try {
            count = answer.body().read(part.memory());
            guard.heard();
        } catch (IOException e) {
            failure = e;
        }
        if (guard.hasStalled()) {
            throw new TransientFailure("nothing came for " + options.stall().toSeconds() + " s", null, failure);
        }
        if (failure != null) {
            throw new TransientFailure("the connection broke at byte " + part.length() + " (" + HttpSource.reason(failure) + ")", null,
                    failure);
        }
        return count;
    }

    private long pause(int attempt, Either<Throwable, Object> outcome) {
        Duration asked = outcome.getLeft() instanceof TransientFailure failure ? failure.retryAfter() : null;
        long doubled = options.firstPause().toMillis() << Math.min(attempt - 1, 20);
        // Many servers of one cluster lose their connections at the same moment: they should not all come back at once.
        double jitter = 0.5 + Math.random();
        long own = Math.min(LONGEST_PAUSE.toMillis(), Math.max(1, (long) (doubled * jitter)));
        return asked == null ? own : Math.max(asked.toMillis(), own);
    }

    /** The operator's digest, else the hub's. */
    private @Nullable String wanted() {
        FileFacts known = facts;
        return expected != null ? expected : known == null ? null : known.sha256();
    }

    private long size() {
        FileFacts known = facts;
        return known == null ? FileFacts.UNKNOWN : known.size();
    }

    private DownloadException wrongDigest(String wanted, String found) {
        return new DownloadException(name + ": the SHA-256 of what the server sent is " + found + ", expected " + wanted
                + (expected != null ? " (ringside.model.sha256)" : " (as the hub says)"),
                expected != null
                        ? "If the file was replaced on purpose, change the expected digest; otherwise do not trust this address."
                        : "Start again; if it stays so, something between the hub and here changes files.",
                null);
    }
}
