package dev.ringside.gpu.cuda;

/** A kernel of a loaded module. */
record Kernel(String name, Driver.Function function) {}
