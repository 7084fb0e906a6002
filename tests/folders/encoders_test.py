#!/usr/bin/env python3
"""Folders of encoders: `ingle embed` gives the rows of their own equations, pooled as the files beside them say.

usage: encoders_test.py INGLE
"""
import json
import math
import pathlib
import sys
import tempfile

import numpy as np

import bert
import judged
import safetensors_files

TOLERANCE = 1e-4
IDS = [2, 17, 88, 4, 61, 61, 9, 30, 3]
POOLINGS = {"mean": ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, lambda rows: rows.mean(0)),
            "cls": ({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}, lambda rows: rows[0]),
            "lasttoken": ({"pooling_mode": "lasttoken"}, lambda rows: rows[-1]),
            "nothing said": (None, lambda rows: rows.mean(0))}
MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
           {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
           {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]


def embedding(ingle, model):
    text = judged.run(ingle, "embed", model, "--tokens", "--backend", "cpu", "--activations", "f32", "--kv", "f32",
                      input=",".join(map(str, IDS)))
    return np.array(json.loads(text))


def gelu_erf(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def check(ingle, folder, what, config, tensors, expected):
    """expected: by tensors, and what is done wrong in them."""
    (folder / "config.json").write_text(json.dumps(config))
    safetensors_files.write_model(folder, tensors)
    stored = safetensors_files.read_model(folder)
    own = embedding(ingle, folder)
    error = judged.near(what, own, expected(stored), TOLERANCE)
    judged.far(f"{what}: tokens that see only those before them", own, expected(stored, causal=True), TOLERANCE)
    imported = folder / "imported.gguf"
    judged.run(ingle, "import", folder, "-o", imported)
    judged.near(f"{what}, imported", embedding(ingle, imported), expected(stored), TOLERANCE)
    exact = expected(stored, act=gelu_erf)
    angle = own @ exact / np.linalg.norm(own) / np.linalg.norm(exact)
    print(f"{what}: {error:.1e}; 1 - cosine with GELU as the error function has it: {1 - angle:.1e}")


def main():
    ingle = sys.argv[1]
    for name, (pooling, pooled) in POOLINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if pooling:
                (folder / "modules.json").write_text(json.dumps(MODULES))
                (folder / "1_Pooling").mkdir()
                (folder / "1_Pooling" / "config.json").write_text(
                    json.dumps({"word_embedding_dimension": bert.DIM, **pooling}))
            config = bert.config("BertModel")
            check(ingle, folder, f"BERT, {name}", config, bert.tensors(61),
                  lambda w, **other: pooled(bert.rows(config, w, IDS, **other)))
            # A pooling of another name is another embedding.
            for other, (_, wrong) in POOLINGS.items():
                if other not in (name, "nothing said") and (name, other) != ("nothing said", "mean"):
                    judged.far(f"{name} as {other}", embedding(ingle, folder),
                               wrong(bert.rows(config, bert.tensors(61), IDS)), TOLERANCE)
    with tempfile.TemporaryDirectory() as folder:
        config = bert.config("BertForSequenceClassification")
        tensors = {
            name if name.startswith("classifier") else "bert." + name: values
            for name, values in bert.tensors(62, 3).items()
        }

        def scores(w, **other):
            w = {name.removeprefix("bert."): values for name, values in w.items()}
            return bert.scores(w, bert.rows(config, w, IDS, **other))
        check(ingle, pathlib.Path(folder), "BERT, labels", config, tensors, scores)


if __name__ == "__main__":
    main()
