package dev.ringside.api;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /openapi.yaml}: this interface as a document for programs. */
@RestController
final class OpenApiController {

    private static final MediaType YAML = new MediaType("application", "yaml");

    @GetMapping({"/openapi.yaml", "/v1/openapi.yaml"})
    ResponseEntity<Resource> document() {
        return ResponseEntity.ok().contentType(YAML).body(new ClassPathResource("openapi.yaml"));
    }
}
