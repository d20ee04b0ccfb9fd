package dev.ringside;

import dev.ringside.cli.RingsideCommand;
import dev.ringside.config.Termination;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts Ringside: one Spring Boot application, whose parts meet in {@code dev.ringside.config}, or one of its commands. */
// Where beans are: searching the engine for them would take a twelfth of the start.
@SpringBootApplication(scanBasePackages = {"dev.ringside.api", "dev.ringside.config", "dev.ringside.ops"})
public class RingsideApplication {

    /**
     * Starts the server, or does the work of another command and ends the process.
     *
     * @param args a command and its arguments ({@code --help} lists them), or Spring Boot arguments such as {@code --server.port=8081}
     */
    public static void main(String[] args) {
        RingsideCommand.launch(args, RingsideApplication::serve);
    }

    private static void serve(String[] args) {
        SpringApplication application = new SpringApplication(RingsideApplication.class);
        Termination.handleFor(application);
        application.run(args);
    }
}
