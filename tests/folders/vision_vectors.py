#!/usr/bin/env python3
"""Makes tests/vectors/vision: small folders of Hugging Face with random weights whose models see, a picture for each,
and the rows and logits that the models' own code makes of it. It needs torch, transformers (5.24 made what lies there)
and Pillow, which no test does: vision_vectors.py FOLDER [MODEL…]"""
import json
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers as hf
from PIL import Image

SIZE = 32
MARKS = ["<|endoftext|>", "<start_of_image>", "<end_of_image>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
         "[IMG_BREAK]", "[IMG_END]", "<img>", "</img>", "<|image>", "<image|>", "<fake_token_around_image>",
         "<global-img>", "<row_1_col_1>", "<row_1_col_2>"]
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


def qwen3_vl_moe():
    return qwen(hf.Qwen3VLMoeForConditionalGeneration, hf.Qwen3VLMoeConfig, 5e6, [4, 2, 2],
                {"num_hidden_layers": 3, "head_dim": 16, "num_experts": 4, "num_experts_per_tok": 2,
                 "moe_intermediate_size": 24, "decoder_sparse_step": 1, "mlp_only_layers": []},
                {"depth": 2, "patch_size": 16, "num_position_embeddings": 36, "deepstack_visual_indexes": [1],
                 "out_hidden_size": SIZE})


SIGLIP = {"hidden_size": SIZE, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
          "image_size": 64, "patch_size": 8}
MISTRAL = {**TEXT, "model_type": "mistral", "sliding_window": None, "rms_norm_eps": 1e-5}


def idefics3():
    return hf.Idefics3ForConditionalGeneration(hf.Idefics3Config(
        text_config={**TEXT, "model_type": "llama"}, vision_config=SIGLIP, scale_factor=2, image_token_id=IMAGE,
        tie_word_embeddings=False))


def smolvlm():
    return hf.SmolVLMForConditionalGeneration(hf.SmolVLMConfig(
        text_config={**TEXT, "model_type": "llama"}, vision_config=SIGLIP, scale_factor=4, image_token_id=IMAGE,
        tie_word_embeddings=False))


def pixtral():
    tower = {**SIGLIP, "model_type": "pixtral", "image_size": 128, "hidden_act": "silu"}
    return hf.LlavaForConditionalGeneration(hf.LlavaConfig(
        text_config=MISTRAL, vision_config=tower, image_token_index=IMAGE, vision_feature_layer=-1,
        vision_feature_select_strategy="full", tie_word_embeddings=False))


def mistral3():
    tower = {**SIGLIP, "model_type": "pixtral", "image_size": 128, "hidden_act": "gelu"}
    return hf.Mistral3ForConditionalGeneration(hf.Mistral3Config(
        text_config=MISTRAL, vision_config=tower, image_token_index=IMAGE, spatial_merge_size=2,
        tie_word_embeddings=False))


def llava():
    tower = {**SIGLIP, "model_type": "clip_vision_model", "num_hidden_layers": 3, "projection_dim": SIZE}
    return hf.LlavaForConditionalGeneration(hf.LlavaConfig(
        text_config={**TEXT, "model_type": "llama"}, vision_config=tower, image_token_index=IMAGE,
        tie_word_embeddings=False))


def llava_next():
    tower = {**SIGLIP, "model_type": "clip_vision_model", "num_hidden_layers": 3, "projection_dim": SIZE}
    return hf.LlavaNextForConditionalGeneration(hf.LlavaNextConfig(
        text_config=MISTRAL, vision_config=tower, image_token_index=IMAGE,
        image_grid_pinpoints=[[64, 128], [128, 64], [128, 128]], tie_word_embeddings=False))


def internvl():
    tower = {**SIGLIP, "image_size": [64, 64], "patch_size": [8, 8], "attention_bias": True}
    return hf.InternVLForConditionalGeneration(hf.InternVLConfig(
        text_config={**TEXT, "model_type": "qwen2", "tie_word_embeddings": False}, vision_config=tower,
        image_token_id=IMAGE, tie_word_embeddings=False))


def gemma4():
    text = {**TEXT, "head_dim": 16, "global_head_dim": 32, "sliding_window": 64, "vocab_size_per_layer_input": 192,
            "hidden_size_per_layer_input": 0, "layer_types": ["sliding_attention", "full_attention"]}
    tower = {"hidden_size": SIZE, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
             "num_key_value_heads": 4, "head_dim": 8, "patch_size": 8, "pooling_kernel_size": 3,
             "position_embedding_size": 80, "use_clipped_linears": True}
    return hf.Gemma4ForConditionalGeneration(hf.Gemma4Config(
        text_config=text, vision_config=tower, audio_config=None, image_token_id=IMAGE,
        boi_token_id=VOCABULARY["<|image>"], eoi_token_id=VOCABULARY["<image|>"]))


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
        for name, values in model.named_buffers():
            for end, number in (("_min", -1.5), ("_max", 1.25), ("layer_scalar", 0.75)):
                if name.endswith(end):
                    values.fill_(number)


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
    """A text in which marks may be."""
    ids = []
    while text:
        mark = next((mark for mark in MARKS if text.startswith(mark)), None)
        ids += [VOCABULARY[mark]] if mark else [VOCABULARY[letters()[ord(text[0])]]]
        text = text[len(mark) if mark else 1:]
    return ids


def channels_first(pixels):
    return torch.tensor(np.ascontiguousarray(pixels.transpose(2, 0, 1)))


def resized(pixels, size, filter):
    return np.array(Image.fromarray(pixels).resize(size, filter))


# What a model sees of a picture: arguments of its forward pass, rows, and the ids that stand for it.

def see_gemma3(model, pixels, normal):
    seen = {"pixel_values": channels_first(normal(pixels))[None]}
    rows = model.model.get_image_features(seen["pixel_values"]).pooler_output
    rows = rows.reshape(-1, SIZE)
    return seen, rows, encoded("<start_of_image>") + [IMAGE] * len(rows) + encoded("<end_of_image>")


def see_qwen(model, pixels, normal):
    values, grid = patches(normal(pixels), model.config.vision_config.patch_size)
    seen = {"pixel_values": values, "image_grid_thw": grid}
    features = model.model.get_image_features(values, grid)
    rows = features.pooler_output
    rows = torch.cat(list(rows)) if isinstance(rows, (list, tuple)) else rows
    rows = rows.reshape(-1, SIZE)
    deep = [layer for layer in (getattr(features, "deepstack_features", None) or [])]
    deep = [layer[0] if isinstance(layer, (list, tuple)) else layer for layer in deep]
    wide = torch.cat([rows, *[layer.reshape(-1, SIZE) for layer in deep]], 1)
    return seen, wide, encoded("<|vision_start|>") + [IMAGE] * len(rows) + encoded("<|vision_end|>")


def see_idefics3(model, pixels, normal):
    """Tiles of 64 pixels, and all of it; a picture of one tile is not cut."""
    side = model.config.vision_config.image_size
    height, width = pixels.shape[0] // side, pixels.shape[1] // side
    tiles = [pixels[y * side:(y + 1) * side, x * side:(x + 1) * side] for y in range(height) for x in range(width)]
    marks = [f"<fake_token_around_image><row_{y + 1}_col_{x + 1}>" for y in range(height) for x in range(width)]
    if len(tiles) > 1:
        tiles.append(resized(pixels, (side, side), Image.Resampling.LANCZOS))
        marks.append("\n\n<fake_token_around_image><global-img>")
    else:
        marks = ["<fake_token_around_image><global-img>"]
    seen = {"pixel_values": torch.stack([channels_first(normal(tile)) for tile in tiles])[None]}
    rows = torch.cat(list(model.model.get_image_features(seen["pixel_values"]).pooler_output)).reshape(-1, SIZE)
    each = len(rows) // len(tiles)
    ids = [id for mark in marks for id in encoded(mark) + [IMAGE] * each]
    return seen, rows, ids + encoded("<fake_token_around_image>")


def see_pixtral(model, pixels, normal):
    """Lines of rows, between which the text model's own embedding of a token stands."""
    merge = getattr(model.config, "spatial_merge_size", 1)
    unit = model.config.vision_config.patch_size * merge
    height, width = pixels.shape[0] // unit, pixels.shape[1] // unit
    seen = {"pixel_values": channels_first(normal(pixels))[None], "image_sizes": torch.tensor([pixels.shape[:2]])}
    rows = model.model.get_image_features(**seen).pooler_output
    rows = torch.cat(list(rows)).reshape(height, width, SIZE)
    end = model.get_input_embeddings().weight[VOCABULARY["[IMG_BREAK]"]]
    lines = [part for line in rows for part in (line, end[None])][:-1]
    ids = (([IMAGE] * width + encoded("[IMG_BREAK]")) * height)[:-1]
    return seen, torch.cat(lines), ids + encoded("[IMG_END]")


def see_llava(model, pixels, normal):
    """The middle of a picture whose shorter side is as long as the tower wants it."""
    left = (pixels.shape[1] - pixels.shape[0]) // 2
    seen = {"pixel_values": channels_first(normal(pixels[:, left:left + pixels.shape[0]]))[None]}
    rows = torch.cat(list(model.model.get_image_features(seen["pixel_values"]).pooler_output)).reshape(-1, SIZE)
    return seen, rows, [IMAGE] * len(rows)


def see_llava_next(model, pixels, normal):
    """All of it, and tiles of a wider square, in which it is padded."""
    side = model.config.vision_config.image_size
    height, width = pixels.shape[0], pixels.shape[1]
    wide = np.zeros((side, 2 * side, 3), np.uint8)
    fitting = resized(pixels, (2 * side, -(-height * 2 * side // width)), Image.Resampling.BICUBIC)
    top = (side - fitting.shape[0]) // 2
    wide[top:top + fitting.shape[0]] = fitting
    tiles = [resized(pixels, (side, side), Image.Resampling.BICUBIC), wide[:, :side], wide[:, side:]]
    seen = {"pixel_values": torch.stack([channels_first(normal(tile)) for tile in tiles])[None],
            "image_sizes": torch.tensor([[height, width]])}
    rows = torch.cat(list(model.model.get_image_features(**seen).pooler_output)).reshape(-1, SIZE)
    return seen, rows, [IMAGE] * len(rows)


def see_internvl(model, pixels, normal):
    side = model.config.vision_config.image_size[0]
    tiles = [pixels[:, x:x + side] for x in range(0, pixels.shape[1], side)]
    tiles.append(resized(pixels, (side, side), Image.Resampling.BICUBIC))
    seen = {"pixel_values": torch.stack([channels_first(normal(tile)) for tile in tiles])}
    rows = model.model.get_image_features(seen["pixel_values"]).pooler_output.reshape(-1, SIZE)
    return seen, rows, encoded("<img>") + [IMAGE] * len(rows) + encoded("</img>")


def see_gemma4(model, pixels, normal):
    side = model.config.vision_config.patch_size
    height, width = pixels.shape[0] // side, pixels.shape[1] // side
    cut = (pixels / 255.0).astype(np.float32).reshape(height, side, width, side, 3).transpose(0, 2, 1, 3, 4)
    places = [[x, y] for y in range(height) for x in range(width)]
    seen = {"pixel_values": torch.tensor(cut.reshape(1, height * width, -1)),
            "image_position_ids": torch.tensor([places])}
    rows = torch.cat(list(model.model.get_image_features(**seen).pooler_output)).reshape(-1, SIZE)
    return seen, rows, encoded("<|image>") + [IMAGE] * len(rows) + encoded("<image|>")


def make(folder, model, size, norm, see, pixel_rules):
    pixels = picture(*size)
    seen, rows, between = see(model, pixels, lambda values: ((values / 255.0 - norm[0]) / norm[1]).astype(np.float32))
    ids = encoded("see ") + between + encoded(" tell")
    tokens = torch.tensor([ids])
    if see in (see_gemma3, see_qwen, see_gemma4):
        seen["token_type_ids" if see is see_gemma3 else "mm_token_type_ids"] = (tokens == IMAGE).int()
    logits = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), **seen).logits[0]
    of_pictures = (IMAGE, VOCABULARY["[IMG_BREAK]"])
    logits = logits[[place for place, token in enumerate(ids) if token not in of_pictures]]

    shutil.rmtree(folder, ignore_errors=True)
    model.to(torch.bfloat16).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    if norm is not HALF or pixel_rules:
        rules = {"image_mean": norm[0], "image_std": norm[1], **pixel_rules}
        (folder / "preprocessor_config.json").write_text(json.dumps(rules))
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER, ensure_ascii=False, separators=(",", ":")))
    Image.fromarray(pixels).save(folder / "picture.png", optimize=True)
    for name, numbers in (("rows", rows), ("logits", logits)):
        numbers.numpy().astype("<f4").tofile(folder / f"{name}.f32")


KINDS = [(gemma3, (64, 64), HALF, see_gemma3, {}), (qwen2_vl, (140, 84), CLIP, see_qwen, {}),
         (qwen2_5_vl, (168, 140), CLIP, see_qwen, {}), (qwen3_vl, (160, 96), HALF, see_qwen, {}),
         (qwen3_vl_moe, (96, 64), HALF, see_qwen, {"size": {"shortest_edge": 1024, "longest_edge": 16384}}),
         (idefics3, (128, 64), HALF, see_idefics3,
          {"size": {"longest_edge": 128}, "max_image_size": {"longest_edge": 64}}),
         (smolvlm, (64, 64), HALF, see_idefics3,
          {"size": {"longest_edge": 128}, "max_image_size": {"longest_edge": 64}, "do_image_splitting": False}),
         (pixtral, (96, 64), CLIP, see_pixtral, {"size": {"longest_edge": 96}}),
         (mistral3, (96, 64), CLIP, see_pixtral, {"size": {"longest_edge": 128}}),
         (llava, (96, 64), CLIP, see_llava, {"size": {"shortest_edge": 64}, "do_center_crop": True}),
         (internvl, (128, 64), CLIP, see_internvl, {"min_patches": 1, "max_patches": 6}),
         (gemma4, (96, 48), ([0] * 3, [1] * 3), see_gemma4, {"max_soft_tokens": 8}),
         (llava_next, (150, 50), CLIP, see_llava_next, {})]


def main():
    out = pathlib.Path(sys.argv[1])
    for seed, (build, size, norm, see, pixel_rules) in enumerate(KINDS, 3):
        if sys.argv[2:] and build.__name__ not in sys.argv[2:]:
            continue
        model = build().eval().float()
        fill(model, seed)
        with torch.no_grad():
            make(out / build.__name__, model, size, norm, see, pixel_rules)


if __name__ == "__main__":
    main()
