#!/usr/bin/env python3
"""FastLLM's files: `ingle` gives the logits of what they hold, decodes packed numbers bit for bit, and writes what
they are.

usage: fastllm_test.py INGLE
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import fastllm_files as flm
import gguf_floats
import safetensors_files
import tiny_models
from folders_test import IDS, TOLERANCE, check_rounding, farthest, logits, run

KINDS = {"float32": flm.F32, "bfloat16": flm.BF16, "float16": flm.F16, "int8": flm.INT8, "int4": flm.INT4,
         "int4 without zeros": flm.INT4_NOZERO, "int4 in groups": flm.INT4_GROUP}
MISTAKES = {flm.INT8: "range of one step more", flm.INT4: "low nibble first", flm.INT4_NOZERO: "low nibble first",
            flm.INT4_GROUP: "low nibble first"}
TYPES = {"llama": "llama", "chatglm": "chatglm", "chatglm1": "chatglm", "baichuan": "baichuan"}


def pieces():
    """Pieces of SentencePiece: marks, bytes, characters, and a few that are merged."""
    texts = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % byte for byte in range(64)]
    texts += ["▁".encode()] + [bytes([c]) for c in b"abcdefghlo"
                              ] + [b"he", b"ll", b"llo", b"hello", "▁hello".encode(), "▁a".encode()]
    texts += [b"<user>", b"<bot>"]
    return [(piece, number, -float(number)) for number, piece in enumerate(texts)]


def dictionary_of(model, name):
    """As torch2flm.py writes it: str() of every entry of the configuration."""
    return {
        **{key: str(value) for key, value in model.config.items()},
        "model_type": TYPES[name], "tokenizer_use_score": "1"
    }


def kind_of(kind):
    def of(name, values):
        table = "embed" in name or "norm" in name or name.endswith("inv_freq") or values.ndim < 2
        return flm.F32 if table else kind
    return of


def write(folder, name, kind, tokens=(), **more):
    model = tiny_models.MODELS[name]()
    path = folder / "model.flm"
    flm.write(path, {**dictionary_of(model, name), **more}, tokens, model.tensors, kind_of(kind))
    return model, path


def in_gguf(rows, heads):
    """Rows of queries or keys, of which GGUF has the two of a pair side by side."""
    dim = rows.shape[0] // heads
    return rows.reshape(heads, 2, dim // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def check_numbers(ingle, folder, what, kind):
    model, path = write(folder, "llama", kind)
    stored = flm.read(path)[2]
    as_double = {name: values.astype(np.float64) for name, values in stored.items()}
    expected = model.equations(model.config, as_double, IDS)
    error = farthest(logits(ingle, path, folder / "own.bin"), expected)
    assert error <= TOLERANCE, f"{what}: logits differ by {error}"

    imported = folder / "imported.gguf"
    run(ingle, "import", path, "-o", imported, "--quant", "F32")
    ours = gguf_floats.read(imported)
    for layer in range(tiny_models.LAYERS):
        for theirs, own, heads in (("self_attn.q_proj", "attn_q", tiny_models.HEADS), ("self_attn.k_proj", "attn_k",
                                                                                       tiny_models.KV_HEADS),
                                   ("mlp.down_proj", "ffn_down", 0), ("mlp.gate_proj", "ffn_gate", 0)):
            rows = stored[f"model.layers.{layer}.{theirs}.weight"]
            rows = in_gguf(rows, heads) if heads else rows
            assert rows.tobytes() == ours[f"blk.{layer}.{own}.weight"].tobytes(), f"{what}: {own} differs"
    if kind in MISTAKES:
        mistaken = flm.read(path, MISTAKES[kind])[2]["model.layers.0.mlp.down_proj.weight"]
        assert mistaken.tobytes() != ours["blk.0.ffn_down.weight"].tobytes(), f"{what}: a mistake changes nothing"
    print(f"{what}: {error:.1e}")


def check_family(ingle, folder, name, what, kind):
    """Matrices that are several in one, too, which families take apart."""
    model, path = write(folder, name, kind)
    stored = {key: values.astype(np.float64) for key, values in flm.read(path)[2].items()}
    own = logits(ingle, path, folder / "own.bin")
    error = farthest(own, model.equations(model.config, stored, IDS))
    assert error <= TOLERANCE, f"{name} in {what}: logits differ by {error}"
    wrong = model.equations(model.config, stored, IDS, neighbours=name != "chatglm")
    assert farthest(own, wrong) > 50 * TOLERANCE, f"{name}: pairs in the wrong order change nothing"
    print(f"{name} in {what}: {error:.1e}")


def check_packed_products(ingle, folder):
    for kind in (flm.INT8, flm.INT4, flm.INT4_NOZERO, flm.INT4_GROUP):
        check_rounding(ingle, write(folder, "llama", kind)[1], folder)


def tokenized(ingle, path, text, *options):
    done = subprocess.run([ingle, "tokenize", str(path), *options],
                          input=text.encode(),
                          capture_output=True,
                          check=True)
    return [int(number) for number in done.stdout.split()]


def check_vocabulary(ingle, folder):
    path = write(folder,
                 "llama",
                 flm.F16,
                 pieces(),
                 pre_prompt="<FLM_FIX_TOKEN_1>",
                 user_role="<user>",
                 bot_role="<bot>",
                 history_sep="<FLM_FIX_TOKEN_2>",
                 bos_token_id=1,
                 eos_token_id=2)[1]
    ids = {piece: number for piece, number, _ in pieces()}
    # The pair of the highest score first: "he" (77) before "ll" before "llo"; then all of it.
    expected = [ids["▁hello".encode()], ids["▁a".encode()], ids[b"b"]]
    assert tokenized(ingle, path, "hello ab") == expected
    messages = folder / "messages.json"
    rounds = [("user", "hello"), ("assistant", "ab"), ("user", "a")]
    messages.write_text(
        json.dumps(
            {"messages": [{"role": role, "content": text} for role, text in rounds], "add_generation_prompt": True}))
    prompt = run(ingle, "template", path, "--messages", messages)
    assert prompt == "<s><user>hello<bot>ab</s><user>a<bot>", prompt
    marks = tokenized(ingle, path, prompt, "--parse-special")
    assert [number for number in marks if number in (1, 2, ids[b"<user>"], ids[b"<bot>"])] == [1, 84, 85, 2, 84,
                                                                                               85], marks
    # What somebody writes is no mark.
    assert ids[b"<user>"] not in tokenized(ingle, path, "<user>")


def check_bytes(ingle, folder):
    """Characters that stand for bytes: scores are the ranks of merges, and all other tokens have 1."""
    texts = [chr(c) for c in range(0x21, 0x7F) if c not in b"<>|"][:80] + ["Ġ", "Ċ"]
    merged = ["ll", "he", "Ġhe", "hell", "Ġhell"]
    tokens = [(text.encode(), number, 1.0) for number, text in enumerate(texts)]
    tokens += [(text.encode(), len(texts) + i, -float(i)) for i, text in enumerate(merged)]
    tokens += [(b"<|im_end|>", len(tokens), 1.0)]
    path = write(folder, "llama", flm.F16, tokens, model_type="qwen2", tokenizer_byte_as_char="True",
                 eos_token_id=len(tokens) - 1)[1]
    ids = {piece.decode(): number for piece, number, _ in tokens}
    # "ll" before "he" before "Ġhe", and words are cut as those of Qwen2: before the blank.
    assert tokenized(ingle, path, "hell hello") == [ids["hell"], ids["Ġhell"], ids["o"]]
    assert tokenized(ingle, path, "a\n<|im_end|>", "--parse-special") == [ids["a"], ids["Ċ"], ids["<|im_end|>"]]
    path = write(folder, "llama", flm.F16, tokens, tokenizer_byte_as_char="True")[1]
    refused = subprocess.run([ingle, "tokenize", path], input=b"a", capture_output=True)
    assert refused.returncode != 0 and b"does not say how text is cut into words" in refused.stderr, refused


def check_writing(ingle, folder):
    """Every type that is written, from a folder of Hugging Face; read by the evaluator, and by us, it is the same
    model."""
    model = tiny_models.MODELS["llama"]()
    (folder / "config.json").write_text(json.dumps(model.config))
    safetensors_files.write_model(folder, model.tensors)
    original = safetensors_files.read_model(folder)
    expected = model.equations(model.config, original, IDS)
    for quant, kind, tolerance in (("F32", flm.F32, 0), ("F16", flm.F16, 2**-11), ("Q8_0", flm.INT8, 1 / 255),
                                   ("Q4_0", flm.INT4_NOZERO, 1 / 15), ("Q4_1", flm.INT4_GROUP, 1 / 15)):
        path = folder / f"{quant}.flm"
        run(ingle, "import", folder, "-o", path, "--quant", quant)
        dictionary, _, stored, kinds = flm.read(path)
        assert dictionary["model_type"] == "llama" and set(stored) == set(original), sorted(stored)
        assert kinds["model.layers.0.self_attn.q_proj.weight"] == kind and kinds[
            "model.embed_tokens.weight"] == flm.F32, quant
        for name, values in stored.items():
            step = np.abs(original[name]).max() * 2 * (tolerance if kinds[name] == kind else 0)
            assert np.abs(values - original[name]).max() <= step * 0.51 + 1e-7, f"{quant}: {name}"
        as_double = {name: values.astype(np.float64) for name, values in stored.items()}
        error = farthest(logits(ingle, path, folder / "own.bin"), model.equations(model.config, as_double, IDS))
        assert error <= TOLERANCE, f"{quant}: {error}"
        if quant == "F32":
            assert farthest(logits(ingle, path, folder / "own.bin"), expected) <= TOLERANCE
    # From there to a GGUF file and back, whose rows are in another order.
    run(ingle, "import", folder / "F32.flm", "-o", folder / "there.gguf")
    run(ingle, "import", folder / "there.gguf", "-o", folder / "back.flm")
    back = flm.read(folder / "back.flm")[2]
    assert all(values.tobytes() == flm.read(folder / "F32.flm")[2][name].tobytes() for name, values in back.items())
    for quant, sentence in (("Q6_K", "FastLLM files hold"),):
        done = subprocess.run(
            [ingle, "import", str(folder), "-o",
             str(folder / "no.flm"), "--quant", quant],
            capture_output=True,
            text=True)
        assert done.returncode == 1 and sentence in done.stderr and not (folder / "no.flm").exists(), done.stderr


def check_prompt_is_written(ingle, folder):
    path = write(folder,
                 "llama",
                 flm.F32,
                 pieces(),
                 pre_prompt="<FLM_FIX_TOKEN_1>",
                 user_role="<user>",
                 bot_role="<bot>",
                 history_sep="<FLM_FIX_TOKEN_2>",
                 bos_token_id=1,
                 eos_token_id=2)[1]
    run(ingle, "import", path, "-o", folder / "again.flm")
    (before, tokens), (after, same) = flm.read(path)[:2], flm.read(folder / "again.flm")[:2]
    assert tokens == same
    assert after["pre_prompt"] == "<FLM_FIX_TOKEN_1>" and after["history_sep"] == "<FLM_FIX_TOKEN_2>", after
    assert after["user_role"] == "<FLM_FIX_TOKEN_84>" and after["bot_role"] == "<FLM_FIX_TOKEN_85>", after
    assert after["eos_token_id"] == before["eos_token_id"] == "2"


def main():
    ingle = sys.argv[1]
    for what, kind in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            check_numbers(ingle, pathlib.Path(folder), what, kind)
    for name, what in itertools.product(TYPES, ("float32", "int8", "int4 in groups")):
        with tempfile.TemporaryDirectory() as folder:
            check_family(ingle, pathlib.Path(folder), name, what, KINDS[what])
    with tempfile.TemporaryDirectory() as folder:
        check_packed_products(ingle, pathlib.Path(folder))
    for check in (check_vocabulary, check_bytes, check_writing, check_prompt_is_written):
        with tempfile.TemporaryDirectory() as folder:
            check(ingle, pathlib.Path(folder))


if __name__ == "__main__":
    main()
