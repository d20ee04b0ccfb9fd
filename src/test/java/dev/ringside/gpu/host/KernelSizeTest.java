package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.reflect.AccessFlag;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels must be compiled by themselves: three of them inlined into one method are more than the compiler manages without boxing. */
class KernelSizeTest {

    /** Methods with more bytecode than this are never inlined (-XX:FreqInlineSize). */
    private static final int INLINED = 325;

    @ParameterizedTest
    @ValueSource(classes = {KQuantDots.class, BlockDots.class, WideDecoders.class, QuantUnpacker.class, PlainDots.class})
    void kernelsAreTooLongToBeInlined(Class<?> kernels) throws IOException {
        try (InputStream stream = kernels.getResourceAsStream(kernels.getSimpleName() + ".class")) {
            for (MethodModel method : ClassFile.of().parse(Objects.requireNonNull(stream).readAllBytes()).methods()) {
                if (method.flags().has(AccessFlag.STATIC) && !method.methodName().stringValue().startsWith("<")) {
                    CodeAttribute code = method.findAttribute(Attributes.code()).orElseThrow();
                    assertThat(code.codeLength()).as(kernels.getSimpleName() + "." + method.methodName().stringValue())
                            .isGreaterThan(INLINED);
                }
            }
        }
    }
}
