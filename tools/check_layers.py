#!/usr/bin/env python3
"""Checks that includes between folders go in one direction only, and that what belongs to one folder stays there.

A folder is a layer. A layer may include itself and what the table lists; a folder that is not in the table is an error.
With --draw it prints a picture of the window's folders for Mermaid instead, and fails on a circle.
"""
import pathlib
import re
import subprocess
import sys

PUBLIC = {"engine/include"}
BASE = PUBLIC | {"engine/base"}
IO = BASE | {"engine/io"}
TENSOR = IO | {"engine/quant", "engine/sampling", "engine/tensor"}
FORMATS = TENSOR | {"engine/formats"}
CHECKPOINT = FORMATS | {"engine/formats/checkpoint"}
BACKEND = TENSOR | {"engine/kernels", "engine/backend"}
GRAPH = BACKEND | {"engine/graph"}
MODELS = GRAPH | FORMATS | {"engine/models"}
VISION = MODELS | {"engine/vision"}
TEXT = IO | {"engine/quant", "engine/tensor", "engine/formats", "engine/tokenizer"}
IMPORT = TEXT | {"engine/kernels", "engine/chat", "engine/import"} | CHECKPOINT | {"engine/formats/fastllm"}
VULKAN = "engine/backend/vulkan/"
SUBSTRATE = BACKEND | {VULKAN + "substrate"}
MATVEC = SUBSTRATE | {VULKAN + "weights", VULKAN + "matvec"}
RECORDING = MATVEC | {VULKAN + "memory", VULKAN + "recording"}
DEVICES = MODELS | {
    "engine/backend/cpu", VULKAN + "substrate", VULKAN + "trial", VULKAN + "program", "engine/session/devices"
}
LOADING = DEVICES | IMPORT | VISION | {"engine/backend/split", "engine/session/loading"}
SNAPSHOTS = LOADING | {"engine/session/snapshots"}
PICTURES = SNAPSHOTS | {"engine/session/pictures"}
CONVERSATIONS = PICTURES | {"engine/grammar", "engine/session/conversations"}
HISTORY = "app/history/"
HISTORY_STORE = PUBLIC | {"app/codec", HISTORY + "text", HISTORY + "store"}
HISTORY_SEARCH = HISTORY_STORE | {HISTORY + "search"}
HISTORY_CHATS = HISTORY_SEARCH | {HISTORY + "chats"}
HISTORY_TRASH = HISTORY_CHATS | {HISTORY + "trash"}
HISTORY_DOCUMENTS = HISTORY_TRASH | {HISTORY + "documents"}
HISTORY_ROOMS = (HISTORY_DOCUMENTS - PUBLIC - {"app/codec"}) | {"app/history"}  # for whoever uses the history
DESKTOP = "app/desktop/"
DESKTOP_SERVICES = PUBLIC | HISTORY_ROOMS | {
    "engine/io", "app/client", "app/local", "app/content", "app/documents", "app/exchange", "app/protocol",
    "app/library", "app/storage", "app/sandbox", "app/brokers", "app/crash", DESKTOP + "services"
}
DESKTOP_CONTENT = DESKTOP_SERVICES | {DESKTOP + "content"}
# A feature of the window knows services and content, and nothing of other features.
FEATURES = ["chat", "models", "documents", "data", "sidebar", "settings", "help"]
DOCUMENT_READERS = PUBLIC | {"app/documents", "app/documents/readers"}

ALLOWED = {
    "engine/include": PUBLIC,
    "engine/base": BASE,
    "engine/io": IO,
    "engine/quant": BASE | {"engine/quant"},
    "engine/sampling": BASE | {"engine/sampling"},
    "engine/grammar": BASE | {"engine/grammar"},
    "engine/tensor": TENSOR,
    "engine/kernels": TENSOR | {"engine/kernels"},
    "engine/formats": FORMATS,
    "engine/formats/checkpoint": CHECKPOINT,
    "engine/formats/architectures": CHECKPOINT,
    "engine/formats/packed": CHECKPOINT,
    "engine/formats/fastllm": CHECKPOINT | {"engine/formats/fastllm"},
    "engine/formats/readers": CHECKPOINT | {"engine/formats/fastllm"},
    "engine/formats/kinds": FORMATS,
    "engine/backend": BACKEND,
    "engine/backend/split": BACKEND | {"engine/backend/split"},
    "engine/backend/cpu": BACKEND | {"engine/backend/cpu"},
    VULKAN + "substrate": SUBSTRATE,
    VULKAN + "trial": SUBSTRATE | {VULKAN + "trial"},
    VULKAN + "weights": SUBSTRATE | {VULKAN + "weights"},
    VULKAN + "matvec": MATVEC,
    VULKAN + "memory": MATVEC | {VULKAN + "memory"},
    VULKAN + "recording": RECORDING,
    VULKAN + "ops": RECORDING,
    VULKAN + "program": RECORDING | {VULKAN + "trial", VULKAN + "program"},
    VULKAN + "absent": RECORDING | {VULKAN + "trial", VULKAN + "program"},
    "engine/graph": GRAPH,
    "engine/models": MODELS,
    "engine/vision": VISION,
    "engine/tokenizer": TEXT,
    "engine/chat": TEXT | {"engine/chat"},
    "engine/import": IMPORT,
    "engine/session/devices": DEVICES,
    "engine/session/loading": LOADING,
    "engine/session/snapshots": SNAPSHOTS,
    "engine/session/pictures": PICTURES,
    "engine/session/conversations": CONVERSATIONS,
    "engine/lab": CONVERSATIONS | IMPORT | {"engine/lab"},
    "app/codec": PUBLIC | {"app/codec"},
    "app/protocol": PUBLIC | {"app/codec", "app/protocol"},
    "app/client": PUBLIC | {"app/protocol", "app/local", "app/client"},
    "app/sandbox": PUBLIC | {"app/sandbox"},
    "app/brokers": PUBLIC | {"engine/io", "app/sandbox", "app/brokers"},
    "app/crash": PUBLIC | {"app/crash"},
    "app/library": PUBLIC | {"engine/io", "app/codec", "app/library"},
    HISTORY + "text": PUBLIC | {HISTORY + "text"},
    HISTORY + "store": HISTORY_STORE,
    HISTORY + "search": HISTORY_SEARCH,
    HISTORY + "chats": HISTORY_CHATS,
    HISTORY + "trash": HISTORY_TRASH,
    HISTORY + "documents": HISTORY_DOCUMENTS,
    "app/history": HISTORY_DOCUMENTS | {"app/history"},
    "app/exchange/unzip": PUBLIC | {"app/exchange"},
    "app/exchange": PUBLIC | HISTORY_ROOMS | {"engine/io", "app/codec", "app/content", "app/exchange"},
    "app/storage": PUBLIC | HISTORY_ROOMS | {"app/library", "app/storage"},
    "app/content": PUBLIC | {"app/content"},
    "app/documents": PUBLIC | {"engine/base", "app/documents"},
    "app/documents/readers": DOCUMENT_READERS,
    "app/documents/program": DOCUMENT_READERS | {"app/sandbox", "app/documents/program"},
    "app/cli": PUBLIC | HISTORY_ROOMS | {
        "engine/lab", "engine/import", "app/protocol", "app/client", "app/library", "app/documents", "app/exchange",
        "app/sandbox", "app/brokers", "app/crash", "app/serve/api", "app/cli"
    },
    "app/local": PUBLIC | {"app/local"},
    "app/sse": PUBLIC | {"app/sse"},
    "app/bridge": PUBLIC | {"app/codec", "app/local", "app/sse", "app/protocol", "app/sandbox", "app/bridge"},
    **{folder: PUBLIC | {
        "app/codec", "app/local", "app/sse", "app/protocol", "app/client", "app/library", "app/sandbox", "app/brokers",
        "app/serve", "app/serve/api"
    } for folder in ["app/serve", "app/serve/api"]},
    "app/typeset": PUBLIC | {"app/sandbox", "app/typeset"},
    DESKTOP + "services": DESKTOP_SERVICES,
    DESKTOP + "controls": PUBLIC | {DESKTOP + "controls"},
    DESKTOP + "content": DESKTOP_CONTENT,
    **{DESKTOP + name: DESKTOP_CONTENT | {DESKTOP + name} for name in FEATURES},
    DESKTOP + "shell": DESKTOP_CONTENT | {DESKTOP + name for name in FEATURES + ["controls", "shell"]},
}

# Header pattern → folders that may include it.
OWNERS = [
    (r"^Q[A-Z]|^Qt", [DESKTOP + name for name in FEATURES + ["services", "controls", "content", "shell"]] +
     ["app/typeset"]),
    (r"^SQLiteCpp/", [HISTORY + "store"]),
    (r"^sqlite3\.h", [HISTORY + "text", HISTORY + "store", "app/exchange"]),
    (r"^vulkan/", [VULKAN + "substrate"]),
    (r"intrin\.h$|^arm_neon\.h", ["engine/kernels"]),
    (r"^md4c", ["app/content"]),
    (r"^poppler-|^libxml/|^png\.h|^jpeglib\.h|^webp/", ["app/documents/readers"]),
    (r"^zip\.h", ["app/documents/readers", "app/exchange/unzip"]),
    (r"^curl/", ["app/bridge", "app/serve"]),
    (r"^seccomp\.h", ["app/sandbox"]),
    (r"^sentencepiece", ["engine/tokenizer"]),
    (r"^pcre2\.h", ["engine/tokenizer", "engine/import", "engine/grammar"]),
    (r"^utf8proc\.h", ["engine/include", "engine/tokenizer", "engine/chat", "app/documents"]),
]

# Files compiled for one instruction set see plain data only, so that they emit no inline function the linker might
# keep.
ISA_FOLDER = "engine/kernels/simd/"
# Beginnings of what they may include: plain data.
ISA_INCLUDES = ("immintrin.h", "arm_neon.h", "cstddef", "cstdint", "engine/kernels/kernel_table.h",
                "engine/quant/grids/", ISA_FOLDER)


def layer_of(path):
    """The longest listed folder that holds the file, or None."""
    folder = pathlib.PurePosixPath(path).parent
    while str(folder) != ".":
        if str(folder) in ALLOWED:
            return str(folder)
        folder = folder.parent
    return None


def included_layer(header):
    if header.startswith("ingle/"):
        return "engine/include"
    if header.startswith(("engine/", "app/")):
        return layer_of(header) or "an unlisted folder"
    return None


def complaints(path):
    layer = layer_of(path)
    if layer is None:
        yield f"{path}: its folder is not in the layer table (tools/check_layers.py)"
        return
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not found:
            continue
        header = found.group(1)
        target = included_layer(header)
        if target and target not in ALLOWED[layer]:
            yield f"{path}:{number}: {layer} must not include {header} ({target})"
        for pattern, folders in OWNERS:
            if re.search(pattern, header) and layer not in folders:
                yield f"{path}:{number}: {header} belongs to {', '.join(folders)}"
        if path.startswith(ISA_FOLDER) and not header.startswith(ISA_INCLUDES):
            yield f"{path}:{number}: a file compiled for one instruction set must not include {header}"


def edges(paths, below):
    """Which folders under `below` include which others there, as their files say."""
    found = {}
    for path in paths:
        layer = layer_of(path)
        if layer is None or not layer.startswith(below):
            continue
        into = found.setdefault(layer.removeprefix(below), set())
        for header in re.findall(r'^\s*#\s*include\s*"([^"]+)"', open(path, encoding="utf-8").read(), re.M):
            target = included_layer(header)
            if target and target != layer and target.startswith(below):
                into.add(target.removeprefix(below))
    return found


def circle(graph):
    """Folders that include each other in a circle, or None."""
    done = set()

    def visit(node, way):
        if node in way:
            return way[way.index(node):] + [node]
        if node in done:
            return None
        for target in sorted(graph.get(node, ())):
            if found := visit(target, way + [node]):
                return found
        done.add(node)
        return None

    for node in sorted(graph):
        if found := visit(node, []):
            return found
    return None


def drawing(graph):
    """The graph for Mermaid, without what follows from other lines."""
    reached = {}

    def below(node):
        if node not in reached:
            reached[node] = set().union(*({target} | below(target) for target in graph.get(node, ())))
        return reached[node]

    lines = ["graph TD"]
    for node in sorted(graph):
        direct = [each for each in graph[node] if not any(each in below(other) for other in graph[node] - {each})]
        lines += [f"    {node} --> {target}" for target in sorted(direct)]
    return "\n".join(lines)


def main():
    listing = subprocess.run([
        "git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "engine/*.cpp", "engine/*.h",
        "app/*.cpp", "app/*.h"
    ],
                             capture_output=True,
                             text=True,
                             check=True)
    paths = listing.stdout.split()
    window = edges(paths, DESKTOP)
    round_trip = circle(window)
    if sys.argv[1:] == ["--draw"]:
        print(drawing(window) if round_trip is None else " → ".join(round_trip))
        return 0 if round_trip is None else 1
    found = [complaint for path in paths for complaint in complaints(path)]
    if round_trip:
        found.append(f"the window's folders include each other: {' → '.join(round_trip)}")
    print("\n".join(found) or "layers: no complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
