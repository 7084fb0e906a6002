#!/usr/bin/env bash
# Files compiled for one instruction set must emit no weak function: the linker could keep their copy of an inline
# function for every processor. (Of an inline table it may: its bytes are the same.) Checked as they were built and
# without optimisation, where the compiler inlines nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
avx2='-mavx2 -mfma -mf16c'
avxvnni="$avx2 -mavxvnni"
avx512="$avx2 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni"
for isa in avx2 avxvnni avx512; do
    for object in "$tree/engine/CMakeFiles/ingle_kernels_$isa.dir/Unity"/*.o; do
        cp "$object" "$folder/$(basename "$object" .cxx.o).$isa.optimised.o"
    done
done
for file in engine/kernels/simd/*.cpp; do
    name=$(basename "$file" .cpp)
    for isa in avx2 avx512; do
        printf '%s -c %s -o %s\n' "${!isa}" "$file" "$folder/$name.$isa.plain.o"
    done
done | xargs -P "$(nproc)" -L 1 g++ -std=c++20 -O0 -fno-exceptions -I. -Iengine/include
failed=0
for object in "$folder"/*.o; do
    if weak=$(nm -C "$object" | grep ' W '); then
        echo "$(basename "$object" .o) emits weak functions:"
        echo "$weak"
        failed=1
    fi
done
[ $failed = 0 ] && echo "weak functions: no complaints"
exit $failed
