"""Perplexity of the right answers to the held-out questions, for several quantizations of one guide.

For each held-out question about Inglenook: how well the model predicts the tokens of its intent's first answer after the question, as
exp of the mean of -ln p over all those tokens. Questions the guide takes for others count in full.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy

import corpus
import facts as facts_of_program
from evaluate import HERE, questions
from vocabulary import Vocabulary


def answer_losses(ingle: pathlib.Path, model: pathlib.Path, ids: list[int], start: int, out: pathlib.Path) -> numpy.ndarray:
    """-ln p of ids[start:]."""
    subprocess.run([ingle, "logits", model, "--tokens", ",".join(map(str, ids)), "--out", out], check=True, capture_output=True)
    logits = numpy.fromfile(out, numpy.float32).reshape(len(ids), -1)[start - 1 : -1].astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return numpy.log(numpy.exp(logits).sum(axis=1)) - logits[numpy.arange(len(logits)), ids[start:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    vocabulary = Vocabulary(args.vocabulary)
    answers = {i.name: i.answers for of_language in corpus.load(facts_of_program.collect()).values() for i in of_language}
    items = [i for i in questions(HERE / "eval/held_out.jsonl") if "facts" in i and "history" not in i]
    with tempfile.TemporaryDirectory() as folder:
        for model in args.models:
            losses = []
            for item in items:
                ids, start = vocabulary.dialogue([item["question"].lower(), answers[item["intent"]][0]], item["intent"])
                losses.append(answer_losses(args.bin / "ingle", model, ids, start, pathlib.Path(folder) / "logits"))
            all_losses = numpy.concatenate(losses)
            print(json.dumps({"model": model.name, "bytes": model.stat().st_size, "perplexity": round(math.exp(all_losses.mean()), 4),
                              "tokens": len(all_losses)}))


if __name__ == "__main__":
    main()
