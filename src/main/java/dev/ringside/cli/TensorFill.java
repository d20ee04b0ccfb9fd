package dev.ringside.cli;

/** What a synthetic tensor is filled with. */
sealed interface TensorFill {

    /** The same value everywhere, F32. */
    record Constant(float value) implements TensorFill {}

    /** Random values. */
    record Random(double deviation, double mean) implements TensorFill {}

    /** Random values from {@code low} to {@code high} in even proportion of their logarithms, F32. */
    record LogUniform(double low, double high, Shape shape) implements TensorFill {

        /** What is stored for a value drawn. */
        enum Shape {
            /** The value, negative: decays. */
            NEGATIVE,
            /** What softplus makes the value: time steps. */
            SOFTPLUS_INVERSE
        }
    }

    /** A router, F32. */
    record Router() implements TensorFill {}
}
