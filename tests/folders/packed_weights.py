"""Packed weights of Hugging Face's folders: what writers store for a random matrix, and what the stored tensors stand
for.

The evaluators read tensors by their names and the definitions of GPTQ, AutoAWQ, transformers' finegrained_fp8 and
mxfp4, compressed-tensors, MLX, bitsandbytes and Model Optimizer, in float32, where every product is exact or rounded
once. `mistake` makes the one error that each scheme invites. Tensors are (kind, array) pairs.
"""
import json
import struct
import zlib

import numpy as np

NUMPY = {
    "F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I32": np.int32, "I64": np.int64, "I8": np.int8,
    "U8": np.uint8, "U32": np.uint32, "F8_E4M3": np.uint8
}


def write(path, tensors):
    header, pieces, at = {}, [], 0
    for name, (kind, values) in tensors.items():
        data = np.ascontiguousarray(values, NUMPY[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(np.shape(values)), "data_offsets": [at, at + len(data)]}
        pieces.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(pieces))


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = entry["dtype"], np.frombuffer(data[begin:end], NUMPY[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def floats(stored):
    kind, values = stored
    if kind == "BF16":
        return (np.asarray(values, np.uint32)[..., None] << 16).view(np.float32)[..., 0]
    return values.astype(np.float32)


def scales(random, shape, kind, bits=4):
    """Positive numbers of about 0.02, or less for more bits, as a kind of 16 bits has them."""
    values = (random.uniform(0.01, 0.03, shape) / 2 ** (bits - 4)).astype(np.float32)
    return kind, (values.view(np.uint32) >> 16).astype(np.uint16) if kind == "BF16" else values.astype(np.float16)


def words(levels, bits):
    """Packs along the first axis, the first of each word lowest; what does not fit goes on in the next word."""
    out = np.zeros((-(-len(levels) * bits // 32) + 1, *levels.shape[1:]), np.uint64)
    for i, level in enumerate(levels.astype(np.uint64)):
        both = level << np.uint64(i * bits % 32)
        out[i * bits // 32] |= both & np.uint64(0xFFFFFFFF)
        out[i * bits // 32 + 1] |= both >> np.uint64(32)
    return "I32", out[:-1].astype(np.uint32).view(np.int32)


def fields(stored, bits, count):
    """The reverse."""
    last = np.zeros((1, *stored[1].shape[1:]), np.uint32)
    packed = np.concatenate([stored[1].view(np.uint32), last]).astype(np.uint64)
    out = [(packed[i * bits // 32] | packed[i * bits // 32 + 1] << np.uint64(32)) >> np.uint64(i * bits % 32)
           for i in range(count)]
    return (np.stack(out) & np.uint64((1 << bits) - 1)).astype(np.int32)


def order(module, index):
    """Scatters groups over the columns: alike where matrices have the same input, experts each in their own way."""
    of = module if ".experts." in module else str(len(index))
    np.random.default_rng(zlib.crc32(of.encode())).shuffle(index)


class Gptq:
    def __init__(self, bits=4, group=128, order=False, version="gptq", kind="F16", without_index=False,
                 autoround=False):
        self.bits, self.group, self.order, self.version, self.kind = bits, group, order, version, kind
        self.without_index = without_index
        self.config = {
            "quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": order, "checkpoint_format": version,
            "sym": False
        }
        if autoround:
            self.config = {"quant_method": "auto-round", "packing_format": "auto_round:auto_gptq", "bits": bits,
                           "group_size": group, "sym": False}

    def pack(self, random, module, rows, columns):
        group = columns if self.group == -1 else self.group
        count = -(-columns // group)
        index = np.arange(columns) // group
        if self.order:
            order(module, index)
        zeros = random.integers(0, 1 << self.bits, (count, rows)).astype(np.uint32)
        written = (zeros - (self.version == "gptq")) & ((1 << self.bits) - 1)
        tensors = {
            module + ".qweight": words(
                random.integers(0, 1 << self.bits, (columns, rows)).astype(np.uint32),
                self.bits), module + ".qzeros": ("I32", words(written.T, self.bits)[1].T.copy()),
            module + ".scales": scales(random, (count, rows), self.kind, self.bits)
        }
        if not self.without_index:
            tensors[module + ".g_idx"] = "I32", index.astype(np.int32)
        return tensors

    def evaluate(self, stored, config, module, mistake=False):
        settings = config["quantization_config"]
        bits = settings["bits"]
        rows = stored[module + ".qweight"][1].shape[1]
        columns = stored[module + ".qweight"][1].shape[0] * 32 // bits
        levels = fields(stored[module + ".qweight"], bits, columns)
        zeros = fields(("I32", stored[module + ".qzeros"][1].T.copy()), bits, rows).T
        if (settings.get("checkpoint_format", "gptq") == "gptq") != mistake:
            zeros = (zeros + 1) % (1 << bits)
        group = settings["group_size"] if settings["group_size"] > 0 else columns
        index = stored[module + ".g_idx"][1] if module + ".g_idx" in stored else np.arange(columns) // group
        return (floats(stored[module + ".scales"])[index] * (levels - zeros[index]).astype(np.float32)).T

    suffix, unpacked = ".qweight", ".weight"


class Awq:
    def __init__(self, group=128, kind="F16"):
        self.group, self.kind = group, kind
        self.config = {"quant_method": "awq", "bits": 4, "group_size": group, "zero_point": True, "version": "gemm"}

    def neighbours(self, levels):
        """Eight neighbours of the last axis in a word: packing_utils.py's AWQ_ORDER."""
        packed = np.zeros((*levels.shape[:-1], levels.shape[-1] // 8), np.uint32)
        for i, neighbour in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
            packed |= levels[..., neighbour::8].astype(np.uint32) << np.uint32(4 * i)
        return "I32", packed.view(np.int32)

    def pack(self, random, module, rows, columns):
        count = columns // self.group
        return {module + ".qweight": self.neighbours(random.integers(0, 16, (columns, rows))),
                module + ".qzeros": self.neighbours(random.integers(0, 16, (count, rows))),
                module + ".scales": scales(random, (count, rows), self.kind)}

    def evaluate(self, stored, config, module, mistake=False):
        # AWQ_REVERSE_ORDER: which field is that of each neighbour.
        order = range(8) if mistake else (0, 4, 1, 5, 2, 6, 3, 7)

        def unpack(name):
            packed = stored[module + name][1].view(np.uint32)
            return np.stack([packed >> np.uint32(4 * i) & np.uint32(15) for i in order],
                            -1).reshape(len(packed), -1).astype(np.int32)
        group = config["quantization_config"]["group_size"]
        levels, zeros, factors = unpack(".qweight"), unpack(".qzeros"), floats(stored[module + ".scales"])
        return (np.repeat(factors, group, 0) * (levels - np.repeat(zeros, group, 0)).astype(np.float32)).T

    suffix, unpacked = ".qweight", ".weight"


class PackQuantized:
    """compressed-tensors' pack_to_int32."""
    def __init__(self, bits=4, group=128, symmetric=True, order=False, kind="BF16"):
        self.bits, self.group, self.symmetric, self.order, self.kind = bits, group, symmetric, order, kind
        self.config = {
            "quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {
                "group_0": {
                    "targets": ["Linear"], "weights": {
                        "num_bits": bits, "type": "int", "symmetric": symmetric, "group_size": group,
                        "strategy": "group"
                    }
                }
            }
        }

    def pack(self, random, module, rows, columns):
        count = 1 if self.group == -1 else columns // self.group
        levels = random.integers(0, 1 << self.bits, (rows, columns)).astype(np.uint32)
        tensors = {module + ".weight_packed": ("I32", words(levels.T, self.bits)[1].T.copy()),
                   module + ".weight_shape": ("I64", np.array([rows, columns])),
                   module + ".weight_scale": scales(random, (rows, count), self.kind, self.bits)}
        if not self.symmetric:
            tensors[module + ".weight_zero_point"] = words(
                random.integers(0, 1 << self.bits, (rows, count)).astype(np.uint32), self.bits)
        if self.order:
            index = np.arange(columns) // self.group
            order(module, index)
            tensors[module + ".weight_g_idx"] = "I32", index.astype(np.int32)
        return tensors

    def evaluate(self, stored, config, module, mistake=False):
        bits = config["quantization_config"]["config_groups"]["group_0"]["weights"]["num_bits"]
        rows, columns = stored[module + ".weight_shape"][1]
        half = (1 << bits) // 2 - mistake
        levels = fields(("I32", stored[module + ".weight_packed"][1].T.copy()), bits, columns).T - half
        factors = floats(stored[module + ".weight_scale"])
        zeros = np.zeros(factors.shape, np.int32)
        if module + ".weight_zero_point" in stored:
            zeros = fields(stored[module + ".weight_zero_point"], bits, rows) - (1 << bits) // 2
        index = np.arange(columns) // (columns // factors.shape[1])
        if module + ".weight_g_idx" in stored:
            index = stored[module + ".weight_g_idx"][1]
        return factors[:, index] * (levels - zeros[:, index]).astype(np.float32)

    suffix, unpacked = ".weight_packed", ".weight"


class IntQuantized:
    """compressed-tensors' bytes, with a scale for each row."""
    def __init__(self):
        self.config = {"quant_method": "compressed-tensors", "format": "int-quantized"}

    def pack(self, random, module, rows, columns):
        return {module + ".weight": ("I8", random.integers(-128, 128, (rows, columns))),
                module + ".weight_scale": scales(random, (rows, 1), "BF16", 8)}

    def evaluate(self, stored, config, module, mistake=False):
        levels = stored[module + ".weight"][1].astype(np.uint8 if mistake else np.int8)
        return floats(stored[module + ".weight_scale"]) * levels.astype(np.float32)

    suffix, unpacked = ".weight", ".weight"


def e4m3(bits):
    exponent, fraction = (bits >> 3 & 15).astype(np.int32), (bits & 7).astype(np.float32)
    values = np.where(exponent > 0, np.ldexp(1 + fraction / 8, exponent - 7), np.ldexp(fraction / 8, -6))
    return np.where(bits & 0x80, -values, values).astype(np.float32)


class Fp8:
    """granularity: "block" (128 × 128), "row", "tensor" or "inverse" (one, with a scale of activations as Mistral
    writes it); as the method writes it."""
    def __init__(self, granularity="block", method="fp8"):
        self.granularity, self.method = granularity, method
        self.config = {"quant_method": method}
        if method == "compressed-tensors":
            self.config["format"] = "float-quantized"
        elif granularity == "block":
            self.config["weight_block_size"] = [128, 128]
        elif granularity == "inverse":
            self.config.update(weight_block_size=None, activation_scheme="static")

    def pack(self, random, module, rows, columns):
        bits = random.integers(0, 256, (rows, columns)).astype(np.uint8)
        bits[bits & 0x7F == 0x7F] = 0
        # Smaller ones: seven bits of exponent and fraction below 2.
        bits &= 0xBF
        shapes = {"block": (-(-rows // 128), -(-columns // 128)), "row": (rows, 1), "tensor": (), "inverse": ()}
        name = ".weight_scale_inv" if self.granularity in ("block", "inverse") else ".weight_scale"
        kind = "F32" if self.granularity in ("block", "tensor") else "BF16"
        factors = random.uniform(0.05, 0.1, shapes[self.granularity]).astype(np.float32)
        if kind == "BF16":
            factors = (factors.view(np.uint32) >> 16).astype(np.uint16)
        return {
            module + ".weight": ("F8_E4M3", bits), module + name: (kind, factors),
            module + (".activation_scale" if self.granularity == "inverse" else ".input_scale"): ("F32", np.float32(1))
        }

    def evaluate(self, stored, config, module, mistake=False):
        values = e4m3(stored[module + ".weight"][1])
        if self.granularity == "block":
            factors = floats(stored[module + ".weight_scale_inv"])
            if mistake:
                factors = factors[::-1, ::-1]
            factors = np.repeat(np.repeat(factors, 128, 0), 128, 1)[:values.shape[0], :values.shape[1]]
        else:
            name = ".weight_scale_inv" if self.granularity == "inverse" else ".weight_scale"
            factors = floats(stored[module + name])
            factors = 1 / factors if mistake else factors
        return values * factors

    suffix, unpacked = ".weight", ".weight"


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


class Mxfp4:
    """[experts, rows, columns] as gpt-oss has them."""
    config = {"quant_method": "mxfp4"}
    suffix, unpacked = "_blocks", ""

    def pack(self, random, name, experts, rows, columns):
        return {name + "_blocks": ("U8", random.integers(0, 256, (experts, rows, columns // 32, 16))),
                name + "_scales": ("U8", random.integers(121, 124, (experts, rows, columns // 32)))}

    def evaluate(self, stored, config, name, mistake=False):
        blocks, exponents = stored[name + "_blocks"][1], stored[name + "_scales"][1].astype(np.int32)
        halves = (blocks & 15, blocks >> 4)
        levels = np.concatenate(halves, -1) if mistake else np.stack(halves, -1).reshape(*blocks.shape[:3], 32)
        values = np.ldexp(FP4[levels], exponents[..., None] - 127)
        return values.reshape(*blocks.shape[:2], -1).astype(np.float32)


def halves(packed, high_first=False):
    """The two levels of each byte of the last axis."""
    two = (packed >> 4, packed & 15) if high_first else (packed & 15, packed >> 4)
    return np.stack(two, -1).reshape(*packed.shape[:-1], -1)


class Nvfp4:
    """As Model Optimizer writes it, or compressed-tensors, which divides by the factor."""
    def __init__(self, method="modelopt"):
        self.divides = method == "compressed-tensors"
        self.config = {"quant_method": method}
        self.config.update({"format": "nvfp4-pack-quantized"} if self.divides else {"quant_algo": "NVFP4"})
        self.suffix = ".weight_packed" if self.divides else ".weight"
        self.factor = ".weight_global_scale" if self.divides else ".weight_scale_2"
        self.companions = (self.factor, "input_scale", "input_global_scale")

    unpacked = ".weight"

    def pack(self, random, module, rows, columns):
        scale = random.integers(0x28, 0x48, (rows, columns // 16)).astype(np.uint8)
        scale[random.uniform(size=scale.shape) < 0.1] |= 0x80
        factor = np.float32(random.uniform(0.02, 0.03))
        tensors = {
            module + self.suffix: ("U8", random.integers(0, 256, (rows, columns // 2))),
            module + ".weight_scale": ("F8_E4M3", scale),
            module + self.factor: ("F32", np.array([1 / factor], np.float32) if self.divides else factor)
        }
        tensors[module + (".input_global_scale" if self.divides else ".input_scale")] = "F32", np.float32(1)
        return tensors

    def evaluate(self, stored, config, module, mistake=False):
        levels = FP4[halves(stored[module + self.suffix][1], high_first=mistake)]
        factor = floats(stored[module + self.factor]).reshape(())
        factor = np.float32(1) / factor if self.divides else factor
        # Blocks of GGUF know one zero only where the level is one.
        return levels * np.repeat(e4m3(stored[module + ".weight_scale"][1]), 16, 1) * factor + np.float32(0)


class Mlx:
    """mx.quantize() in the affine mode. Its configuration names no method."""
    key, suffix, unpacked, companions = "quantization", ".scales", ".weight", ("scales", "biases")

    def __init__(self, bits=4, group=64, kind="F16", size=1.0):
        self.bits, self.group, self.kind, self.size = bits, group, kind, size
        self.config = {"group_size": group, "bits": bits, "mode": "affine"}

    def pack(self, random, module, rows, columns):
        levels = random.integers(0, 1 << self.bits, (rows, columns)).astype(np.uint32)
        factors = scales(random, (rows, columns // self.group), self.kind, self.bits)
        biases = -floats(scales(random, factors[1].shape, "F16", self.bits)) * (1 << self.bits) / 2
        if self.kind == "BF16":
            tiny = floats(factors) * np.float32(self.size)
            factors = "BF16", (tiny.view(np.uint32) >> 16).astype(np.uint16)
            biases = (biases.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        packed = words(levels.T, self.bits)[1].T.copy().view(np.uint32)
        return {module + ".weight": ("U32", packed), module + ".scales": factors,
                module + ".biases": (self.kind, biases)}

    def evaluate(self, stored, config, module, mistake=False):
        columns = stored[module + ".scales"][1].shape[1] * self.group
        levels = fields(("I32", stored[module + ".weight"][1].T.copy().view(np.int32)), self.bits, columns).T
        factors, biases = (np.repeat(floats(stored[module + name]), self.group, 1) for name in (".scales", ".biases"))
        return factors * levels.astype(np.float32) + (-biases if mistake else biases)


class MlxFloats:
    """mx.quantize() in the modes mxfp4 and nvfp4: two levels in a byte, a scale of 8 bits, and no bias."""
    key, suffix, unpacked, companions = "quantization", ".scales", ".weight", ("scales",)

    def __init__(self, mode):
        self.group = 32 if mode == "mxfp4" else 16
        self.config = {"group_size": self.group, "bits": 4, "mode": mode}

    def pack(self, random, module, rows, columns):
        bytes_ = random.integers(0, 256, (rows, columns // 2)).astype(np.uint8)
        low, high = (121, 124) if self.group == 32 else (0x08, 0x28)
        return {module + ".weight": ("U32", bytes_.view(np.uint32)),
                module + ".scales": ("U8", random.integers(low, high, (rows, columns // self.group)))}

    def evaluate(self, stored, config, module, mistake=False):
        packed = np.ascontiguousarray(stored[module + ".weight"][1]).view(np.uint8)
        levels, scale = FP4[halves(packed, high_first=mistake)], stored[module + ".scales"][1]
        factors = np.ldexp(np.float32(1), scale.astype(np.int32) - 127) if self.group == 32 else e4m3(scale)
        # Blocks of GGUF know one zero only.
        return (levels * np.repeat(factors, self.group, 1) + np.float32(0)).astype(np.float32)


class FourBits:
    """bitsandbytes' nf4 and fp4; nested: what is largest in each block is packed, too."""
    suffix, unpacked, companions = ".weight.quant_map", ".weight", ("absmax", "quant_map")
    MAPS = {
        "nf4": np.array([
            -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
            -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
            0.24611230194568634,
            0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0
        ], np.float32),
        "fp4": np.array([0, 0.0052, 0.6667, 1, 0.3333, 0.5, 0.1667, 0.25, -0, -0.0052, -0.6667, -1, -0.3333, -0.5,
                         -0.1667, -0.25], np.float32)
    }

    def __init__(self, kind="nf4", nested=True, dtype="bfloat16"):
        self.kind, self.nested, self.dtype = kind, nested, dtype
        self.config = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": kind}

    def pack(self, random, module, rows, columns):
        name, count = module + ".weight", rows * columns // 64
        state = {"quant_type": self.kind, "blocksize": 64, "dtype": self.dtype, "shape": [rows, columns]}
        tensors = {name: ("U8", random.integers(0, 256, (rows * columns // 2, 1))),
                   name + ".quant_map": ("F32", self.MAPS[self.kind])}
        if self.nested:
            state.update(nested_blocksize=256, nested_dtype="float32", nested_offset=0.125)
            tensors[name + ".absmax"] = "U8", random.integers(0, 256, count)
            tensors[name + ".nested_absmax"] = "F32", random.uniform(0.05, 0.1, -(-count // 256))
            tensors[name + ".nested_quant_map"] = "F32", np.linspace(-1, 1, 256)
        else:
            tensors[name + ".absmax"] = "F32", random.uniform(0.05, 0.2, count)
        text = np.frombuffer(json.dumps(state).encode(), np.uint8)
        tensors[f"{name}.quant_state.bitsandbytes__{self.kind}"] = "U8", text
        return tensors

    def evaluate(self, stored, config, module, mistake=False):
        name = module + ".weight"
        text = stored[f"{name}.quant_state.bitsandbytes__{self.kind}"][1]
        state = json.loads(text.tobytes())
        largest = floats(stored[name + ".absmax"])
        if self.nested:
            nested = np.repeat(floats(stored[name + ".nested_absmax"]), 256)[:largest.size]
            largest = floats(stored[name + ".nested_quant_map"])[stored[name + ".absmax"][1]] * nested
            largest = largest + np.float32(state["nested_offset"])
        levels = halves(stored[name][1].reshape(1, -1), high_first=not mistake)[0]
        values = floats(stored[name + ".quant_map"])[levels] * np.repeat(largest, 64)
        if self.dtype == "float16":
            values = values.astype(np.float16).astype(np.float32)
        elif self.dtype == "bfloat16":
            bits = values.view(np.uint32)
            values = (bits + 0x7FFF + (bits >> 16 & 1) & np.uint32(0xFFFF0000)).view(np.float32)
        return values.reshape(state["shape"])


class EightBits:
    """bitsandbytes' LLM.int8()."""
    suffix, unpacked, companions = ".weight", ".weight", ("SCB",)
    config = {"quant_method": "bitsandbytes", "load_in_8bit": True}

    def pack(self, random, module, rows, columns):
        return {module + ".weight": ("I8", random.integers(-127, 128, (rows, columns))),
                module + ".SCB": ("F32", random.uniform(0.1, 0.3, rows)),
                module + ".weight_format": ("U8", np.uint8(0))}

    def evaluate(self, stored, config, module, mistake=False):
        factors = floats(stored[module + ".SCB"]) / np.float32(128 if mistake else 127)
        return stored[module + ".weight"][1].astype(np.float32) * factors[:, None]
