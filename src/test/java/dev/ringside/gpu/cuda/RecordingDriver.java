package dev.ringside.gpu.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A driver without a device: hands out addresses, writes down what it is asked, does nothing, and fails where a test says so. Copies to the
 * device are kept by target, so that a test can read the tables that kernels would read.
 */
final class RecordingDriver implements Driver {

    /** What a kernel was launched with; parameters are read from the array of addresses, eight bytes each. */
    record Launched(String kernel, boolean overlapping, int gridX, int gridY, int gridZ, int threads, int sharedBytes, long[] parameters) {}

    private record Handle(String name) implements Stream, Event, Module, Function, Graph {}

    final List<String> calls = new ArrayList<>();
    final List<Launched> launches = new ArrayList<>();
    final Map<Long, byte[]> copies = new HashMap<>();
    final Set<String> live = new HashSet<>();
    /** Codes by the name of a call: the next call of that name returns it, and every one when it is sticky. */
    final Map<String, Integer> failures = new HashMap<>();
    long freeBytes = 1L << 40;
    int sharedBytes = 227 << 10;
    boolean overlaps;
    private long nextAddress = 0x7000_0000_0000L;
    private int handles;

    /** Launches of a kernel. */
    List<Launched> of(String kernel) {
        return launches.stream().filter(launch -> launch.kernel().equals(kernel)).toList();
    }

    private int call(String name, Object what) {
        calls.add(name + " " + what);
        Integer code = failures.get(name);
        if (code == null) {
            return DriverCode.SUCCESS;
        }
        if (!DriverCode.isSticky(code)) {
            failures.remove(name);
        }
        return code;
    }

    private int made(String kind, Object[] out) {
        int code = call("create-" + kind, handles);
        if (code == DriverCode.SUCCESS) {
            Handle handle = new Handle(kind + handles++);
            out[0] = handle;
            live.add(handle.name());
        }
        return code;
    }

    private int gone(String name) {
        int code = call("destroy", name);
        if (code == DriverCode.SUCCESS && !live.remove(name)) {
            throw new AssertionError(name + " is destroyed twice");
        }
        return code;
    }

    @Override
    public DeviceFacts facts() {
        return new DeviceFacts("Recorder", 9, 0, 100, 1L << 40, 12040, false, sharedBytes);
    }

    @Override
    public int allocate(long bytes, long[] address) {
        int code = bytes > freeBytes ? DriverCode.OUT_OF_MEMORY : call("allocate", bytes);
        if (code == DriverCode.SUCCESS) {
            address[0] = nextAddress;
            nextAddress += bytes + 511 & -512;
            live.add("memory" + address[0]);
        }
        return code;
    }

    @Override
    public int free(long address) {
        return gone("memory" + address);
    }

    @Override
    public int memory(long[] freeAndTotal) {
        freeAndTotal[0] = freeBytes;
        freeAndTotal[1] = 1L << 40;
        return call("memory", "");
    }

    @Override
    public int register(long hostAddress, long bytes, long[] deviceAddress) {
        deviceAddress[0] = hostAddress;
        int code = call("register", bytes);
        if (code == DriverCode.SUCCESS) {
            live.add("pinned" + hostAddress);
        }
        return code;
    }

    @Override
    public int unregister(long hostAddress) {
        return gone("pinned" + hostAddress);
    }

    @Override
    public int createStream(Stream[] stream) {
        return made("stream", stream);
    }

    @Override
    public int destroy(Stream stream) {
        return gone(((Handle) stream).name());
    }

    @Override
    public int synchronize(Stream stream) {
        return call("synchronize", ((Handle) stream).name());
    }

    @Override
    public int createEvent(Event[] event) {
        return made("event", event);
    }

    @Override
    public int destroy(Event event) {
        return gone(((Handle) event).name());
    }

    @Override
    public int record(Event event, Stream stream) {
        return call("record", ((Handle) event).name());
    }

    @Override
    public int query(Event event) {
        return call("query", ((Handle) event).name());
    }

    @Override
    public int synchronize(Event event) {
        return call("await", ((Handle) event).name());
    }

    @Override
    public int copyToDevice(long host, long device, long bytes, Stream stream) {
        copies.put(device, MemorySegment.ofAddress(host).reinterpret(bytes).toArray(ValueLayout.JAVA_BYTE));
        return call("to-device", bytes);
    }

    @Override
    public int copyToHost(long device, long host, long bytes, Stream stream) {
        return call("to-host", bytes);
    }

    @Override
    public int copy(long source, long target, long bytes, Stream stream) {
        return call("copy", bytes);
    }

    @Override
    public int zero(long address, long bytes, Stream stream) {
        return call("zero", bytes);
    }

    @Override
    public int load(byte[] ptx, Module[] module) {
        return made("module", module);
    }

    @Override
    public int unload(Module module) {
        return gone(((Handle) module).name());
    }

    @Override
    public int function(Module module, String name, Function[] function) {
        function[0] = new Handle(name);
        return call("function", name);
    }

    @Override
    public boolean overlaps() {
        return overlaps;
    }

    @Override
    public int launch(Function function, boolean overlapping, int gridX, int gridY, int gridZ, int threads, int sharedBytes, Stream stream,
            long parameters) {
        MemorySegment addresses = MemorySegment.ofAddress(parameters).reinterpret(8 * 32);
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < 32 && addresses.getAtIndex(ValueLayout.JAVA_LONG, i) != 0; i++) {
            MemorySegment value = MemorySegment.ofAddress(addresses.getAtIndex(ValueLayout.JAVA_LONG, i)).reinterpret(8);
            values.add(value.get(ValueLayout.JAVA_LONG, 0));
        }
        launches.add(new Launched(((Handle) function).name(), overlapping, gridX, gridY, gridZ, threads, sharedBytes,
                values.stream().mapToLong(Long::longValue).toArray()));
        return call("launch", ((Handle) function).name());
    }

    @Override
    public int allowShared(Function function, int bytes) {
        return call("allow-shared", ((Handle) function).name() + " " + bytes);
    }

    @Override
    public int beginCapture(Stream stream) {
        return call("begin-capture", ((Handle) stream).name());
    }

    @Override
    public int endCapture(Stream stream, Graph[] graph) {
        return made("graph", graph);
    }

    @Override
    public int launch(Graph graph, Stream stream) {
        return call("launch-graph", ((Handle) graph).name());
    }

    @Override
    public int destroy(Graph graph) {
        return gone(((Handle) graph).name());
    }

    @Override
    public String describe(int code) {
        return "CUDA_ERROR_" + code;
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
