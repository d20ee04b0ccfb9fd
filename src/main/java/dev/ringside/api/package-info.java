/** The OpenAI-compatible HTTP interface: parsing, validation, streaming and errors. */
@NullMarked
package dev.ringside.api;

import org.jspecify.annotations.NullMarked;
