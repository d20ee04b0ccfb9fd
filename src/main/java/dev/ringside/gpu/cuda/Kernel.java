package dev.ringside.gpu.cuda;

/**
 * A kernel of a loaded module.
 *
 * @param stops whether its first parameter is the address of the mark that stops a step
 * @param waits whether it waits for the kernels in front of it itself, so that it may start before they have ended
 */
record Kernel(String name, Driver.Function function, boolean stops, boolean waits) {}
