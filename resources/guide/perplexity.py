"""Perplexity of the held-out questions and of the right answers to them, for several quantizations of one guide.

For each held-out question about Inglenook: how well the model predicts the question's own tokens (which it was not
trained on), then its topic, then the tokens of the topic's first answer (which it was), each as exp of the mean of
-ln p.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy

import corpus
import gguf
from evaluate import HERE, questions
from vocabulary import Vocabulary, of_gguf


def token_losses(ingle: pathlib.Path, model: pathlib.Path, ids: list[int], out: pathlib.Path) -> numpy.ndarray:
    """-ln p of ids[1:]."""
    subprocess.run([ingle, "logits", model, "--tokens", ",".join(map(str, ids)), "--out", out],
                   check=True,
                   capture_output=True)
    logits = numpy.fromfile(out, numpy.float32).reshape(len(ids), -1)[:-1].astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return numpy.log(numpy.exp(logits).sum(axis=1)) - logits[numpy.arange(len(logits)), ids[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    vocabulary = Vocabulary(of_gguf(gguf.read(args.models[0])[0]))
    answers = {i.name: i.answers for of_language in corpus.load().values() for i in of_language}
    items = [i for i in questions(HERE / "eval/held_out.jsonl") if "facts" in i and "history" not in i]
    with tempfile.TemporaryDirectory() as folder:
        for model in args.models:
            losses = {"question": [], "topic": [], "answer": []}
            for item in items:
                ids, topic = vocabulary.dialogue([item["question"].lower(), answers[item["intent"]][0]], item["intent"])
                of_tokens = token_losses(args.bin / "ingle", model, ids, pathlib.Path(folder) / "logits")
                # Two marks come before the question, one before the topic.
                losses["question"] += list(of_tokens[1 : topic - 2])
                losses["topic"].append(of_tokens[topic - 1])
                losses["answer"] += list(of_tokens[topic:])
            perplexities = {part: round(math.exp(numpy.mean(of_part)), 4) for part, of_part in losses.items()}
            print(json.dumps({"model": model.name, "bytes": model.stat().st_size, **perplexities,
                              "tokens": {part: len(of_part) for part, of_part in losses.items()}}), flush=True)


if __name__ == "__main__":
    main()
