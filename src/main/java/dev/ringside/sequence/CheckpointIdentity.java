package dev.ringside.sequence;

import dev.ringside.gpu.KvType;

/**
 * What saved state belongs to beside its layout.
 *
 * @param modelFingerprint differs between models whose state can't be exchanged
 * @param kvType how keys and values are stored
 */
public record CheckpointIdentity(long modelFingerprint, KvType kvType) {}
