package dev.ringside.gpu.cuda;

/**
 * A kernel of a loaded module.
 *
 * @param stops whether its first parameter is the address of the mark that stops a step
 */
record Kernel(String name, Driver.Function function, boolean stops) {}
