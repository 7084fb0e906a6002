"""Writing and reading llama2.c's checkpoints and tokenizer.bin, as export.py writes them and run.c and runq.c read
them."""
import struct

import numpy as np

f32 = np.float32
KEYS = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
        "vocab_size", "max_position_embeddings")
LAYER = ("input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
         "post_attention_layernorm", "mlp.gate_proj", "mlp.down_proj", "mlp.up_proj")


def order(config, version):
    """Names of tensors in the order of the file; None: the tables of cosines and sines."""
    def stacked(name):
        return [f"model.layers.{i}.{name}.weight" for i in range(config["num_hidden_layers"])]
    norms = [stacked("input_layernorm"), stacked("post_attention_layernorm"), ["model.norm.weight"]]
    table, output = ["model.embed_tokens.weight"], [] if config["tie_word_embeddings"] else ["lm_head.weight"]
    if version == 0:
        return sum([table] + [stacked(name) for name in LAYER], []) + norms[2] + [None] + output
    return sum(norms + [table] + [stacked(name) for name in LAYER if "norm" not in name], []) + output


def quantised(values, group):
    """export.py: quantize_q80."""
    parts = np.asarray(values, f32).reshape(-1, group)
    scale = (np.abs(parts).max(1) / f32(127)).astype(f32)
    q = np.round(parts / np.where(scale > 0, scale, f32(1))[:, None]).astype(np.int8)
    return q, scale


def header(config, version, group):
    fields = [config[key] for key in KEYS]
    if version == 0:
        fields[5] *= 1 if config["tie_word_embeddings"] else -1
        return struct.pack("<7i", *fields)
    return (struct.pack("<Ii7iBi", 0x616B3432, version, *fields, config["tie_word_embeddings"],
                        group)).ljust(256, b"\0")


def write(path, config, tensors, version, group=64):
    out = header(config, version, group)
    for name in order(config, version):
        if name is None:
            out += b"\0" * (4 * config["max_position_embeddings"] * config["hidden_size"] //
                            config["num_attention_heads"])
        elif version == 2 and "norm" not in name:
            q, scale = quantised(tensors[name], group)
            out += q.tobytes() + scale.tobytes()
        else:
            out += np.asarray(tensors[name], f32).tobytes()
    path.write_bytes(out)


def read(path, mistake=None):
    """config, tensors in float32, the version and, of version 2, integers and scales by name."""
    data, version, group, at = path.read_bytes(), 0, 0, 28
    fields = struct.unpack("<7i", data[:28])
    shared = fields[5] > 0
    if struct.unpack("<I", data[:4])[0] == 0x616B3432:
        version, *fields = struct.unpack("<i7i", data[4:36])
        shared, group, at = bool(data[36]), struct.unpack("<i", data[37:41])[0], 256
    config = dict(zip(KEYS, map(abs, fields)), rms_norm_eps=1e-5, tie_word_embeddings=shared)
    dim, hidden, heads, kv_heads = (config[KEYS[i]] for i in (0, 1, 3, 4))
    kv = dim // heads * kv_heads
    rows = {"self_attn.k_proj": kv, "self_attn.v_proj": kv, "mlp.gate_proj": hidden, "mlp.up_proj": hidden}
    tensors, packed = {}, {}
    for name in order(config, version):
        if name is None:
            at += 4 * config["max_position_embeddings"] * dim // heads
            continue
        columns = hidden if "down_proj" in name else dim
        short = name[:-7].split(".", 3)[-1]
        count = 1 if "norm" in name else config[
            "vocab_size"] if "model.embed" in name or "lm_head" in name else rows.get(short, dim)
        shape = (count, columns) if "norm" not in name else (columns,)
        size = int(np.prod(shape))
        if version == 2 and "norm" not in name:
            q, scale = np.frombuffer(data, np.int8, size, at), np.frombuffer(data, "<f4", size // group, at + size)
            at += size + size // group * 4
            packed[name] = q, scale
            scales = np.roll(scale, 1) if mistake == "scales of the group before" else scale
            tensors[name] = (q.astype(f32).reshape(-1, group) * scales[:, None]).reshape(shape)
        else:
            tensors[name] = np.frombuffer(data, "<f4", size, at).reshape(shape)
            at += 4 * size
    assert at == len(data), "the file has another size than its header says"
    return config, tensors, version, packed


def read_tokenizer(path, count):
    data, at, pieces = path.read_bytes(), 4, []
    longest = struct.unpack("<I", data[:4])[0]
    for _ in range(count):
        score, length = struct.unpack_from("<fi", data, at)
        pieces.append((data[at + 8:at + 8 + length], score))
        at += 8 + length
    assert at == len(data) and longest == max(len(piece) for piece, _ in pieces)
    return pieces
