package dev.ringside.api;

import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /v1/models}: the one model that is served. */
@RestController
final class ModelsController {

    private final JsonBody json;
    private final ModelBody model;

    ModelsController(JsonBody json, ApiSettings settings) {
        this.json = json;
        this.model = new ModelBody(settings.modelId(), "model", settings.modelCreated().getEpochSecond(), "ringside",
                settings.contextLength());
    }

    @GetMapping({"/v1/models", "/models"})
    ResponseEntity<byte[]> list() {
        return body(new ModelBody.Listing("list", List.of(model)));
    }

    // Ids may hold slashes, as in organisation/name.
    @GetMapping({"/v1/models/{*id}", "/models/{*id}"})
    ResponseEntity<byte[]> one(@PathVariable String id) {
        String asked = id.startsWith("/") ? id.substring(1) : id;
        if (!asked.equals(model.id())) {
            throw ModelNotFound.error(asked, model.id()).toException();
        }
        return body(model);
    }

    private ResponseEntity<byte[]> body(Object value) {
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(json.write(value));
    }
}
