package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.ringside.model.LoadProgress;
import dev.ringside.model.LoadProgress.Phase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LoadLogTest {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(LoadLog.class);
    private long now;
    private final LoadLog log = new LoadLog(() -> now);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    private void loaded(int tensors) {
        log.progressed(new LoadProgress(Phase.WEIGHTS, tensors, 100, (long) tensors << 26, 100L << 26));
    }

    @Test
    void aLongLoadIsLoggedEveryFewSeconds() {
        for (int tensors = 0; tensors <= 100; tensors++) {
            now = tensors * LoadLog.INTERVAL_NANOS / 40;
            loaded(tensors);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(
                "Model: loading weights 40 %, 40 of 100 tensors, 2.5 of 6.3 GiB",
                "Model: loading weights 80 %, 80 of 100 tensors, 5.0 of 6.3 GiB");
    }

    @Test
    void aShortLoadIsNot() {
        now = LoadLog.INTERVAL_NANOS - 1;
        loaded(99);
        now = LoadLog.INTERVAL_NANOS;
        loaded(100);
        assertThat(lines.list).isEmpty();
    }

    @Test
    void preWarmedExpertsAreLeftToTheirOwnLine() {
        now = LoadLog.INTERVAL_NANOS;
        log.progressed(new LoadProgress(Phase.EXPERTS, 1, 2, 0, 0));
        assertThat(lines.list).isEmpty();
    }
}
