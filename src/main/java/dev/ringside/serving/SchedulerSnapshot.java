package dev.ringside.serving;

/**
 * Requests at one moment and since the start.
 *
 * @param active requests in the engine that run, never more than {@code maxActive}
 * @param queued requests that wait for a place
 * @param suspended requests whose state was moved out of the device
 * @param maxActive places in the engine
 * @param queueCapacity places to wait
 * @param accepting whether new requests are taken
 * @param rejected requests refused because all places were taken
 * @param cancelled requests whose client left
 * @param completed requests that ended with a finish reason
 * @param failed requests that ended with an error, after they were admitted
 * @param queuedTokens prompt tokens of those that wait
 * @param queueTokens most of these, 0 for no limit
 * @param breaker state of the circuit breaker around device and expert faults: closed, open, half_open
 */
public record SchedulerSnapshot(int active, int queued, int suspended, int maxActive, int queueCapacity, boolean accepting, long rejected,
        long cancelled, long completed, long failed, long queuedTokens, long queueTokens, String breaker) {}
