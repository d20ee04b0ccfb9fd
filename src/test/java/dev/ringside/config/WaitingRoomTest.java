package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.config.WaitingRoom.Doors;
import dev.ringside.download.DownloadProgress;
import dev.ringside.download.DownloadProgress.Phase;
import dev.ringside.model.LoadProgress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.PortInUseException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What clients and orchestrators hear while a model is on its way. */
class WaitingRoomTest {

    private long now;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WaitingRoom room = new WaitingRoom(
            new Doors(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), "/actuator/health"), () -> now);

    @AfterEach
    void close() {
        room.close();
        client.shutdownNow();
    }

    @Test
    void requestsAreToldHowFarTheDownloadIsAndToComeBack() throws Exception {
        show(Phase.DOWNLOADING, 340, 1000);

        HttpResponse<String> answer = get("/v1/models");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        JsonNode error = JsonMapper.shared().readTree(answer.body()).path("error");
        assertThat(error.path("message").stringValue()).contains("downloading 34 %");
        assertThat(error.path("type").stringValue()).isEqualTo("unavailable_error");
    }

    @Test
    void theProcessIsAliveAndNotReady() throws Exception {
        show(Phase.DOWNLOADING, 340, 1000);

        assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        HttpResponse<String> readiness = get("/actuator/health/readiness");
        assertThat(readiness.statusCode()).isEqualTo(503);
        JsonNode details = JsonMapper.shared().readTree(readiness.body()).path("components").path("model").path("details");
        assertThat(details.path("percent").intValue()).isEqualTo(34);
        assertThat(details.path("source").stringValue()).isEqualTo("hf://org/name/m.gguf");
    }

    @Test
    void afterTheDownloadTheModelIsBeingLoaded() throws Exception {
        show(Phase.DOWNLOADING, 340, 1000);
        show(Phase.DONE, 1000, 1000);

        assertThat(get("/v1/models").body()).contains("loading");
    }

    @Test
    void aModelThatIsHereIsLoadedBehindAClosedPort() {
        loaded(0);
        now = WaitingRoom.PATIENCE_NANOS - 1;
        loaded(500);

        assertThat(room.addresses()).isEmpty();
    }

    @Test
    void whereLoadingTakesAWhileRequestsAreToldHowFarItIs() throws Exception {
        loaded(0);
        now = WaitingRoom.PATIENCE_NANOS;
        loaded(120);

        HttpResponse<String> answer = get("/v1/models");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("loading weights 20 %, 120 of 579 tensors, 3.8 of 18.6 GiB");
        HttpResponse<String> readiness = get("/actuator/health/readiness");
        assertThat(readiness.statusCode()).isEqualTo(503);
        JsonNode details = JsonMapper.shared().readTree(readiness.body()).path("components").path("model").path("details");
        assertThat(details.path("phase").stringValue()).isEqualTo("loading");
        assertThat(details.path("percent").intValue()).isEqualTo(20);
        assertThat(details.path("tensors").intValue()).isEqualTo(120);
        assertThat(details.path("totalTensors").intValue()).isEqualTo(579);
        assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
    }

    @Test
    void preWarmedExpertsAreCountedToo() throws Exception {
        room.show(new LoadProgress(LoadProgress.Phase.EXPERTS, 0, 1000, 0, 0));
        now = WaitingRoom.PATIENCE_NANOS;
        room.show(new LoadProgress(LoadProgress.Phase.EXPERTS, 250, 1000, 0, 0));

        assertThat(get("/actuator/health").body()).contains("\"experts\":250", "pre-warming experts 25 %, 250 of 1,000");
    }

    @Test
    void theConsolesPageShowsTheProgressAndComesBackByItself() throws Exception {
        show(Phase.DOWNLOADING, 340, 1000);

        HttpResponse<String> page = get("/");

        assertThat(page.statusCode()).isEqualTo(503);
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.body()).contains("http-equiv=\"refresh\"", "downloading 34 %", "value=\"34\"");
    }

    @Test
    void thePortIsFreeWhenTheWebServerStarts() throws Exception {
        show(Phase.CONNECTING, 0, -1);
        InetSocketAddress address = room.addresses().getFirst();

        room.start();

        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
            assertThat(socket.isBound()).isTrue();
        }
    }

    @Test
    void aPortInUseIsNoticedBeforeTheDownload() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            WaitingRoom other = new WaitingRoom(
                    new Doors(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort())), "/actuator/health"),
                    () -> now);

            assertThatThrownBy(() -> other.show(new DownloadProgress("a", Phase.CONNECTING, 1, 1, 0, -1, 0)))
                    .isInstanceOf(PortInUseException.class);
            other.close();
        }
    }

    private void loaded(int tensors) {
        room.show(new LoadProgress(LoadProgress.Phase.WEIGHTS, tensors, 579, (tensors << 20) * 32L, 20_000_000_000L));
    }

    private void show(Phase phase, long bytes, long total) {
        room.show(new DownloadProgress("hf://org/name/m.gguf", phase, 1, 1, bytes, total, 0));
    }

    private HttpResponse<String> get(String path) throws Exception {
        InetSocketAddress address = room.addresses().getFirst();
        return client.send(HttpRequest.newBuilder(URI.create("http://localhost:" + address.getPort() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
