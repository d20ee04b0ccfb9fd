/** Chat messages and the templates that turn them into prompts. */
@NullMarked
package dev.ringside.chat;

import org.jspecify.annotations.NullMarked;
