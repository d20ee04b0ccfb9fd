package dev.ringside.expert;

/** Told by a cache what becomes of its slots. */
interface ResidencyCounters {

    /** Of caches that nobody asks. */
    ResidencyCounters NONE = new ResidencyCounters() {

        @Override
        public void mapped(int key) {
            // Nobody asks.
        }

        @Override
        public void unmapped(int key) {
            // Nobody asks.
        }

        @Override
        public void evicted(int key) {
            // Nobody asks.
        }
    };

    /** An expert, named by its {@link ExpertKey}, is in a slot now. */
    void mapped(int key);

    /** It is not any more, without having given way. */
    void unmapped(int key);

    /** It gave way to another. */
    void evicted(int key);
}
