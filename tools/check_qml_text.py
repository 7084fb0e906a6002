#!/usr/bin/env python3
"""Every Text and TextEdit of the window says what its text is: without that, Qt takes what looks like HTML for HTML,
and a model's name could make the window open files."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN = re.compile(r"^(\s*)(?:[\w.]+: *|component \w+: *)?(Text|TextEdit) *\{")


def silent(path: pathlib.Path):
    """Line numbers of texts without a format."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for at, line in enumerate(lines):
        begin = BEGIN.match(line)
        if begin is None:
            continue
        end = next(i for i in range(at, len(lines))
                   if lines[i].startswith(begin[1] + "}") or (i == at and line.rstrip().endswith("}")))
        if not any("textFormat:" in each for each in lines[at : end + 1]):
            yield at + 1


def main() -> int:
    found = [f"{path.relative_to(ROOT)}:{line}: this text has no textFormat"
             for path in sorted((ROOT / "app/desktop").rglob("*.qml")) for line in silent(path)]
    print("\n".join(found) or "texts in QML: no complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
