#!/usr/bin/env python3
"""Two commands that print JSON, in turns, and how many times the first one's figure is the second's.

    tools/bench_pairs.py "build/release/bin/ingle bench a.gguf -t 2 -p 8 -n 24 --json" "… b.gguf …"

Printed are the medians, and the median of the pairs' ratios with its interval of 95 % (order statistics: of 20 pairs
from the sixth ratio to the fifteenth). What a machine does beside it touches both commands of a pair alike.
"""
import argparse
import json
import math
import shlex
import statistics
import subprocess


def figure(command: str, key: str) -> float:
    return float(
        json.loads(subprocess.run(shlex.split(command), check=True, capture_output=True, text=True).stdout)[key])


def interval_of_median(values: list[float], confidence: float = 0.95) -> tuple[float, float]:
    """Between the k-th smallest and the k-th largest value, k as large as the confidence allows (the smallest and the
    largest of few)."""
    ordered, n = sorted(values), len(values)
    outside, k = 0.0, 0  # the chance that fewer than k + 1 of n values lie below the median
    while (outside := outside + math.comb(n, k) / 2**n) <= (1 - confidence) / 2:
        k += 1
    k = max(k, 1)
    return ordered[k - 1], ordered[n - k]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs=2, metavar="COMMAND")
    parser.add_argument("-n", type=int, default=20, help="pairs")
    parser.add_argument("--key", default="decode_tok_s", help="figure of the JSON that is compared")
    args = parser.parse_args()
    pairs = []
    for i in range(args.n):
        # Each begins half of the pairs: what the other left in caches helps neither.
        pair = {at: figure(args.commands[at], args.key) for at in ((0, 1), (1, 0))[i % 2]}
        pairs.append((pair[0], pair[1]))
    ratios = [first / second for first, second in pairs]
    low, high = interval_of_median(ratios)
    for at in (0, 1):
        print(f"{statistics.median(pair[at] for pair in pairs):10.2f}  {args.commands[at]}")
    print(
        f"{statistics.median(ratios):10.3f}  times; 95 % between {low:.3f} and {high:.3f}, all between "
        f"{min(ratios):.3f} and {max(ratios):.3f}, {args.n} pairs"
    )


if __name__ == "__main__":
    main()
