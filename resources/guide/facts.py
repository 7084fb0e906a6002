"""What the guide says about the program, read from where the program itself has it.

A fact has a name: `key:models`, the keys of an action (its id in the tables of app/desktop); `keys`, all of them;
`commands`, `quants`, `families`, `formats`, `version`. Answers hold facts as `{name}`, and the guide has one
vocabulary piece for each, whose text fill.py writes into the shipped model. So the guide is trained on names, and a
changed key or another command changes a text and no weight.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLACE = re.compile(r"\{[^{}]+\}")  # of a fact in an answer


def shortcuts() -> list[tuple[str, str, str]]:
    """Name, words and keys of every action that has keys; each feature of the window has a table of them."""
    row = re.compile(r'\{"(\w+)",\s*QT_TRANSLATE_NOOP\("Actions",\s*"([^"]+)"\),\s*"([^"]+)"')
    features = ("chat", "models", "sidebar", "data", "documents", "settings", "shell")  # as app_model.h has them
    return [found for feature in features for path in sorted((ROOT / "app/desktop" / feature).glob("*.cpp"))
            for found in row.findall(path.read_text())]


def commands() -> list[str]:
    hidden = {"host"}  # spoken to by the window, not by people
    return sorted({p.stem for p in (ROOT / "app/cli/commands").glob("*.cpp")} - hidden)


def quantizations() -> str:
    """What `ingle import --quant` takes, as its help says it."""
    return re.search(r'"--quant".*?"(.+?) \(default', (ROOT / "app/cli/commands/import.cpp").read_text(), re.S)[1]


def version() -> str:
    return re.search(r"^project\(\S+\s.*?VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M | re.S)[1]


def features() -> list[str]:
    """The intents that docs/features.md names as speaking of its lines. Raises ValueError for a line that names none
    and says no "no"."""
    told = set()
    for feature, mark in re.findall(r"^\| (.+?) \|.*\| ([^|]*?) ?\|$", (ROOT / "docs/features.md").read_text(), re.M):
        if feature == "feature" or mark == "no":
            continue
        if not mark:
            raise ValueError(f"docs/features.md does not say which intents of the guide speak of: {feature}")
        told |= set(mark.split())
    return sorted(told)


def collect() -> dict[str, str]:
    """The texts of all facts by name."""
    rows = shortcuts()
    stems = lambda folder: sorted(p.stem for p in (ROOT / folder).glob("*.cpp"))
    return {
        **{f"key:{name}": key for name, _, key in rows},
        "keys": "; ".join(f"{action}: {key}" for _, action, key in rows),
        "commands": ", ".join(commands()),
        "quants": quantizations(),
        "families": ", ".join(stems("engine/models/families")),
        "formats": ", ".join(stem.upper() for stem in stems("engine/quant/formats")),
        "version": version(),
    }


def places(text: str) -> list[str]:
    """The names of the facts in a text."""
    return [place[1:-1] for place in PLACE.findall(text)]


def fill(text: str, facts: dict[str, str]) -> str:
    """Puts facts in their places. Raises KeyError for an unknown one."""
    return PLACE.sub(lambda match: facts[match[0][1:-1]], text)
