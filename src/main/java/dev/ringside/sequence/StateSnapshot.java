package dev.ringside.sequence;

/**
 * Sequence state held at one moment.
 *
 * @param sequences sequences alive
 * @param maxSequences most of them
 * @param pageTokens positions of a page
 * @param pageBytes bytes of a page
 * @param pagesUsed pages that hold positions of sequences, each counted once
 * @param pagesTotal pages of the pool
 * @param pagesShared pages that several sequences, or sequences and prefixes, hold
 * @param pagesKept pages that prefixes alone hold, until a sequence needs them
 * @param planesPerSequence recurrent planes of a sequence
 * @param planeBytes bytes of a plane
 * @param bytesUsed bytes of pages and planes of sequences
 * @param bytesTotal bytes of all pages and planes
 */
public record StateSnapshot(int sequences, int maxSequences, int pageTokens, long pageBytes, long pagesUsed, long pagesTotal,
        long pagesShared, long pagesKept,
        int planesPerSequence, long planeBytes, long bytesUsed, long bytesTotal) {}
