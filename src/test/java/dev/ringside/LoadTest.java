package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.serving.RequestScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Sixty-four clients for a few seconds; {@link LoadSoakTest} is the long form. */
@LoadServer
class LoadTest {

    @LocalServerPort
    int port;

    @Autowired
    RequestScheduler scheduler;

    @Test
    void manyClientsGetTheTextsOfOneAfterAnotherAndLeaveNothingBehind() throws Exception {
        try (HttpCalls http = new HttpCalls(port)) {
            LoadRun.Figures figures = new LoadRun(port, http, scheduler, Long.getLong("ringside.test.seed", 1)).run(12, 64,
                    Duration.ofSeconds(4));

            LoggerFactory.getLogger(LoadTest.class).info("{}", figures);
            assertThat(figures.slowBytes()).isPositive();
        }
    }
}
