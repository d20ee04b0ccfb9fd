package dev.ringside.config;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import sun.misc.Signal;

/**
 * What SIGTERM does. Java would end with status 143 whatever happens, and Spring would first finish a start that takes minutes: here a
 * server that serves drains and ends with 0, and one that still starts ends at once, since there is nothing to lose. Java has no other way
 * to know why it is shut down, or to choose the status, than {@link Signal}.
 */
public final class Termination implements ApplicationListener<ApplicationStartedEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(Termination.class);
    /** 128 and the number of the signal, as of a process that does not handle it. */
    private static final int KILLED = 143;

    private volatile boolean started;

    private Termination() {}

    /** Takes SIGTERM over for the one application of this process. */
    public static void handleFor(SpringApplication application) {
        Termination termination = new Termination();
        application.addListeners(termination);
        Signal.handle(new Signal("TERM"), _ -> termination.terminate());
    }

    @Override
    public void onApplicationEvent(ApplicationStartedEvent event) {
        started = true;
    }

    private void terminate() {
        if (started) {
            // Runs Spring's shutdown hook, which drains.
            System.exit(0);
        }
        LOG.info("Stopped while starting");
        Runtime.getRuntime().halt(KILLED);
    }
}
