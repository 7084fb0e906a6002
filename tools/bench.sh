#!/usr/bin/env bash
# Time to answer of a synthetic model on this machine: first token and tokens per second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ingle=build/release/bin/ingle
model=$(mktemp --suffix=.gguf)
trap 'rm -f "$model"' EXIT
"$ingle" synth --family llama --dim 512 --ffn 1408 --layers 8 --heads 8 --kv-heads 4 --vocab 4096 --quant "${1:-Q8_0}" -o "$model"
tokens=$(seq -s, 1 64)
for isa in scalar avx2 avx512; do
    INGLE_ISA=$isa "$ingle" generate "$model" --tokens "$tokens" -n 1 --greedy >/dev/null 2>&1 || continue
    start=$(date +%s%N)
    INGLE_ISA=$isa "$ingle" generate "$model" --tokens "$tokens" -n 1 --greedy >/dev/null
    first=$(date +%s%N)
    INGLE_ISA=$isa "$ingle" generate "$model" --tokens "$tokens" -n 65 --greedy >/dev/null
    end=$(date +%s%N)
    awk -v isa="$isa" -v a="$start" -v b="$first" -v c="$end" 'BEGIN {
        one = (b - a) / 1e6; many = (c - b) / 1e6
        printf "%-7s first token of a 64-token prompt %7.1f ms (from exec), decode %7.1f tok/s\n", isa, one, 64000 / (many - one) }'
done
