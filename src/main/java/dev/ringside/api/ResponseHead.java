package dev.ringside.api;

import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What every body of one answer of {@code /v1/responses} repeats.
 *
 * @param created seconds since 1970
 * @param now the time, in the same unit
 * @param echo fields of the request
 */
record ResponseHead(String id, long created, LongSupplier now, String model, Map<String, @Nullable Object> echo) {}
