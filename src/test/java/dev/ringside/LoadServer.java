package dev.ringside;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;

/** The whole application with the built-in model and room for every client of the load tests to wait. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@AutoConfigureMetrics
@SpringBootTest(classes = RingsideApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
    "ringside.model.path=", "ringside.gpu.backend=cpu", "ringside.scheduler.max-active=8", "ringside.scheduler.queue-capacity=80",
    "ringside.api.access-log=false"})
@interface LoadServer {}
