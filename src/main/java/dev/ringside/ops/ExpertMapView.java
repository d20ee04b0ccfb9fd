package dev.ringside.ops;

import dev.ringside.expert.ExpertMap;

/** Where each expert is now; safe from any thread. Apart from {@link EngineViews} since it costs a copy as long as there are experts. */
@FunctionalInterface
public interface ExpertMapView {

    ExpertMap get();
}
