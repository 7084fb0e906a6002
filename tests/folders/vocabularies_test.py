#!/usr/bin/env python3
"""Golden vocabularies, written as tokenizer.json by the rules of huggingface/tokenizers: `ingle` gives the golden ids.

usage: vocabularies_test.py INGLE GOLDEN [NAME…]     without names all, or those that a test run has time for
"""
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unicodedata

import numpy as np

import gguf_vocabulary
import safetensors_files

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| "
    r"?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN35 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| "
    r"?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"]
# The rules of a vocabulary that names none.
DEFAULT = [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"]
QUICK = ("llama-spm", "deepseek-coder", "bert-bge", "gpt-neox", "llama-bpe")
# llama.cpp, of which the golden ids are, takes this token for an end of answers because of its text; no file says so.
EXCEPTIONS = {"qwen35": "</s>"}


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def byte_level(*patterns, digits=False):
    chain = [split(pattern) for pattern in patterns]
    if digits:
        chain.append({"type": "Digits", "individual_digits": True})
    chain.append({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": not patterns})
    return {"type": "Sequence", "pretokenizers": chain}


def texts(keys):
    return [token.decode("utf-8", "surrogateescape") for token in keys["tokenizer.ggml.tokens"]]


def added(keys):
    types = keys["tokenizer.ggml.token_type"]
    return [{
        "id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
        "special": types[i] != USER
    } for i, token in enumerate(texts(keys)) if types[i] in (UNKNOWN, CONTROL, USER)]


def around(begin, end):
    item = lambda token: {"SpecialToken": {"id": token, "type_id": 0}}
    single = ([item(begin)] if begin else []) + [{"Sequence": {"id": "A", "type_id": 0}}] + ([item(end)] if end else [])
    return {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {}}


def merges_of_pieces(keys):
    """All ways to make each piece of two others, the best pieces first, as transformers' convert_slow_tokenizer.py
    has them."""
    tokens, scores, types = texts(keys), keys["tokenizer.ggml.scores"], keys["tokenizer.ggml.token_type"]
    known = {token: score for token, score, kind in zip(tokens, scores, types) if kind == NORMAL}
    merges = []
    for token, score in known.items():
        merges += [
            (token[:i], token[i:], score) for i in range(1, len(token)) if token[:i] in known and token[i:] in known
        ]
    merges.sort(key=lambda merge: (merge[2], len(merge[0]), len(merge[1])), reverse=True)
    return [[left, right] for left, right, _ in merges]


def pieces(keys, prefix, merges):
    chain = [{"type": "Prepend", "prepend": "▁"}] if prefix else []
    chain.append({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})
    tokens = texts(keys)
    return {"normalizer": {"type": "Sequence", "normalizers": chain}, "pre_tokenizer": None,
            "post_processor": around(tokens[keys["tokenizer.ggml.bos_token_id"]], None),
            "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                      "vocab": {token: i for i, token in enumerate(tokens)}, "merges": merges}}


def bytes_(keys, pre_tokenizer, begin=None, pairs=False, **model):
    special = {entry["id"] for entry in added(keys)}
    merges = [merge.decode() for merge in keys["tokenizer.ggml.merges"]]
    return {"normalizer": None, "pre_tokenizer": pre_tokenizer, "post_processor": around(begin, None),
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(texts(keys)) if i not in special},
                      "merges": [merge.split(" ", 1) for merge in merges] if pairs else merges, **model}}


def unigrams(keys):
    charsmap = base64.b64encode(bytes(keys["tokenizer.ggml.precompiled_charsmap"])).decode()
    return {"normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": charsmap},
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
            "post_processor": around("<s>", "</s>"),
            "model": {"type": "Unigram", "unk_id": keys["tokenizer.ggml.unknown_token_id"],
                      "vocab": [[token, score] for token, score in zip(texts(keys), keys["tokenizer.ggml.scores"])]}}


def spelled(token):
    if token.startswith("▁"):
        return token[1:]
    return token if token.startswith("[") and token.endswith("]") else "##" + token


def words(keys):
    vocabulary = {spelled(token): i for i, token in enumerate(texts(keys))}
    return {
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True
        }, "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": around("[CLS]", "[SEP]"),
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary}
    }


FORMS = {
    "llama-spm": lambda keys: pieces(keys, True, merges_of_pieces(keys)),
    "baichuan": lambda keys: pieces(keys, True, merges_of_pieces(keys)),
    "gemma-4": lambda keys: pieces(keys, False,
                                   [merge.decode().split(" ", 1) for merge in keys["tokenizer.ggml.merges"]]),
    "gpt-2": lambda keys: bytes_(keys, {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}),
    "deepseek-coder": lambda keys: bytes_(keys, byte_level(*DEEPSEEK, digits=True), "<｜begin▁of▁sentence｜>"),
    "llama-bpe": lambda keys: bytes_(keys, byte_level(LLAMA3), "<|begin_of_text|>", pairs=True, ignore_merges=True),
    "qwen35": lambda keys: {**bytes_(keys, byte_level(QWEN35)), "normalizer": {"type": "NFC"}},
    "gpt-neox": lambda keys: bytes_(keys, byte_level(*DEFAULT)),
    "bert-bge": words,
    "nomic-bert-moe": unigrams,
}


def write_model(folder, keys, architecture="LlamaForCausalLM"):
    (folder / "config.json").write_text(
        json.dumps({
            "architectures": [architecture], "hidden_size": 2, "intermediate_size": 2, "num_hidden_layers": 1,
            "num_attention_heads": 1, "max_position_embeddings": 8
        }))
    count = len(keys["tokenizer.ggml.tokens"])
    table = "embeddings.word_embeddings.weight" if architecture == "BertModel" else "model.embed_tokens.weight"
    safetensors_files.write_model(folder, {table: np.zeros((count, 2))}, "F16")


def write_folder(folder, keys, form):
    write_model(folder, keys)
    (folder / "tokenizer.json").write_text(json.dumps({"version": "1.0", "added_tokens": added(keys), **form(keys)}))
    tokens = texts(keys)
    config = {key: tokens[keys[f"tokenizer.ggml.{name}_token_id"]]
              for key, name in (("bos_token", "bos"), ("eos_token", "eos"), ("unk_token", "unknown"))
              if f"tokenizer.ggml.{name}_token_id" in keys}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def field(number, kind, value):
    """Of a protobuf message: kind 0 is a number, 2 a text, 5 a float."""
    def varint(n):
        return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    tag = varint(number << 3 | kind)
    return tag + (varint(value) if kind == 0 else struct.pack("<f", value) if kind == 5 else varint(len(value)) + value)


def write_sentencepiece(folder, keys):
    """tokenizer.model, as google/sentencepiece's sentencepiece_model.proto describes it."""
    message = b""
    for token, score, kind in zip(*(keys["tokenizer.ggml." + name] for name in ("tokens", "scores", "token_type"))):
        message += field(1, 2, field(1, 2, token) + field(2, 5, score) + field(3, 0, kind))
    message += field(2, 2, field(3, 0, 2) + field(35, 0, 1) + field(4, 0, len(keys["tokenizer.ggml.tokens"])))
    message += field(3, 2, field(1, 2, b"identity") + field(3, 0, 1) + field(4, 0, 0))
    (folder / "tokenizer.model").write_bytes(message)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps({"add_bos_token": True}))


def byte_alphabet():
    """Character → byte, as GPT-2's encoder.py has them."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {**{chr(byte): byte for byte in plain}, **{chr(256 + i): byte for i, byte in enumerate(others)}}


def write_lists(folder, keys, mistake):
    """vocab.json, merges.txt and added_tokens.json. Mistake: the last merges come first."""
    special = {entry["id"]: entry["content"] for entry in added(keys)}
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(texts(keys)) if i not in special
                                                  }))
    merges = [merge.decode() for merge in keys["tokenizer.ggml.merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *(merges[::-1] if mistake else merges), ""]))
    (folder / "added_tokens.json").write_text(json.dumps({token: i for i, token in special.items()}))
    visible = [entry["content"] for entry in added(keys) if not entry["special"]]
    (folder / "special_tokens_map.json").write_text(json.dumps({
        "additional_special_tokens": [token for token in special.values() if token not in visible]}))


def write_ranks(folder, keys, mistake):
    """tokenizer.model as tiktoken has it. Mistake: ids that are not those of the ranks."""
    special, byte_of = {entry["id"] for entry in added(keys)}, byte_alphabet()
    lines = []
    for i, token in enumerate(texts(keys)):
        if i not in special and keys["tokenizer.ggml.token_type"][i] != UNUSED:
            lines.append(
                base64.b64encode(bytes(byte_of[c] for c in token)).decode() + f" {i ^ mistake if i < 1000 else i}")
    (folder / "tokenizer.model").write_text("\n".join(lines) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "added_tokens_decoder": {str(entry["id"]): entry for entry in added(keys)}}))


def write_word_list(folder, keys, mistake):
    """vocab.txt. Mistake: parts within words are not marked."""
    (folder / "vocab.txt").write_text("".join(
        (token.strip("▁") if mistake else spelled(token)) + "\n" for token in texts(keys)))


# Vocabularies that are lists alone: the family knows how text is cut.
LISTS = {
    "bert-bge": ("BertModel", (write_word_list,)),
    "llama-bpe": ("Glm4ForCausalLM", (write_lists, write_ranks)),
    "qwen35": ("Qwen3_5ForCausalLM", (write_lists, write_ranks)),
}


def composed(text):
    return unicodedata.normalize("NFC", text)


def without_accents(text):
    """BertNormalizer: what stands alone is dropped, and Korean letters keep all parts."""
    return "".join(c.lower() for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def first_parts(text):
    """What readers of GGUF files, whose ids the golden ones are, do for BERT."""
    return "".join(unicodedata.normalize("NFD", c)[0].lower() for c in text)


# What text becomes, what it becomes to readers of GGUF files, and a rule that leaves it as it is.
FORMED = {
    "qwen35": (composed, str, None),
    "bert-bge": (without_accents, first_parts, {"type": "BertNormalizer", "lowercase": False, "strip_accents": False}),
}


def check_form(ingle, folder, keys, name, cases):
    """A text has the ids that its form, by Python's tables, has in the same vocabulary without that rule. Gives the
    cases of which the golden ids are."""
    form, form_in_gguf, rule = FORMED[name]
    with tempfile.TemporaryDirectory() as plain:
        plain = pathlib.Path(plain)
        write_folder(plain, keys, lambda keys: {**FORMS[name](keys), "normalizer": rule})
        ids, expected = tokenize(ingle, folder, cases), tokenize(ingle, plain,
                                                                 [{"text": form(case["text"])} for case in cases])
        wrong = [(case["text"], own, theirs) for case, own, theirs in zip(cases, ids, expected) if own != theirs]
        assert not wrong, f"{name}: {len(wrong)} of {len(cases)} texts have not the ids of their form: {wrong[:2]}"
        assert tokenize(ingle, plain, cases) != ids, f"{name}: the form changes nothing"
    return [case for case in cases if form(case["text"]) == form_in_gguf(case["text"])]


def check_lists(ingle, keys, name, cases):
    architecture, writers = LISTS[name]
    # What is put around a text is not in the lists of bytes.
    fields = FIELDS if architecture == "BertModel" else {
        field: FIELDS[field] for field in FIELDS if field != "ids_special"
    }
    for write in writers:
        for mistake in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                write_model(folder, keys, architecture)
                write(folder, keys, mistake)
                if mistake:
                    wrong = tokenize(ingle, folder, cases)
                    assert any(
                        ids != case["ids"]
                        for ids, case in zip(wrong, cases)), f"{name}: a mistake in {write.__name__} changes nothing"
                else:
                    compare(ingle, folder, f"{name} by {write.__name__}", cases, fields)


def check_chatglm(ingle):
    """ChatGLM 2 and 3: their own code adds tokens behind the 64789 pieces of tokenizer.model
    (tokenization_chatglm.py)."""
    names = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % byte for byte in range(256)]
    names += [b"piece%d" % i for i in range(64789 - len(names))]
    types = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * (64789 - 259)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tokenizer.json").write_text("")
        write_sentencepiece(folder, {
            "tokenizer.ggml.tokens": names, "tokenizer.ggml.token_type": types,
            "tokenizer.ggml.scores": [0.0] * len(names)
        })
        (folder / "config.json").write_text(
            json.dumps({
                "architectures": ["ChatGLMModel"], "hidden_size": 2, "ffn_hidden_size": 2, "num_layers": 1,
                "num_attention_heads": 1, "kv_channels": 2, "seq_length": 8
            }))
        safetensors_files.write_model(folder, {"transformer.embedding.word_embeddings.weight": np.zeros((65024, 2))},
                                      "F16")
        (ids,) = tokenize(ingle, folder, [{"text": "[gMASK]sop<|user|><|observation|>"}], "--parse-special")
        assert ids == [64790, 64792, 64795, 64797], ids


def check_qwen(ingle):
    """The first Qwen: its own code adds tokens behind the 151643 ranks of qwen.tiktoken (tokenization_qwen.py)."""
    tokens = [bytes([i]) for i in range(256)] + [b"ab"]
    tokens += [b"piece%d" % i for i in range(151643 - len(tokens))]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "qwen.tiktoken").write_text("".join(
            f"{base64.b64encode(token).decode()} {i}\n" for i, token in enumerate(tokens)))
        (folder / "config.json").write_text(
            json.dumps({
                "architectures": ["QWenLMHeadModel"], "hidden_size": 2, "intermediate_size": 4, "num_hidden_layers": 1,
                "num_attention_heads": 1, "kv_channels": 2, "seq_length": 8
            }))
        safetensors_files.write_model(folder, {"transformer.wte.weight": np.zeros((151936, 2))}, "F16")
        (ids,) = tokenize(ingle, folder, [{"text": "<|im_start|>aab<|im_end|><|endoftext|><|extra_204|>"}],
                          "--parse-special")
        assert ids == [151644, 97, 256, 151645, 151643, 151850], ids


def check_tekken(ingle):
    """tekken.json: ranks begin behind the special tokens, and what the stated size leaves out is no token."""
    tokens = [bytes([i]) for i in range(256)] + [b"ab", b"aba", b"left out"]
    special = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"]
    pattern = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|"
               r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|"
               r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    file = {
        "config": {
            "pattern": pattern, "num_vocab_tokens": len(tokens), "default_vocab_size": 265,
            "default_num_special_tokens": 7, "version": "v7"
        }, "vocab": [{
            "rank": i, "token_bytes": base64.b64encode(token).decode(), "token_str": None
        } for i, token in enumerate(tokens)], "special_tokens": [{
            "rank": i, "token_str": token, "is_control": True
        } for i, token in enumerate(special)]
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tekken.json").write_text(json.dumps(file))
        write_model(folder, {"tokenizer.ggml.tokens": range(265)}, "MistralForCausalLM")
        (ids,) = tokenize(ingle, folder, [{"text": "[INST]ababa left out[/INST]</s><SPECIAL_6>"}], "--parse-special")
        left = [7 + byte for byte in b" left out"]
        assert ids == [3, 7 + 256, 7 + 257, *left, 4, 2, 6], ids
        file["config"]["pattern"] = "."
        (folder / "tekken.json").write_text(json.dumps(file))
        done = subprocess.run([ingle, "tokenize", folder, "--jsonl"], input="\"a\"\n", capture_output=True, text=True)
        assert done.returncode != 0 and "cut into words is not supported" in done.stderr, done


def tokenize(ingle, folder, cases, *options):
    lines = "".join(json.dumps(case["text"]) + "\n" for case in cases)
    done = subprocess.run([ingle, "tokenize", str(folder), "--jsonl", *options],
                          input=lines,
                          capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


FIELDS = {"ids": (), "ids_special": ("--add-special",), "ids_parse_special": ("--parse-special",)}


def compare(ingle, folder, name, cases, fields=FIELDS):
    for field_, options in fields.items():
        wrong = [(case["text"], ids, case[field_])
                 for case, ids in zip(cases, tokenize(ingle, folder, cases, *options))
                 if ids != case[field_]]
        assert not wrong, f"{name}: {len(wrong)} of {len(cases)} texts have other {field_}: {wrong[:2]}"


def check(ingle, golden, name):
    place = next(place for place in ("tokenizers", "tokenizers2") if (golden / place / f"{name}.json").exists())
    cases = json.loads((golden / place / f"{name}.json").read_text())["cases"]
    keys = gguf_vocabulary.read_keys(golden / place / f"ggml-vocab-{name}.gguf.gz")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_folder(folder, keys, FORMS[name])
        cases = [case for case in cases if EXCEPTIONS.get(name, "\0") not in case["text"]]
        if name in FORMED:
            cases = check_form(ingle, folder, keys, name, cases)
        compare(ingle, folder, name, cases)
        if name == "llama-spm":
            write_sentencepiece(folder, keys)
            compare(ingle, folder, name + " as tokenizer.model", cases)
    if name in LISTS:
        check_lists(ingle, keys, name, cases)
    print(f"{name}: {len(cases)} texts")


def main():
    ingle, golden, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    if not golden.exists():
        print(f"no golden vectors in {golden}")
        sys.exit(77)
    for name in names or (FORMS if os.environ.get("INGLE_EVERY_CASE") else QUICK):
        check(ingle, golden, name)
    check_chatglm(ingle)
    check_qwen(ingle)
    check_tekken(ingle)


if __name__ == "__main__":
    main()
