#!/usr/bin/env python3
"""How fast answers are that follow rules, beside the same question's without any: tokens a second of decoding, in
turns.

    tools/rules_bench.py resources/guide/guide.gguf

Printed are the medians, and the median of the pairs' ratios with its interval of 95 % (see bench_pairs.py)."""
import argparse
import pathlib
import statistics

from bench_pairs import interval_of_median
from reopen_bench import Host, said

RULES = {
    "a grammar that everything fits": {"grammar": "root ::= .*"},
    "a schema": {
        "jsonSchema":
            '{"type":"object","properties":{"answer":{"type":"string"},"keys":{"type":"array","items":{"type":"string",'
            '"maxLength":12},"minItems":3,"maxItems":8},"sure":{"type":"boolean"}},"required":["answer","keys","sure"]}'
    },
}


def tokens_a_second(host, rules, seed):
    request = {
        "messages": [said("user", "Where do I get a model?")], "maxTokens": 150,
        "sampler": {"temperature": 0.7, "seed": seed}, "guesses": "off", **rules
    }
    stats = host.ask("generate", request=request)["result"]["stats"]
    return stats["newTokens"] / stats["decodeMs"] * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--ingle", default="build/release/bin/ingle")
    parser.add_argument("-n", type=int, default=40, help="pairs")
    args = parser.parse_args()
    host = Host(args.ingle)
    host.ask("load", path=str(pathlib.Path(args.model).resolve()), options={"backend": "cpu"})
    for name, rules in RULES.items():
        tokens_a_second(host, rules, 0)  # the vocabulary is sorted once
        pairs = []
        for seed in range(1, args.n + 1):
            order = (rules, {}) if seed % 2 else ({}, rules)
            pair = [tokens_a_second(host, one, seed) for one in order]
            pairs.append(pair if seed % 2 else pair[::-1])
        ratios = [ruled / freely for ruled, freely in pairs]
        low, high = interval_of_median(ratios)
        print(
            f"{name}: {statistics.median(pair[0] for pair in pairs):.0f} tokens/s, without "
            f"{statistics.median(pair[1] for pair in pairs):.0f}; "
            f"{statistics.median(ratios):.3f} times, 95 % between {low:.3f} and {high:.3f}, {args.n} pairs")
    host.end()


if __name__ == "__main__":
    main()
