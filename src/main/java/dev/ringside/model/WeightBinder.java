package dev.ringside.model;

import dev.ringside.gguf.BlockDecoder;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds tensors by name, checks their shapes and makes them readable by kernels. Errors name the tensor, expected and found. */
final class WeightBinder {

    private final GgufFile file;
    private final Device device;
    private final LoadMeter meter;

    WeightBinder(GgufFile file, Device device, LoadProgress.Listener progress) {
        this.file = file;
        this.device = device;
        this.meter = new LoadMeter(file, progress);
    }

    boolean has(String name) {
        return file.find(name) != null;
    }

    /** A matrix of {@code rows} outputs and {@code columns} inputs, as the file stores it. */
    Matrix matrix(String name, int columns, int rows) {
        TensorInfo tensor = require(name, columns, rows);
        return new Matrix(place(tensor), tensor.type(), rows, columns, scale(name));
    }

    /** Some rows of a matrix, in the order given: a copy of the stored rows, not decoded. */
    Matrix rows(String name, int columns, int allRows, int[] chosen) {
        TensorInfo tensor = require(name, columns, allRows);
        MemorySegment data = file.data(tensor);
        long rowBytes = tensor.rowBytes();
        DevicePtr memory = device.bytes(Math.multiplyExact(rowBytes, chosen.length), name);
        for (int row = 0; row < chosen.length; row++) {
            device.backend().copyToDevice(data, chosen[row] * rowBytes, memory, row * rowBytes, rowBytes, device.stream());
        }
        device.stream().synchronize();
        meter.placed(tensor);
        return new Matrix(memory, tensor.type(), chosen.length, columns, scale(name));
    }

    /** A matrix that lies at an offset of a slot. */
    record Placed(String name, int columns, int rows, GgmlType type, long offset) {}

    /** Matrices in one piece of memory, as the file stores them; null when one has another type, or a factor on its values. */
    @Nullable
    DevicePtr slot(long bytes, String purpose, Placed... matrices) {
        for (Placed each : matrices) {
            if (require(each.name(), each.columns(), each.rows()).type() != each.type() || has(scaleName(each.name()))) {
                return null;
            }
        }
        DevicePtr memory = device.bytes(bytes, purpose);
        for (Placed each : matrices) {
            TensorInfo tensor = require(each.name(), each.columns(), each.rows());
            MemorySegment data = file.data(tensor);
            device.backend().copyToDevice(data, 0, memory, each.offset(), data.byteSize(), device.stream());
            device.stream().synchronize();
            meter.placed(tensor);
        }
        return memory;
    }

    /** The values themselves, for use on the host. */
    float[] values(String name, int length) {
        return decode(require(name, length));
    }

    /** Some neighbouring columns of a matrix: a copy, of the stored blocks where the columns are whole blocks, else decoded to F32. */
    Matrix columns(String name, int allColumns, int rows, int from, int count) {
        TensorInfo tensor = require(name, allColumns, rows);
        MemorySegment data = file.data(tensor);
        int block = tensor.type().blockElements();
        if (from % block != 0 || count % block != 0) {
            return decodedColumns(tensor, data, rows, from, count);
        }
        long bytes = tensor.type().rowBytes(count);
        DevicePtr memory = device.bytes(Math.multiplyExact(bytes, (long) rows), name);
        for (int row = 0; row < rows; row++) {
            long source = row * tensor.rowBytes() + tensor.type().rowBytes(from);
            device.backend().copyToDevice(data, source, memory, row * bytes, bytes, device.stream());
        }
        device.stream().synchronize();
        meter.placed(tensor);
        return new Matrix(memory, tensor.type(), rows, count, scale(name));
    }

    private Matrix decodedColumns(TensorInfo tensor, MemorySegment data, int rows, int from, int count) {
        float[] row = new float[Math.toIntExact(tensor.rowLength())];
        float[] values = new float[Math.multiplyExact(rows, count)];
        for (int i = 0; i < rows; i++) {
            BlockDecoder.of(tensor.type()).decode(data, i * tensor.rowBytes(), row, 0, row.length);
            System.arraycopy(row, from, values, i * count, count);
        }
        meter.placed(tensor);
        return new Matrix(constant(values, tensor.name()), GgmlType.F32, rows, count, scale(tensor.name()));
    }

    /** Values decoded to F32; the file may hold them as {@code {length}} or {@code {length, 1}}. */
    DevicePtr vector(String name, int length) {
        return floats(require(name, length));
    }

    /** A small table decoded to F32, rows one after another. */
    DevicePtr table(String name, int columns, int rows) {
        return floats(require(name, columns, rows));
    }

    /** A tensor that something else reads from the file, checked here. */
    TensorInfo require(String name, long... shape) {
        TensorInfo tensor = file.find(name);
        if (tensor == null) {
            throw error(name, "is missing, expected shape " + text(shape)
                    + "; the file is incomplete or was made for another architecture");
        }
        boolean same = tensor.rank() <= Math.max(shape.length, 2);
        for (int i = 0; i < Math.max(shape.length, tensor.rank()); i++) {
            same &= tensor.dimension(i) == (i < shape.length ? shape[i] : 1);
        }
        if (!same) {
            throw error(name, "expected shape " + text(shape) + ", found " + tensor.shape());
        }
        return tensor;
    }

    /** Floats made here, such as rotary frequencies. */
    DevicePtr constant(float[] values, String purpose) {
        DevicePtr memory = device.floats(values.length, purpose);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
            device.backend().copyToDevice(source, 0, memory, 0, source.byteSize(), device.stream());
            device.stream().synchronize();
        }
        return memory;
    }

    /** The factor on a tensor's stored values: its {@code .scale} where the file has one. */
    private float scale(String name) {
        String scale = scaleName(name);
        return has(scale) ? values(scale, 1)[0] : 1;
    }

    ModelException error(String tensor, String problem) {
        return new ModelException(file.path(), "tensor '" + tensor + "'", problem);
    }

    private DevicePtr floats(TensorInfo tensor) {
        if (tensor.type() == GgmlType.F32) {
            return place(tensor);
        }
        return constant(decode(tensor), tensor.name());
    }

    private float[] decode(TensorInfo tensor) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        BlockDecoder.of(tensor.type()).decode(file.data(tensor), 0, values, 0, values.length);
        meter.placed(tensor);
        return values;
    }

    private DevicePtr place(TensorInfo tensor) {
        DevicePtr memory = device.backend().placeWeights(file.data(tensor), tensor.name());
        meter.placed(tensor);
        return memory;
    }

    private static String scaleName(String name) {
        return name.endsWith(".weight") ? name.substring(0, name.length() - "weight".length()) + "scale" : name + ".scale";
    }

    private static String text(long[] shape) {
        List<Long> dimensions = Arrays.stream(shape).boxed().toList();
        return dimensions.toString().replace('[', '{').replace(']', '}');
    }
}
