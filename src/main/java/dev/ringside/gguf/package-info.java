/** Reading GGUF model files: a strict container reader, split files, metadata, tensor types and block decoders. */
@NullMarked
package dev.ringside.gguf;

import org.jspecify.annotations.NullMarked;
