#!/usr/bin/env bash
# Files compiled for one instruction set must emit no weak symbol: the linker could keep their copy of an inline function for
# every processor. Checked without optimisation too, where the compiler inlines nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT
failed=0
avx2=(-mavx2 -mfma -mf16c)
avx512=("${avx2[@]}" -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni)
for file in engine/kernels/simd/*.cpp; do
    for isa in avx2 avx512; do
        declare -n flags=$isa
        for level in -O0 -O2; do
            g++ -std=c++20 "$level" "${flags[@]}" -fno-exceptions -I. -Iengine/include -c "$file" -o "$object"
            if weak=$(nm -C "$object" | grep ' [WVu] '); then
                echo "$file ($isa, $level) emits weak symbols:"
                echo "$weak"
                failed=1
            fi
        done
    done
done
[ $failed = 0 ] && echo "weak symbols: no complaints"
exit $failed
