#!/usr/bin/env python3
"""Random texts in golden vocabularies whose added tokens are looked for in random ways: `ingle` gives the ids that
the npm package @huggingface/tokenizers gives. What is known to be a fault of that package is told and does not count.

usage: npm_tokenizer_fuzz.py INGLE GOLDEN PACKAGES [TEXTS [SEED]]
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata

import gguf_vocabulary
import vocabularies_test

TEXTS_EACH = 250
WORDS = ["<|person|>", "<hide>", "<|over|>", "EOTX", "abqz", "a bq", "<qx>", "Xyzq", "zz9", "foo.bar", "ü?"]
POOLS = [
    "abc XYZ don't I'LL we've  it's O'Neil", "0123456789 3.14 1,000,000 x86_64",
    "日本語テスト漢字 ひらがな カタカナ ー々〇", "한국어 텍스트", "Ünïcödé ÀÉÎ ß ŒžΣς", "Привет МИР ё",
    "مرحبا ١٢٣ हिन्दी १२३ ไทย", "🙂👩‍👩‍👧🏽 ✔️ ™", "\n\n \t \r\n    \u00a0\u3000",
    "!!!... ;-) #include <x> {a:b} \\n == != $100 €5 ^~`|", "aaaa  bbbb   cccc\n  x\n\n\n y \n",
    "e\u0301 a\u0308 \u200b", "ⅣⅫ ½ ² ₃"
]
# Faults of the package: what they are, and whether one concerns a text in a vocabulary with these added tokens.
FAULTS = [
    ("it finds words inside of others that may only stand alone",
     lambda name, text, tokens: any(token["single_word"] and token["content"] in text for token in tokens)),
    ("it takes white space to a token beside it though the white space is a token of its own",
     lambda name, text, tokens: name == "gpt-neox" and any(
         (token["lstrip"] or token["rstrip"]) and token["content"] in text for token in tokens)),
    ("JavaScript makes another small letter of a Greek one at the end of a word",
     lambda name, text, tokens: name == "bert-bge" and "Σ" in text),
    # The package "tokenizers" of Python agrees with ours in these.
    ("it takes only decimal digits for numbers",
     lambda name, text, tokens: name == "deepseek-coder" and any(
         unicodedata.category(letter) in ("Nl", "No") for letter in text)),
    ("it takes the longer of two added tokens though the shorter is looked for first",
     lambda name, text, tokens: name == "deepseek-coder" and "ü?" in text and any(
         token["content"] == "ü?" and token["normalized"] for token in tokens)),
    ("it normalises accents of their own in another way",
     lambda name, text, tokens: name == "nomic-bert-moe" and any(map(unicodedata.combining, text))),
]


def random_text(rng, words):
    text = ""
    for _ in range(rng.randint(1, 7)):
        if rng.random() < 0.3:
            text += rng.choice(["", " ", "\n", "  "]) + rng.choice(words) + rng.choice(["", " ", "\n", "b"])
        else:
            pool = rng.choice(POOLS)
            begin = rng.randrange(len(pool))
            text += pool[begin:begin + rng.randint(1, 14)]
    return text


def add_tokens(rng, folder, count):
    """Gives the added ones, and the words that texts are made of."""
    path = folder / "tokenizer.json"
    form = json.loads(path.read_text())
    words = rng.sample([word for word in WORDS if word not in form["model"]["vocab"]], 5)
    for i, word in enumerate(words):
        # Where a text is changed first, the package looks for such tokens in what it was before.
        normalized = form["normalizer"] is None and rng.random() < 0.3
        form["added_tokens"].append({
            "id": count + i, "content": word, "special": not normalized and rng.random() < 0.5,
            "single_word": rng.random() < 0.15 and not word.startswith("<"), "normalized": normalized,
            "lstrip": not normalized and rng.random() < 0.3, "rstrip": not normalized and rng.random() < 0.3
        })
    path.write_text(json.dumps(form))
    return words


def run(command, texts):
    done = subprocess.run(command, input="".join(json.dumps(text) + "\n" for text in texts), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def fault_of(name, text, tokens):
    return next((fault for fault, concerns in FAULTS if concerns(name, text, tokens)), None)


def main():
    ingle, golden, packages = sys.argv[1:4]
    count, seed = (int(number) for number in (sys.argv[4:] + ["2500", "1"][len(sys.argv) - 4:]))
    rng = random.Random(seed)
    told, compared, wrong = {}, 0, []
    while compared < count:
        name = rng.choice(list(vocabularies_test.FORMS))
        (path,) = pathlib.Path(golden).glob(f"tokenizers*/ggml-vocab-{name}.gguf.gz")
        keys = gguf_vocabulary.read_keys(path)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            vocabularies_test.write_folder(folder, keys, vocabularies_test.FORMS[name])
            tokens = len(keys["tokenizer.ggml.tokens"])
            vocabularies_test.write_model(folder, {"tokenizer.ggml.tokens": [b""] * (tokens + len(WORDS))})
            words = add_tokens(rng, folder, tokens)
            texts = [random_text(rng, words) for _ in range(TEXTS_EACH)]
            own = run([ingle, "tokenize", folder, "--parse-special", "--jsonl"], texts)
            theirs = run(["node", pathlib.Path(__file__).parent / "npm_tokenizer.mjs", packages, folder], texts)
            flags = json.loads((folder / "tokenizer.json").read_text())["added_tokens"][-5:]
        for text, ids, expected in zip(texts, own, theirs, strict=True):
            if expected is None or ids == expected:
                compared += expected is not None
                continue
            if fault := fault_of(name, text, flags):
                told[fault] = told.get(fault, 0) + 1
            else:
                wrong.append((name, text, ids, expected, flags))
                compared += 1
    for fault, number in sorted(told.items()):
        print(f"{number:6} texts: {fault}")
    for name, text, ids, expected, flags in wrong[:20]:
        print(f"{name}: {text!r}\n  ingle   {ids}\n  package {expected}\n  {flags}")
    print(f"{compared - len(wrong)} of {compared} texts have the same ids")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    if not shutil.which("node"):
        print("skipped: there is no Node")
        sys.exit(77)
    main()
