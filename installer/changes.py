"""CHANGELOG.md: versions, their dates and what changed. One source for the metainfo and the packages' changelogs."""
import dataclasses
import datetime
import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parent.parent / "CHANGELOG.md"


@dataclasses.dataclass
class Release:
    version: str
    date: datetime.date
    summary: str  # one paragraph, may be empty
    points: list  # one sentence or two each


def parse(text):
    """The releases, newest first. Raises ValueError, naming the line that is not understood."""
    releases = []
    for line in text.splitlines():
        heading = re.fullmatch(r"## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)", line)
        if heading:
            releases.append(Release(heading[1], datetime.date.fromisoformat(heading[2]), "", []))
        elif line.startswith("## ") and line != "## Unreleased":
            raise ValueError(f"CHANGELOG.md: \"{line}\" is not \"## X.Y.Z (YYYY-MM-DD)\"")
        elif line.startswith("## "):
            releases.append(None)  # what is not released yet
        elif not releases or releases[-1] is None or not line.strip():
            continue
        elif line.startswith("- "):
            releases[-1].points.append(line[2:].strip())
        elif releases[-1].points:
            releases[-1].points[-1] += " " + line.strip()
        else:
            releases[-1].summary = f"{releases[-1].summary} {line.strip()}".strip()
    found = [release for release in releases if release]
    keys = [tuple(map(int, release.version.split("."))) for release in found]
    if keys != sorted(set(keys), reverse=True):
        raise ValueError("CHANGELOG.md: the versions are not in order, newest first")
    return found


def read():
    return parse(PATH.read_text(encoding="utf-8"))


def plain(markdown):
    """Without the marks of code and links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "")
