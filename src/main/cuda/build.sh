#!/usr/bin/env bash
# Compiles the kernels to src/main/resources/ptx and writes sources.sha256 beside them.
#
#   src/main/cuda/build.sh            (or: ./mvnw -Pkernels generate-resources)
#
# Needs nvcc 12 or newer (NVCC names another than the one on the PATH); what it makes is committed, so that a build needs none of it.
# PTX is made for compute_80 and runs on that and everything newer. Its version is set back to 8.0, which drivers from CUDA 12.0 on
# take (with -DHOPPER, PTX for the tensor cores of compute capability 9.0 alone): no instruction here is younger, and a hint that is gets removed (which bytes of a load are used). --fmad=false: the kernels say themselves where a product and a sum are fused.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
out=../resources/ptx
mkdir -p "$out"
rm -f "$out"/*.ptx "$out"/*.ptx.gz

compile() { # module, source, further arguments
  target=-arch=compute_80
  [[ " $* " == *" -DHOPPER "* ]] && target=-gencode=arch=compute_90a,code=compute_90a
  "$nvcc" -ptx "$target" -O3 --fmad=false -std=c++17 "${@:3}" "$2" -o "$out/$1.ptx"
  sed -i -e 's/^\.version .*/.version 8.0/' -e '/\.pragma "used_bytes_mask/d' -e '/^\/\//d' -e '/^[[:space:]]*\/\/ \.globl/d' -e '/^$/d' "$out/$1.ptx"
}

for name in attention delta indexer ngram norm resident routing flash scan split; do
  compile "$name" "$name.cu"
done
# The matrix kernels, one module for each stored type: name in lower case, id in GGUF files.
while read -r name id; do
  compile "matmul-$name" matmul.cu -DQUANT="$id"
  compile "mma-$name" mma.cu -DQUANT="$id"
  compile "wgmma-$name" mma.cu -DQUANT="$id" -DHOPPER
done <<'TYPES'
f32 0
f16 1
q4_0 2
q4_1 3
q5_0 6
q5_1 7
q8_0 8
q2_k 10
q3_k 11
q4_k 12
q5_k 13
q6_k 14
iq2_xxs 16
iq2_xs 17
iq3_xxs 18
iq1_s 19
iq4_nl 20
iq3_s 21
iq2_s 22
iq4_xs 23
iq1_m 29
bf16 30
mxfp4 39
nvfp4 40
TYPES

# Few rows: the types that are stored as small integers.
while read -r name id; do
  compile "fast-$name" fast.cu -DQUANT="$id"
done <<'TYPES'
q8_0 8
q4_k 12
q5_k 13
q6_k 14
TYPES

# Compressed, since PTX repeats itself: a fifth of the size in every clone.
gzip -9n "$out"/*.ptx
{ sha256sum *.cu *.cuh; (cd "$out" && sha256sum *.ptx.gz); } > "$out/sources.sha256"
