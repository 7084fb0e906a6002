#!/usr/bin/env python3
"""Folders of encoders: `ingle embed` gives the rows of their own equations, pooled as the files beside them say.

usage: encoders_test.py INGLE
"""
import json
import pathlib
import sys
import tempfile

import numpy as np

import bert
import encoders
import equations
import judged
import safetensors_files

TOLERANCE = 1e-4
IDS = [2, 17, 88, 4, 61, 61, 9, 30, 3]
POOLINGS = {"mean": ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, lambda rows: rows.mean(0)),
            "cls": ({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}, lambda rows: rows[0]),
            "lasttoken": ({"pooling_mode": "lasttoken"}, lambda rows: rows[-1]),
            "nothing said": (None, lambda rows: rows.mean(0))}
MISTAKES = {"with tokens that see only those before them": dict(causal=True),
            "with GELU by tanh": dict(act=equations.gelu_tanh)}
MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
           {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
           {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]


def embedding(ingle, model, *more):
    text = judged.run(ingle, "embed", model, "--tokens", "--backend", "cpu", "--activations", "f32", "--kv", "f32",
                      *more, input=",".join(map(str, IDS)))
    return np.array(json.loads(text))


def check(ingle, folder, what, config, tensors, expected, mistakes):
    """expected: by tensors, and what is done wrong in them: mistakes."""
    (folder / "config.json").write_text(json.dumps(config))
    safetensors_files.write_model(folder, tensors)
    stored = safetensors_files.read_model(folder)
    own = embedding(ingle, folder)
    error = judged.near(what, own, expected(stored), TOLERANCE)
    for mistake, other in mistakes.items():
        judged.far(f"{what} {mistake}", own, expected(stored, **other), TOLERANCE / 10)
    imported = folder / "imported.gguf"
    judged.run(ingle, "import", folder, "-o", imported)
    judged.near(f"{what}, imported", embedding(ingle, imported), expected(stored), TOLERANCE)
    print(f"{what}: {error:.1e}")


def check_dense(ingle, folder):
    """Layers behind the pooling, and words in front of texts."""
    config, tensors = bert.config("BertModel"), bert.tensors(63)
    random = np.random.default_rng(64)
    matrix, bias = random.normal(0, 0.2, (24, bert.DIM)), random.normal(0, 0.2, 24)
    (folder / "modules.json").write_text(json.dumps(MODULES[:2] + [
        {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}]))
    for name, settings in (("1_Pooling", {"pooling_mode_cls_token": True}),
                           ("2_Dense", {"in_features": bert.DIM, "out_features": 24, "bias": True,
                                        "activation_function": "torch.nn.modules.activation.Tanh"})):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(settings))
    safetensors_files.write_model(folder / "2_Dense", {"linear.weight": matrix, "linear.bias": bias})
    layer = safetensors_files.read_model(folder / "2_Dense")

    def expected(w, bias=layer["linear.bias"], **other):
        return np.tanh(layer["linear.weight"] @ bert.rows(config, w, IDS, **other)[0] + bias)
    check(ingle, folder, "BERT with a layer behind", config, tensors, expected, {"without its bias": dict(bias=0)})
    first = embedding(ingle, folder)
    assert np.array_equal(embedding(ingle, folder, "--dimensions", "5"), first[:5])


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
                  lambda w, **other: pooled(bert.rows(config, w, IDS, **other)), MISTAKES)
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
        check(ingle, pathlib.Path(folder), "BERT, labels", config, tensors, scores,
              {"with tokens that see only those before them": dict(causal=True)})
    for name, model in encoders.ALL.items():
        config, tensors, rows, mistakes = model()
        with tempfile.TemporaryDirectory() as folder:
            check(ingle, pathlib.Path(folder), name, config, tensors,
                  lambda w, **other: rows(config, w, IDS, **other).mean(0), mistakes)
    with tempfile.TemporaryDirectory() as folder:
        check_dense(ingle, pathlib.Path(folder))


if __name__ == "__main__":
    main()
