"""Files as torch.save writes them, without torch: pickles of a state dict whose storages lie beside it."""
import io
import pickle
import struct
import zipfile

import numpy as np

import safetensors_files

STORAGES = {"F32": ("FloatStorage", 4), "F16": ("HalfStorage", 2), "BF16": ("BFloat16Storage", 2),
            "F64": ("DoubleStorage", 8)}
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001


class Call:
    """Pickled as a call of a name with arguments."""

    def __init__(self, module, name, *arguments):
        self.module, self.name, self.arguments = module, name, arguments


class Name:
    def __init__(self, module, name):
        self.module, self.name = module, name


class Storage:
    def __init__(self, kind, key, count, is_legacy):
        self.id = ("storage", Name("torch", STORAGES[kind][0]), key, "cpu", count) + ((None,) if is_legacy else ())


class Pickler(pickle._Pickler):
    """Python's own pickler, with names of modules that need not be here."""

    def persistent_id(self, obj):
        return obj.id if isinstance(obj, Storage) else None

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Name):
            self.write(b"c" + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, Call):
            self.save(Name(obj.module, obj.name))
            self.save(obj.arguments)
            self.write(b"R")
        else:
            super().save(obj, save_persistent_id)


def dump(value):
    file = io.BytesIO()
    Pickler(file, 2).dump(value)
    return file.getvalue()


def state_dict(tensors, kind, is_legacy, transposed=False):
    """transposed: matrices lie column by column."""
    state, storages = {}, {}
    for number, (name, values) in enumerate(tensors.items()):
        shape = np.shape(values)
        strides = tuple(int(np.prod(shape[i + 1:])) for i in range(len(shape)))
        key = str(number + (1000 if is_legacy else 0))
        if transposed:
            strides, values = tuple(int(np.prod(shape[:i])) for i in range(len(shape))), np.transpose(values)
        storages[key] = safetensors_files.encode(values, kind)
        storage = Storage(kind, key, int(np.prod(shape)), is_legacy)
        state[name] = Call("torch._utils", "_rebuild_tensor_v2", storage, 0, tuple(shape), strides, False,
                           Call("collections", "OrderedDict"))
    return state, storages


def write_zip(path, tensors, kind="F32", transposed=False):
    state, storages = state_dict(tensors, kind, False, transposed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("model/data.pkl", dump(state))
        for key, data in storages.items():
            archive.writestr(f"model/data/{key}", data)
        archive.writestr("model/version", "3\n")


def write_legacy(path, tensors, kind="F32"):
    state, storages = state_dict(tensors, kind, True)
    data = b"".join(
        dump(value)
        for value in (MAGIC, PROTOCOL, {"protocol_version": PROTOCOL, "little_endian": True}, state, list(storages)))
    for stored in storages.values():
        data += struct.pack("<q", len(stored) // STORAGES[kind][1]) + stored
    path.write_bytes(data)
