package dev.ringside.gpu.cuda;

/**
 * The calls of the CUDA driver that the backend makes, on one device. Every call returns the driver's code, 0 for success, and leaves its
 * result in the array given. Any thread may call.
 *
 * <p>Thin on purpose: a driver that only records calls stands in for it in tests, so that plans, tables and error paths run without a GPU.
 */
interface Driver extends AutoCloseable {

    /** A driver's handle. */
    interface Stream {}

    /** A driver's handle. */
    interface Event {}

    /** A driver's handle. */
    interface Module {}

    /** A driver's handle. */
    interface Function {}

    /** A driver's handle of recorded work that can be launched. */
    interface Graph {}

    DeviceFacts facts();

    int allocate(long bytes, long[] address);

    int free(long address);

    /** @param freeAndTotal out, bytes */
    int memory(long[] freeAndTotal);

    /** Page-locks host memory and maps it for kernels. */
    int register(long hostAddress, long bytes, long[] deviceAddress);

    int unregister(long hostAddress);

    int createStream(Stream[] stream);

    int destroy(Stream stream);

    int synchronize(Stream stream);

    int createEvent(Event[] event);

    int destroy(Event event);

    int record(Event event, Stream stream);

    /** {@link DriverCode#NOT_READY} while work in front of the event is going on. */
    int query(Event event);

    int synchronize(Event event);

    int copyToDevice(long host, long device, long bytes, Stream stream);

    int copyToHost(long device, long host, long bytes, Stream stream);

    int copy(long source, long target, long bytes, Stream stream);

    int zero(long address, long bytes, Stream stream);

    /** @param ptx text, ending in a zero byte */
    int load(byte[] ptx, Module[] module);

    int unload(Module module);

    int function(Module module, String name, Function[] function);

    /** Lets a kernel be launched with this much dynamic shared memory, more than the 48 KiB that every device gives. */
    int allowShared(Function function, int bytes);

    /** Whether kernels can be launched so that they start while those in front of them are still running. */
    boolean overlaps();

    /**
     * @param overlapping whether the kernel may start before those in front of it have ended, because it waits for them itself
     * @param parameters address of an array of addresses, one for each parameter of the kernel
     */
    int launch(Function function, boolean overlapping, int gridX, int gridY, int gridZ, int threads, int sharedBytes, Stream stream,
            long parameters);

    /** From here on work enqueued on the stream is recorded instead of done. */
    int beginCapture(Stream stream);

    /** Ends the recording and makes it launchable; the graph is set only on success. */
    int endCapture(Stream stream, Graph[] graph);

    int launch(Graph graph, Stream stream);

    int destroy(Graph graph);

    /** Name and description of a code. */
    String describe(int code);

    @Override
    void close();
}
