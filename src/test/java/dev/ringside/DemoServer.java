package dev.ringside;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;

/** The whole application with the built-in model on a random port; one context for all tests that carry this alone. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@AutoConfigureMetrics
@SpringBootTest(classes = RingsideApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
    "ringside.model.path=", "ringside.gpu.backend=cpu", "ringside.scheduler.queue-capacity=16",
    "ringside.api.sse-comment-interval=100ms",
    "management.endpoint.checkpoints.access=unrestricted"})
@interface DemoServer {}
