/** An interpreter for the dialect of Jinja in which chat templates are written; it knows which output characters came from the template itself. */
@NullMarked
package dev.ringside.chat.jinja;

import org.jspecify.annotations.NullMarked;
