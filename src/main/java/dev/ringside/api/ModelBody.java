package dev.ringside.api;

import java.util.List;

/** A model as {@code GET /v1/models} lists it. */
record ModelBody(String id, String object, long created, String ownedBy, int contextLength) {

    record Listing(String object, List<ModelBody> data) {}
}
