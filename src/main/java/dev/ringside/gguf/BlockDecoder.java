package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;

/**
 * Decodes stored elements to floats, one block after another: plain scalar code that follows the format's definition, the reference that
 * the kernels are tested against. Stateless and safe for any number of threads.
 */
public interface BlockDecoder {

    /**
     * Decodes consecutive elements.
     *
     * @param source the bytes of a tensor
     * @param offset byte offset of the first block in {@code source}
     * @param target receives one float an element
     * @param targetOffset index of the first element in {@code target}
     * @param elements number of elements, a multiple of the block's
     * @throws IllegalArgumentException when {@code elements} is not whole blocks
     * @throws IndexOutOfBoundsException when {@code source} or {@code target} is too short; nothing is written then
     */
    void decode(MemorySegment source, long offset, float[] target, int targetOffset, int elements);

    /** The decoder of a type. */
    static BlockDecoder of(GgmlType type) {
        return switch (type) {
            case F32 -> new BlockwiseDecoder(type, FloatBlocks::f32);
            case F16 -> new BlockwiseDecoder(type, FloatBlocks::f16);
            case BF16 -> new BlockwiseDecoder(type, FloatBlocks::bf16);
            case Q4_0 -> new BlockwiseDecoder(type, SmallBlocks::q4_0);
            case Q4_1 -> new BlockwiseDecoder(type, SmallBlocks::q4_1);
            case Q5_0 -> new BlockwiseDecoder(type, SmallBlocks::q5_0);
            case Q5_1 -> new BlockwiseDecoder(type, SmallBlocks::q5_1);
            case Q8_0 -> new BlockwiseDecoder(type, SmallBlocks::q8_0);
            case Q2_K -> new BlockwiseDecoder(type, KBlocks::q2);
            case Q3_K -> new BlockwiseDecoder(type, KBlocks::q3);
            case Q4_K -> new BlockwiseDecoder(type, KBlocks::q4);
            case Q5_K -> new BlockwiseDecoder(type, KBlocks::q5);
            case Q6_K -> new BlockwiseDecoder(type, KBlocks::q6);
            case IQ4_NL -> new BlockwiseDecoder(type, TableBlocks::iq4Nl);
            case IQ4_XS -> new BlockwiseDecoder(type, TableBlocks::iq4Xs);
            case MXFP4 -> new BlockwiseDecoder(type, TableBlocks::mxfp4);
            case NVFP4 -> new BlockwiseDecoder(type, TableBlocks::nvfp4);
            case IQ1_S -> new BlockwiseDecoder(type, CodebookBlocks::iq1S);
            case IQ1_M -> new BlockwiseDecoder(type, CodebookBlocks::iq1M);
            case IQ2_XXS -> new BlockwiseDecoder(type, CodebookBlocks::iq2Xxs);
            case IQ2_XS -> new BlockwiseDecoder(type, CodebookBlocks::iq2Xs);
            case IQ2_S -> new BlockwiseDecoder(type, CodebookBlocks::iq2S);
            case IQ3_XXS -> new BlockwiseDecoder(type, CodebookBlocks::iq3Xxs);
            case IQ3_S -> new BlockwiseDecoder(type, CodebookBlocks::iq3S);
        };
    }
}
