"""What the guide says about the program, read from where the program itself has it.

Keys, commands and quantizations are filled into the answers. Families, block formats and features are prose there: shipped.py
notices when they change, and somebody has to change the prose.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def shortcuts() -> dict[str, str]:
    """Keys by the name of the action, as the window's card of shortcuts shows them."""
    qml = ROOT / "app/desktop/qml"
    keys = dict(re.findall(r'property string (\w+): "([^"]+)"', (qml / "ShortcutKeys.qml").read_text()))
    rows = re.findall(r'\[qsTr\("([^"]+)"\),\s*(?:ShortcutKeys\.(\w+)|(?:qsTr\()?"([^"]+)"\)?)\]', (qml / "ShortcutsCard.qml").read_text())
    return {action: keys[name] if name else literal for action, name, literal in rows}


def commands() -> list[str]:
    hidden = {"host"}  # spoken to by the window, not by people
    return sorted({p.stem for p in (ROOT / "app/cli/commands").glob("*.cpp")} - hidden)


def quantizations() -> str:
    """What `ingle import --quant` takes, as its help says it."""
    return re.search(r'"--quant".*?"(.+?) \(default', (ROOT / "app/cli/commands/import.cpp").read_text(), re.S)[1]


def features() -> list[str]:
    """The lines of docs/features.md that the guide speaks of. Raises ValueError for a line that says neither yes nor no."""
    told = []
    for feature, mark in re.findall(r"^\| (.+?) \|.*\| ([^|]*?) ?\|$", (ROOT / "docs/features.md").read_text(), re.M):
        if mark not in ("yes", "no", "guide"):
            raise ValueError(f"docs/features.md does not say whether the guide speaks of: {feature}")
        if mark == "yes":
            told.append(feature)
    return told


def collect() -> dict:
    return {
        "shortcuts": shortcuts(),
        "commands": commands(),
        "quantizations": quantizations(),
        "families": sorted(p.stem for p in (ROOT / "engine/models/families").glob("*.cpp")),
        "blockFormats": sorted(p.stem for p in (ROOT / "engine/quant/formats").glob("*.cpp")),
        "features": features(),
    }


def fill(text: str, facts: dict) -> str:
    """Puts facts in the places of {key:Action}, {commands} and {quants}. Raises KeyError for an unknown one."""
    values = {f"key:{action}": keys for action, keys in facts["shortcuts"].items()}
    values["commands"] = ", ".join(facts["commands"])
    values["quants"] = facts["quantizations"]
    return re.sub(r"\{([^}]+)\}", lambda match: values[match[1]], text)
