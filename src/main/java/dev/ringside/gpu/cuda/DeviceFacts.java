package dev.ringside.gpu.cuda;

/**
 * What the driver says of the device.
 *
 * @param name as the driver names it
 * @param major compute capability
 * @param minor compute capability
 * @param processors streaming multiprocessors
 * @param totalBytes device memory
 * @param driverVersion CUDA version of the driver, 12040 for 12.4
 * @param integrated whether the device shares the memory of the host
 * @param sharedBytes most shared memory of a block
 */
record DeviceFacts(String name, int major, int minor, int processors, long totalBytes, int driverVersion, boolean integrated,
        int sharedBytes) {

    String detail() {
        return "compute capability " + major + "." + minor + ", " + processors + " multiprocessors, driver for CUDA " + driverVersion / 1000
                + "."
                + driverVersion % 1000 / 10;
    }
}
