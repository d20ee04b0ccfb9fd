package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.serving.RequestScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Sixty-four clients for ten minutes, {@code -Dringside.test.load-seconds} for others. The time between two tokens is measured where clients
 * are; the machine should have nothing else to do.
 */
@Tag("soak")
@LoadServer
class LoadSoakTest {

    private static final int DEFAULT_SECONDS = 600;

    @LocalServerPort
    int port;

    @Autowired
    RequestScheduler scheduler;

    @Test
    void tenMinutesOfManyClientsLeaveNothingBehindAndNoTokenComesMuchLaterThanMost() throws Exception {
        Duration duration = Duration.ofSeconds(Integer.getInteger("ringside.test.load-seconds", DEFAULT_SECONDS));
        try (HttpCalls http = new HttpCalls(port)) {
            LoadRun.Figures figures = new LoadRun(port, http, scheduler, Long.getLong("ringside.test.seed", 1)).run(40, 64, duration);

            LoggerFactory.getLogger(LoadSoakTest.class).info("{}", figures);
            assertThat(figures.p99()).as("%s", figures).isLessThan(3 * figures.median());
        }
    }
}
