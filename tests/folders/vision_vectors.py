#!/usr/bin/env python3
"""Makes tests/vectors/vision: small folders of Hugging Face with random weights whose models see, a picture for each,
and the rows and logits that the models' own code makes of it. It needs torch, transformers (5.24 made what lies there)
and Pillow, which no test does: vision_vectors.py FOLDER"""
import json
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers as hf
from PIL import Image

SIZE = 32
MARKS = ["<|endoftext|>", "<start_of_image>", "<end_of_image>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]
TEXT = {"vocab_size": 192, "hidden_size": SIZE, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512}
TOWER = {"hidden_size": SIZE, "intermediate_size": 48, "num_heads": 4, "spatial_merge_size": 2,
         "temporal_patch_size": 2}
HALF = ([0.5] * 3, [0.5] * 3)
CLIP = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])


def letters():
    """The first 128 bytes as GPT-2's vocabularies write them."""
    plain = list(range(33, 127))
    rest = [byte for byte in range(256) if not (33 <= byte < 127 or 161 <= byte < 173 or 174 <= byte)]
    return [chr(byte) if byte in plain else chr(256 + rest.index(byte)) for byte in range(128)]


VOCABULARY = {letter: number for number, letter in enumerate(letters())}
VOCABULARY.update({mark: 128 + number for number, mark in enumerate(MARKS)})
IMAGE = VOCABULARY["<|image_pad|>"]
TOKENIZER = {
    "version": "1.0", "normalizer": None, "post_processor": None, "decoder": {"type": "ByteLevel"},
    "added_tokens": [{"id": VOCABULARY[mark], "content": mark, "special": True, "single_word": False,
                      "lstrip": False, "rstrip": False, "normalized": False} for mark in MARKS],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True},
    "model": {"type": "BPE", "merges": ["q q"],
              "vocab": {**{word: number for word, number in VOCABULARY.items() if word not in MARKS}, "qq": 150}}}


def gemma3():
    text = {**TEXT, "head_dim": 16, "sliding_window": 64, "query_pre_attn_scalar": 16,
            "layer_types": ["sliding_attention", "full_attention"]}
    tower = {"hidden_size": SIZE, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
             "image_size": 64, "patch_size": 8, "vision_use_head": False}
    return hf.Gemma3ForConditionalGeneration(hf.Gemma3Config(
        text_config=text, vision_config=tower, mm_tokens_per_image=4, image_token_index=IMAGE,
        boi_token_index=VOCABULARY["<start_of_image>"], eoi_token_index=VOCABULARY["<end_of_image>"]))


def qwen(model, config, base, sections, text, tower):
    rope = {"rope_type": "default", "mrope_section": sections, "rope_theta": base}
    return model(config(
        text_config={**TEXT, "rope_parameters": rope, **text}, vision_config={**TOWER, **tower}, image_token_id=IMAGE,
        video_token_id=191, vision_start_token_id=VOCABULARY["<|vision_start|>"],
        vision_end_token_id=VOCABULARY["<|vision_end|>"]))


def qwen2_vl():
    return qwen(hf.Qwen2VLForConditionalGeneration, hf.Qwen2VLConfig, 1e6, [2, 1, 1], {},
                {"depth": 2, "embed_dim": SIZE, "mlp_ratio": 2, "patch_size": 14})


def qwen2_5_vl():
    return qwen(hf.Qwen2_5_VLForConditionalGeneration, hf.Qwen2_5_VLConfig, 1e6, [2, 1, 1], {},
                {"depth": 3, "patch_size": 14, "window_size": 112, "fullatt_block_indexes": [1],
                 "out_hidden_size": SIZE})


def qwen3_vl():
    return qwen(hf.Qwen3VLForConditionalGeneration, hf.Qwen3VLConfig, 5e6, [4, 2, 2],
                {"num_hidden_layers": 3, "head_dim": 16},
                {"depth": 2, "patch_size": 16, "num_position_embeddings": 36, "deepstack_visual_indexes": [0],
                 "out_hidden_size": SIZE})


def fill(model, seed):
    """Random numbers that BF16 holds exactly."""
    random = torch.Generator().manual_seed(seed)
    adds_one = isinstance(model, hf.Gemma3ForConditionalGeneration)
    with torch.no_grad():
        for name, values in model.named_parameters():
            drawn = torch.randn(values.shape, generator=random)
            if values.ndim == 1:
                is_zero = name.endswith("bias") or (adds_one and "vision_tower" not in name)
                drawn = drawn * 0.1 + (0 if is_zero else 1)
            else:
                drawn = drawn / values[0].numel()**0.5 * (3 if "embed_tokens" in name else 1)
            values.copy_(drawn.to(torch.bfloat16).float())


def picture(width, height):
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 255 // width, y * 255 // height, (x // 7 + y // 5) * 37 % 256], -1).astype(np.uint8)


def patches(pixels, side):
    """Pixels [height, width, 3] in the order of Qwen's towers: squares of four patches, two equal frames."""
    height, width = pixels.shape[0] // side, pixels.shape[1] // side
    frames = np.stack([pixels.transpose(2, 0, 1)] * 2)
    cut = frames.reshape(1, 2, 3, height // 2, 2, side, width // 2, 2, side).transpose(0, 3, 6, 4, 7, 2, 1, 5, 8)
    return torch.tensor(cut.reshape(height * width, -1)), torch.tensor([[1, height, width]])


def encoded(text):
    return [VOCABULARY[letters()[byte]] for byte in text.encode()]


def make(folder, model, size, norm, marks):
    pixels = picture(*size)
    normal = ((pixels / 255.0 - norm[0]) / norm[1]).astype(np.float32)
    is_gemma = isinstance(model, hf.Gemma3ForConditionalGeneration)
    if is_gemma:
        seen = {"pixel_values": torch.tensor(normal.transpose(2, 0, 1)[None])}
        features = model.model.get_image_features(seen["pixel_values"])
    else:
        values, grid = patches(normal, model.config.vision_config.patch_size)
        seen = {"pixel_values": values, "image_grid_thw": grid}
        features = model.model.get_image_features(values, grid)
    rows = features.pooler_output
    rows = torch.cat(list(rows)) if isinstance(rows, (list, tuple)) else rows
    rows = rows.reshape(-1, SIZE)
    count = len(rows)
    deep = [layer for layer in (getattr(features, "deepstack_features", None) or [])]
    deep = [layer[0] if isinstance(layer, (list, tuple)) else layer for layer in deep]
    rows = torch.cat([rows, *[layer.reshape(-1, SIZE) for layer in deep]], 1)
    ids = encoded("see ") + [VOCABULARY[marks[0]]] + [IMAGE] * count + [VOCABULARY[marks[1]]] + encoded(" tell")
    tokens = torch.tensor([ids])
    seen["token_type_ids" if is_gemma else "mm_token_type_ids"] = (tokens == IMAGE).int()
    logits = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), **seen).logits[0]
    logits = logits[[place for place, token in enumerate(ids) if token != IMAGE]]

    shutil.rmtree(folder, ignore_errors=True)
    model.to(torch.bfloat16).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    if norm is CLIP:
        (folder / "preprocessor_config.json").write_text(json.dumps({"image_mean": norm[0], "image_std": norm[1]}))
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER, ensure_ascii=False, separators=(",", ":")))
    Image.fromarray(pixels).save(folder / "picture.png", optimize=True)
    for name, numbers in (("rows", rows), ("logits", logits)):
        numbers.numpy().astype("<f4").tofile(folder / f"{name}.f32")


def main():
    out = pathlib.Path(sys.argv[1])
    gemma, qwens = ("<start_of_image>", "<end_of_image>"), ("<|vision_start|>", "<|vision_end|>")
    kinds = [(gemma3, (64, 64), HALF, gemma), (qwen2_vl, (140, 84), CLIP, qwens),
             (qwen2_5_vl, (168, 140), CLIP, qwens), (qwen3_vl, (160, 96), HALF, qwens)]
    for seed, (build, size, norm, marks) in enumerate(kinds, 3):
        model = build().eval().float()
        fill(model, seed)
        with torch.no_grad():
            make(out / build.__name__, model, size, norm, marks)


if __name__ == "__main__":
    main()
