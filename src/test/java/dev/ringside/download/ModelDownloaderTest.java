package dev.ringside.download;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.download.DownloadProgress.Phase;
import dev.ringside.download.ModelAddress.Remote;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Downloads from servers that behave, and from servers that don't. */
class ModelDownloaderTest {

    private static final int SIZE = 3_000_000;
    private static final String ETAG = "\"v1\"";

    @TempDir
    Path cache;

    private final byte[] content = content(1);
    private final List<DownloadProgress> progress = new CopyOnWriteArrayList<>();
    private FileServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FileServer(cache);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aFileArrivesWholeUnderItsName() throws IOException {
        server.then(FileServer.file(content, ETAG));

        Path file = fetch("/models/tiny.gguf");

        assertThat(file).startsWith(cache).hasFileName("tiny.gguf").hasBinaryContent(content);
        assertThat(leftovers()).isEmpty();
        assertThat(progress.getLast().phase()).isEqualTo(Phase.DONE);
        assertThat(progress).anySatisfy(each -> assertThat(each.totalBytes()).isEqualTo(SIZE));
    }

    @Test
    void aFileThatIsHereIsNotAskedForAgain() {
        server.then(FileServer.file(content, ETAG));
        Path first = fetch("/tiny.gguf");

        assertThat(fetch("/tiny.gguf")).isEqualTo(first);

        assertThat(server.asked).hasSize(1);
    }

    @Test
    void aBrokenConnectionGoesOnWhereItEnded() {
        server.then(server.cut(content, ETAG, 1_000_000), server.cut(content, ETAG, 500_000), FileServer.file(content, ETAG));

        assertThat(fetch("/tiny.gguf")).hasBinaryContent(content);

        assertThat(server.asked).hasSize(3);
        assertThat(server.asked.get(1).range()).isEqualTo("bytes=1000000-");
        assertThat(server.asked.get(1).ifRange()).isEqualTo(ETAG);
        assertThat(server.asked.get(2).range()).isEqualTo("bytes=1500000-");
    }

    @Test
    void aServerThatBreaksOffMoreOftenThanAttemptsAreAllowedIsFollowedAsLongAsItBringsSomething() {
        byte[] large = content(2, 12 << 20);
        server.then(Stream.generate(() -> server.cut(large, ETAG, 2 << 20)).limit(6).toArray(FileServer.Answer[]::new));

        assertThat(downloader(options().withAttempts(2)).fetch(remote("/tiny.gguf"))).hasBinaryContent(large);
    }

    @Test
    void aLaterRunGoesOnWhereAnEarlierOneEnded() {
        server.then(server.cut(content, ETAG, 1_000_000), FileServer.status(503));
        assertThatThrownBy(() -> fetch("/tiny.gguf")).isInstanceOf(DownloadException.class)
                .hasMessageContaining("gave up after 4 attempts");
        int before = server.asked.size();
        server.then(FileServer.file(content, ETAG), FileServer.file(content, ETAG));

        // One more 503 is left in the script.
        assertThat(fetch("/tiny.gguf")).hasBinaryContent(content);

        assertThat(server.asked.get(before + 1).range()).isEqualTo("bytes=1000000-");
        assertThat(progress).anySatisfy(each -> assertThat(each.phase()).isEqualTo(Phase.VERIFYING));
    }

    @Test
    void aFileThatChangedMeanwhileIsFetchedFromItsBeginning() {
        byte[] other = content(3);
        server.then(server.cut(content, ETAG, 1_000_000), FileServer.file(other, "\"v2\""));

        assertThat(fetch("/tiny.gguf")).hasBinaryContent(other);
    }

    @Test
    void aServerThatIgnoresRangesSendsAllOfItAgain() {
        server.then(server.cut(content, ETAG, 1_000_000), FileServer.everything(content));

        assertThat(fetch("/tiny.gguf")).hasBinaryContent(content);
    }

    @Test
    void aServerThatSendsAnotherRangeIsNotTrustedWithRanges() {
        server.then(server.cut(content, ETAG, 1_000_000), exchange -> {
            exchange.getResponseHeaders().set("Content-Range", "bytes 5-" + (SIZE - 1) + "/" + SIZE);
            exchange.sendResponseHeaders(206, SIZE - 5);
            exchange.getResponseBody().write(content, 5, SIZE - 5);
        }, FileServer.file(content, ETAG));

        assertThat(fetch("/tiny.gguf")).hasBinaryContent(content);

        assertThat(server.asked.getLast().range()).isNull();
    }

    @Test
    void aServerThatAnnouncesMoreThanItSendsIsGivenUp() {
        server.then(server.cut(content, ETAG, SIZE - 1), exchange -> {
            exchange.getResponseHeaders().set("Content-Range", "bytes " + (SIZE - 1) + "-" + (SIZE - 1) + "/" + SIZE);
            exchange.sendResponseHeaders(206, 1);
        });

        assertThatThrownBy(() -> fetch("/tiny.gguf")).isInstanceOf(DownloadException.class)
                .hasMessageContaining("gave up after 4 attempts");
        assertThat(targets()).isEmpty();
    }

    @Test
    void wrongBytesAreRefusedAndNotKept() {
        server.then(FileServer.file(content, ETAG));
        String expected = Digests.ofText("something else");

        assertThatThrownBy(() -> downloader(options().with(expected)).fetch(remote("/tiny.gguf")))
                .isInstanceOf(DownloadException.class)
                .hasMessageContainingAll("expected " + expected, Digests.text(Digests.sha256().digest(content)), "ringside.model.sha256");
        assertThat(targets()).isEmpty();
    }

    @Test
    void aDamagedBeginningFromAnEarlierRunIsFetchedAgain() throws IOException {
        String digest = Digests.text(Digests.sha256().digest(content));
        server.then(server.cut(content, ETAG, 1_000_000), FileServer.status(500));
        assertThatThrownBy(() -> fetch("/tiny.gguf")).isInstanceOf(DownloadException.class);
        Path part = leftovers().stream().filter(file -> file.toString().endsWith(".part")).findFirst().orElseThrow();
        byte[] damaged = Files.readAllBytes(part);
        damaged[7] ^= 1;
        Files.write(part, damaged);
        server.then(FileServer.file(content, ETAG), FileServer.file(content, ETAG));

        assertThat(downloader(options().with(digest)).fetch(remote("/tiny.gguf"))).hasBinaryContent(content);
    }

    @Test
    void anotherDigestThanThatOfTheFileHereFetchesItAgain() {
        byte[] newer = content(4);
        server.then(FileServer.file(content, ETAG), FileServer.file(newer, "\"v2\""));
        fetch("/tiny.gguf");

        assertThat(downloader(options().with(Digests.text(Digests.sha256().digest(newer)))).fetch(remote("/tiny.gguf")))
                .hasBinaryContent(newer);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void aRefusalSaysHowToGetAccess(int status) {
        server.then(FileServer.status(status));

        assertThatThrownBy(() -> downloader(options()).fetch(hub("org/model/tiny.gguf")))
                .isInstanceOfSatisfying(DownloadException.class, failure -> assertThat(failure.action()).contains("HF_TOKEN"))
                .hasMessageContainingAll("hf://org/model/tiny.gguf", "(" + status + ")");
        assertThat(server.asked).hasSize(1);
    }

    @Test
    void aFileThatDoesNotExistIsSaidSoAtOnce() {
        server.then(FileServer.status(404));

        assertThatThrownBy(() -> fetch("/tiny.gguf?signature=secret")).isInstanceOf(DownloadException.class)
                .hasMessageContaining("tiny.gguf does not exist (404)").hasMessageNotContaining("secret");
        assertThat(server.asked).hasSize(1);
    }

    @Test
    void tooManyRequestsAreFollowedByAPause() {
        server.then(FileServer.status(429, "Retry-After", "0"), FileServer.status(503), FileServer.file(content, ETAG));

        assertThat(fetch("/tiny.gguf")).hasBinaryContent(content);
    }

    @Test
    void theTokenGoesToTheHubAndNotToWhereItRedirects() {
        server.then(FileServer.redirect(server.elsewhere("/cdn/blob")), FileServer.file(content, ETAG));

        downloader(options().token("hf_secret")).fetch(hub("org/model/tiny.gguf"));

        assertThat(server.asked).extracting(FileServer.Asked::authorization).containsExactly("Bearer hf_secret", null);
        assertThat(server.asked.getFirst().path()).isEqualTo("/org/model/resolve/main/tiny.gguf");
    }

    @Test
    void theTokenGoesToNoOtherServer() {
        server.then(FileServer.file(content, ETAG));

        downloader(options().token("hf_secret")).fetch((Remote) ModelAddress.parse(server.elsewhere("/tiny.gguf")));

        assertThat(server.asked.getFirst().authorization()).isNull();
    }

    @Test
    void theHubsDigestIsVerified() {
        String digest = Digests.text(Digests.sha256().digest(content));
        server.then(FileServer.redirect(server.elsewhere("/blob"), "X-Linked-Etag", '"' + digest + '"', "X-Linked-Size", "" + SIZE),
                FileServer.file(content(9), ETAG));

        assertThatThrownBy(() -> downloader(options()).fetch(hub("org/model/tiny.gguf"))).isInstanceOf(DownloadException.class)
                .hasMessageContainingAll("expected " + digest, "(as the hub says)");
        assertThat(targets()).isEmpty();
    }

    @Test
    void aSizeOtherThanTheHubsIsRefused() {
        server.then(FileServer.redirect(server.elsewhere("/blob"), "X-Linked-Etag", '"' + "a".repeat(64) + '"', "X-Linked-Size", "17"),
                FileServer.file(content, ETAG));

        assertThatThrownBy(() -> downloader(options()).fetch(hub("org/model/tiny.gguf"))).isInstanceOf(DownloadException.class)
                .hasMessageContainingAll("17 bytes", "sent with " + SIZE);
    }

    @Test
    void redirectsThatNeverEndAreGivenUp() {
        server.then(FileServer.redirect("/again"));

        assertThatThrownBy(() -> fetch("/tiny.gguf")).isInstanceOf(DownloadException.class).hasMessageContaining("more than 10 times");
    }

    @Test
    void allFilesOfASplitModelComeFromTheCommitOfTheFirst() {
        String commit = "c".repeat(40);
        String digest = Digests.text(Digests.sha256().digest(content));
        FileServer.Answer first = FileServer.redirect(server.elsewhere("/blob"), "X-Linked-Etag", digest, "X-Repo-Commit", commit);
        server.then(first, FileServer.file(content, ETAG), FileServer.file(content, ETAG), FileServer.file(content, ETAG));

        Path second = downloader(options()).fetch(hub("org/model/q4/big-00002-of-00003.gguf"));

        assertThat(second).hasFileName("big-00002-of-00003.gguf").hasBinaryContent(content);
        assertThat(second.resolveSibling("big-00001-of-00003.gguf")).exists();
        assertThat(second.resolveSibling("big-00003-of-00003.gguf")).exists();
        assertThat(server.asked).extracting(FileServer.Asked::path).containsExactly("/org/model/resolve/main/q4/big-00001-of-00003.gguf",
                "/blob", "/org/model/resolve/" + commit + "/q4/big-00002-of-00003.gguf",
                "/org/model/resolve/" + commit + "/q4/big-00003-of-00003.gguf");
    }

    @Test
    void aSplitModelNeedsADigestForEachFile() {
        assertThatThrownBy(() -> downloader(options().with("a".repeat(64))).fetch(remote("/big-00001-of-00002.gguf")))
                .isInstanceOf(DownloadException.class).hasMessageContaining("has 2 files, but 1 digests are set");
    }

    @Test
    void aDiskThatIsTooSmallIsNoticedBeforeItIsFull() {
        server.then(FileServer.file(content, ETAG));

        assertThatThrownBy(() -> new ModelDownloader(options().build(), progress::add, _ -> 1 << 20).fetch(remote("/tiny.gguf")))
                .isInstanceOf(DownloadException.class).hasMessageContainingAll("2.86 MB more", "1.00 MB free");
    }

    @Test
    void unencryptedAddressesElsewhereAreRefused() {
        assertThatThrownBy(() -> downloader(options()).fetch((Remote) ModelAddress.parse("http://models.example/tiny.gguf")))
                .isInstanceOf(DownloadException.class).hasMessageContaining("is not encrypted");
    }

    @Test
    void aServerThatFallsSilentIsAskedAgain() {
        CountDownLatch end = new CountDownLatch(1);
        server.then(exchange -> {
            server.cut(content, ETAG, 1_000_000).to(exchange);
            await(end);
        }, FileServer.file(content, ETAG));

        assertThat(downloader(options().stall(Duration.ofMillis(300))).fetch(remote("/tiny.gguf"))).hasBinaryContent(content);

        end.countDown();
    }

    @Test
    void twoDownloadersOfOneCacheFetchAFileOnce() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        server.then(exchange -> {
            await(waiting);
            FileServer.file(content, ETAG).to(exchange);
        });
        CompletableFuture<Path> first = CompletableFuture.supplyAsync(() -> fetch("/tiny.gguf"));
        // The first one holds the lock when its request is there.
        while (server.asked.isEmpty()) {
            Thread.onSpinWait();
        }
        ModelDownloader second = new ModelDownloader(options().build(), each -> {
            if (each.phase() == Phase.WAITING) {
                waiting.countDown();
            }
        });

        assertThat(second.fetch(remote("/tiny.gguf"))).isEqualTo(first.get()).hasBinaryContent(content);
        assertThat(server.asked).hasSize(1);
    }

    @Test
    void aFlatDirectoryHoldsTheFileUnderItsOwnName() {
        server.then(FileServer.file(content, ETAG));

        assertThat(new ModelDownloader(options().build().flattened(), progress::add).fetch(remote("/models/tiny.gguf")))
                .isEqualTo(cache.resolve("tiny.gguf"));
    }

    @Test
    void theTokenIsNotPrinted() {
        assertThat(options().token("hf_secret").build().toString()).doesNotContain("hf_secret");
    }

    private Path fetch(String path) {
        return downloader(options()).fetch(remote(path));
    }

    private Remote remote(String path) {
        return (Remote) ModelAddress.parse(server.address(path));
    }

    private static Remote hub(String path) {
        return (Remote) ModelAddress.parse("hf://" + path);
    }

    private ModelDownloader downloader(Options options) {
        return new ModelDownloader(options.build(), progress::add);
    }

    private Options options() {
        return new Options(cache, List.of(), server.uri(), null, 4, Duration.ofSeconds(20));
    }

    private record Options(Path directory, List<String> sha256, URI hub, String token, int attempts, Duration stall) {

        Options with(String digest) {
            return new Options(directory, List.of(digest), hub, token, attempts, stall);
        }

        Options token(String secret) {
            return new Options(directory, sha256, hub, secret, attempts, stall);
        }

        Options withAttempts(int most) {
            return new Options(directory, sha256, hub, token, most, stall);
        }

        Options stall(Duration longest) {
            return new Options(directory, sha256, hub, token, attempts, longest);
        }

        DownloadOptions build() {
            return new DownloadOptions(directory, false, sha256, false, hub, token, attempts, Duration.ofMillis(1), stall);
        }
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.toString().contains(".part")).toList();
        }
    }

    private List<Path> targets() {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.toString().endsWith(".gguf")).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] content(int seed) {
        return content(seed, SIZE);
    }

    private static byte[] content(int seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
