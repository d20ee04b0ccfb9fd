/**
 * Experts of mixture-of-experts layers: where their bytes come from ({@link dev.ringside.expert.ExpertSource}), the memory they are used in
 * ({@link dev.ringside.expert.ExpertArena}) and how a layer gets the ones it was routed to ({@link dev.ringside.expert.ExpertFetcher}).
 */
@NullMarked
package dev.ringside.expert;

import org.jspecify.annotations.NullMarked;
