#!/usr/bin/env bash
# Speed of a synthetic 1.1B Llama on this machine with each instruction set; further arguments go to `ingle bench`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ingle=build/release/bin/ingle
model=$(mktemp --suffix=.gguf)
trap 'rm -f "$model"' EXIT
"$ingle" synth --family llama --dim 2048 --ffn 5632 --layers 22 --heads 32 --kv-heads 4 --vocab 32000 \
    --quant Q4_0 -o "$model"
for isa in avx2 avxvnni avx512; do
    INGLE_ISA=$isa "$ingle" bench "$model" "$@" || true  # a processor may lack it; the program says so
done
