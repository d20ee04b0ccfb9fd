package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** One parsed file: the whole model, or a part of a split one. */
record GgufShard(Path path, MemorySegment bytes, int version, GgufMetadata metadata, List<TensorInfo> tensors) {}
