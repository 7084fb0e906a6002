#!/usr/bin/env bash
# Files compiled for one instruction set must emit no weak symbol: the linker could keep their copy of an inline function for
# every processor. Checked without optimisation too, where the compiler inlines nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT
failed=0
for file in engine/kernels/*/*_avx2.cpp engine/kernels/*/*_avx512.cpp; do
    flags=(-mavx2 -mfma -mf16c -fno-exceptions)
    [[ $file == *_avx512.cpp ]] && flags+=(-mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni)
    for level in -O0 -O2; do
        g++ -std=c++20 "$level" "${flags[@]}" -I. -Iengine/include -c "$file" -o "$object"
        if weak=$(nm -C "$object" | grep ' [WVu] '); then
            echo "$file ($level) emits weak symbols:"
            echo "$weak"
            failed=1
        fi
    done
done
[ $failed = 0 ] && echo "weak symbols: no complaints"
exit $failed
