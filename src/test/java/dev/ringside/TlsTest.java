package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;

/** The server behind a certificate of its own, through Spring Boot's SSL bundles as docs/operations.md has it. */
class TlsTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path directory;

    @Test
    void aPemBundleServesHttps() throws Exception {
        KeyStore store = selfSigned();
        Path certificate = pem("server.crt", "CERTIFICATE", store.getCertificate("server").getEncoded());
        Path key = pem("server.key", "PRIVATE KEY", store.getKey("server", PASSWORD).getEncoded());

        try (var server = (ReactiveWebServerApplicationContext) SpringApplication.run(RingsideApplication.class, "--server.port=0",
                "--ringside.model.path=", "--ringside.gpu.backend=cpu", "--server.ssl.bundle=web",
                "--spring.ssl.bundle.pem.web.keystore.certificate=" + certificate.toUri(),
                "--spring.ssl.bundle.pem.web.keystore.private-key=" + key.toUri());
                HttpClient trusting = HttpClient.newBuilder().sslContext(trusting(store)).build();
                HttpClient others = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest
                    .newBuilder(URI.create("https://localhost:" + server.getWebServer().getPort() + "/v1/models")).build();

            HttpResponse<String> response = trusting.send(request, HttpResponse.BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.sslSession()).isPresent();
            assertThatThrownBy(() -> others.send(request, HttpResponse.BodyHandlers.ofString())).isInstanceOf(SSLHandshakeException.class);
        }
    }

    /** A key pair made by the JDK's keytool. */
    private KeyStore selfSigned() throws Exception {
        Path file = directory.resolve("server.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
                "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=dns:localhost", "-validity", "2", "-storetype", "PKCS12",
                "-keystore", file.toString(), "-storepass", new String(PASSWORD)).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private Path pem(String name, String kind, byte[] der) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
        return Files.writeString(directory.resolve(name), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private static SSLContext trusting(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
