package dev.ringside.expert;

/** Told by a cache what becomes of its slots. */
interface ResidencyCounters {

    /** Of caches that nobody asks. */
    ResidencyCounters NONE = new ResidencyCounters() {

        @Override
        public void mapped(int layer) {
            // Nobody asks.
        }

        @Override
        public void unmapped(int layer) {
            // Nobody asks.
        }

        @Override
        public void evicted(int layer) {
            // Nobody asks.
        }
    };

    /** An expert of the layer is in a slot now. */
    void mapped(int layer);

    /** It is not any more, without having given way. */
    void unmapped(int layer);

    /** It gave way to another. */
    void evicted(int layer);
}
