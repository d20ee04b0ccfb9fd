package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** The driver API of JCuda on one device, in a context of its own. */
final class JcudaDriver implements Driver {

    /** Allocations of other threads, and of this one, go on while a stream is recorded. */
    private static final int CAPTURE_RELAXED = 2;
    private static final int HOST_PORTABLE = 1;
    private static final int HOST_MAPPED = 2;

    /** A stream that says its handle. */
    private static final class RawStream extends CUstream {

        long address() {
            return getNativePointer();
        }
    }

    /** A kernel that says its handle. */
    private static final class RawFunction extends CUfunction {

        long address() {
            return getNativePointer();
        }
    }

    /** @param config what overlapped launches fill in, in the arena */
    private record StreamHandle(CUstream value, Arena arena, MemorySegment config) implements Stream {}

    private record EventHandle(CUevent value) implements Event {}

    private record ModuleHandle(CUmodule value) implements Module {}

    private record GraphHandle(CUgraphExec value) implements Graph {}

    private record FunctionHandle(CUfunction value, long address) implements Function {}

    private final CUcontext context = new CUcontext();
    private final DeviceFacts facts;
    private final @Nullable OverlappedLaunch overlapped;
    /** Platform threads keep the context they were given; virtual threads move between carriers and are given it at each call. */
    private final ThreadLocal<Boolean> current = ThreadLocal.withInitial(() -> Boolean.FALSE);

    private JcudaDriver(CUdevice device) {
        this.facts = facts(device);
        this.overlapped = OverlappedLaunch.on(facts);
        require(JCudaDriver.cuCtxCreate(context, 0, device), "Creating a context on " + facts.name());
    }

    /**
     * Opens a device. Call {@link GpuProbe} first: without a driver this class cannot be loaded.
     *
     * @throws DeviceException when the driver refuses
     */
    static JcudaDriver open(int ordinal) {
        JCudaDriver.setExceptionsEnabled(false);
        require(JCudaDriver.cuInit(0), "Initialising CUDA");
        CUdevice device = new CUdevice();
        require(JCudaDriver.cuDeviceGet(device, ordinal), "Opening CUDA device " + ordinal);
        return new JcudaDriver(device);
    }

    private static DeviceFacts facts(CUdevice device) {
        byte[] name = new byte[256];
        require(JCudaDriver.cuDeviceGetName(name, name.length, device), "Reading the device's name");
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        long[] total = new long[1];
        require(JCudaDriver.cuDeviceTotalMem(total, device), "Reading the device's memory");
        int[] version = new int[1];
        require(JCudaDriver.cuDriverGetVersion(version), "Reading the driver's version");
        return new DeviceFacts(new String(name, 0, length, StandardCharsets.UTF_8),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), total[0], version[0],
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0,
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    }

    private static int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        require(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "Reading attribute " + attribute + " of the device");
        return value[0];
    }

    private static void require(int code, String call) {
        if (code != DriverCode.SUCCESS) {
            throw new DeviceException(call + " failed: " + text(code));
        }
    }

    private static String text(int code) {
        String[] name = {"code " + code};
        String[] description = {"no description"};
        JCudaDriver.cuGetErrorName(code, name);
        JCudaDriver.cuGetErrorString(code, description);
        return name[0] + " (" + description[0] + ")";
    }

    private void enter() {
        if (!current.get()) {
            JCudaDriver.cuCtxSetCurrent(context);
            if (!Thread.currentThread().isVirtual()) {
                current.set(Boolean.TRUE);
            }
        }
    }

    private static CUstream value(Stream stream) {
        return ((StreamHandle) stream).value();
    }

    private static CUevent value(Event event) {
        return ((EventHandle) event).value();
    }

    @Override
    public DeviceFacts facts() {
        return facts;
    }

    @Override
    public int allocate(long bytes, long[] address) {
        enter();
        RawDevicePointer pointer = new RawDevicePointer();
        int code = JCudaDriver.cuMemAlloc(pointer, bytes);
        address[0] = pointer.address();
        return code;
    }

    @Override
    public int free(long address) {
        enter();
        return JCudaDriver.cuMemFree(new RawDevicePointer(address));
    }

    @Override
    public int memory(long[] freeAndTotal) {
        enter();
        long[] free = new long[1];
        long[] total = new long[1];
        int code = JCudaDriver.cuMemGetInfo(free, total);
        freeAndTotal[0] = free[0];
        freeAndTotal[1] = total[0];
        return code;
    }

    @Override
    public int register(long hostAddress, long bytes, long[] deviceAddress) {
        enter();
        Pointer host = new RawPointer(hostAddress);
        int code = JCudaDriver.cuMemHostRegister(host, bytes, HOST_PORTABLE | HOST_MAPPED);
        if (code != DriverCode.SUCCESS) {
            return code;
        }
        RawDevicePointer device = new RawDevicePointer();
        code = JCudaDriver.cuMemHostGetDevicePointer(device, host, 0);
        deviceAddress[0] = device.address();
        if (code != DriverCode.SUCCESS) {
            JCudaDriver.cuMemHostUnregister(host);
        }
        return code;
    }

    @Override
    public int unregister(long hostAddress) {
        enter();
        return JCudaDriver.cuMemHostUnregister(new RawPointer(hostAddress));
    }

    @Override
    public int createStream(Stream[] stream) {
        enter();
        RawStream made = new RawStream();
        int code = JCudaDriver.cuStreamCreate(made, CUstream_flags.CU_STREAM_NON_BLOCKING);
        if (code == DriverCode.SUCCESS) {
            Arena arena = Arena.ofShared();
            stream[0] = new StreamHandle(made, arena, OverlappedLaunch.config(arena, made.address()));
        }
        return code;
    }

    @Override
    public int destroy(Stream stream) {
        enter();
        ((StreamHandle) stream).arena().close();
        return JCudaDriver.cuStreamDestroy(value(stream));
    }

    @Override
    public int synchronize(Stream stream) {
        enter();
        return JCudaDriver.cuStreamSynchronize(value(stream));
    }

    @Override
    public int createEvent(Event[] event) {
        enter();
        CUevent made = new CUevent();
        int code = JCudaDriver.cuEventCreate(made, CUevent_flags.CU_EVENT_DISABLE_TIMING);
        event[0] = new EventHandle(made);
        return code;
    }

    @Override
    public int destroy(Event event) {
        enter();
        return JCudaDriver.cuEventDestroy(value(event));
    }

    @Override
    public int record(Event event, Stream stream) {
        enter();
        return JCudaDriver.cuEventRecord(value(event), value(stream));
    }

    @Override
    public int query(Event event) {
        enter();
        return JCudaDriver.cuEventQuery(value(event));
    }

    @Override
    public int synchronize(Event event) {
        enter();
        return JCudaDriver.cuEventSynchronize(value(event));
    }

    @Override
    public int copyToDevice(long host, long device, long bytes, Stream stream) {
        enter();
        return JCudaDriver.cuMemcpyHtoDAsync(new RawDevicePointer(device), new RawPointer(host), bytes, value(stream));
    }

    @Override
    public int copyToHost(long device, long host, long bytes, Stream stream) {
        enter();
        return JCudaDriver.cuMemcpyDtoHAsync(new RawPointer(host), new RawDevicePointer(device), bytes, value(stream));
    }

    @Override
    public int copy(long source, long target, long bytes, Stream stream) {
        enter();
        return JCudaDriver.cuMemcpyDtoDAsync(new RawDevicePointer(target), new RawDevicePointer(source), bytes, value(stream));
    }

    @Override
    public int zero(long address, long bytes, Stream stream) {
        enter();
        return JCudaDriver.cuMemsetD8Async(new RawDevicePointer(address), (byte) 0, bytes, value(stream));
    }

    @Override
    public int load(byte[] ptx, Module[] module) {
        enter();
        CUmodule made = new CUmodule();
        int code = JCudaDriver.cuModuleLoadData(made, ptx);
        module[0] = new ModuleHandle(made);
        return code;
    }

    @Override
    public int unload(Module module) {
        enter();
        return JCudaDriver.cuModuleUnload(((ModuleHandle) module).value());
    }

    @Override
    public int function(Module module, String name, Function[] function) {
        enter();
        RawFunction found = new RawFunction();
        int code = JCudaDriver.cuModuleGetFunction(found, ((ModuleHandle) module).value(), name);
        function[0] = new FunctionHandle(found, found.address());
        return code;
    }

    @Override
    public int allowShared(Function function, int bytes) {
        enter();
        return JCudaDriver.cuFuncSetAttribute(((FunctionHandle) function).value(),
                CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
    }

    @Override
    public boolean overlaps() {
        return overlapped != null;
    }

    @Override
    public int launch(Function function, boolean overlapping, int gridX, int gridY, int gridZ, int threads, int sharedBytes, Stream stream,
            long parameters) {
        enter();
        if (overlapping && overlapped != null) {
            return overlapped.launch(((StreamHandle) stream).config(), ((FunctionHandle) function).address(), gridX, gridY, gridZ, threads,
                    sharedBytes, parameters);
        }
        return JCudaDriver.cuLaunchKernel(((FunctionHandle) function).value(), gridX, gridY, gridZ, threads, 1, 1, sharedBytes,
                value(stream),
                new RawPointer(parameters), null);
    }

    @Override
    public int beginCapture(Stream stream) {
        enter();
        return JCudaDriver.cuStreamBeginCapture(value(stream), CAPTURE_RELAXED);
    }

    @Override
    public int endCapture(Stream stream, Graph[] graph) {
        enter();
        CUgraph recorded = new CUgraph();
        int code = JCudaDriver.cuStreamEndCapture(value(stream), recorded);
        if (code != DriverCode.SUCCESS) {
            return code;
        }
        CUgraphExec made = new CUgraphExec();
        code = JCudaDriver.cuGraphInstantiate(made, recorded, 0);
        JCudaDriver.cuGraphDestroy(recorded);
        if (code == DriverCode.SUCCESS) {
            graph[0] = new GraphHandle(made);
        }
        return code;
    }

    @Override
    public int launch(Graph graph, Stream stream) {
        enter();
        return JCudaDriver.cuGraphLaunch(((GraphHandle) graph).value(), value(stream));
    }

    @Override
    public int destroy(Graph graph) {
        enter();
        return JCudaDriver.cuGraphExecDestroy(((GraphHandle) graph).value());
    }

    @Override
    public String describe(int code) {
        return text(code);
    }

    @Override
    public void close() {
        enter();
        JCudaDriver.cuCtxDestroy(context);
    }
}
