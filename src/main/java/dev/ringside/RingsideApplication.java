package dev.ringside;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts Ringside: one Spring Boot application, whose parts meet in {@code dev.ringside.config}. */
@SpringBootApplication
public class RingsideApplication {

    /**
     * Starts the server.
     *
     * @param args Spring Boot arguments, such as {@code --server.port=8081}
     */
    public static void main(String[] args) {
        SpringApplication.run(RingsideApplication.class, args);
    }
}
