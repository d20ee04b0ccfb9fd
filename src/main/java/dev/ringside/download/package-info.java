/** Models that lie elsewhere: downloads that resume, are verified and shared through one cache directory. */
@NullMarked
package dev.ringside.download;

import org.jspecify.annotations.NullMarked;
