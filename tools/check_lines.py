#!/usr/bin/env python3
"""No line of source is longer than 120 columns, and none of Markdown than 100, but for tables, links and code.

C++ is wrapped by clang-format. A line that is one long word (an address, a digest) cannot be wrapped and may stay.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE_COLUMNS = 120
TEXT_COLUMNS = 100
SOURCES = {".cpp", ".h", ".inc", ".comp", ".glsl", ".qml", ".js", ".py", ".sh", ".cmake"}
SOURCE_NAMES = {"CMakeLists.txt", "dev", "run"}
LINK = re.compile(r"\]\([^)]*\)|https?://\S+|`[^`]{60,}`")  # and whole commands


def files() -> list[pathlib.Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def is_one_word(line: str) -> bool:
    return len(line.split()) <= 1


def long_lines_of_source(lines: list[str]) -> list[int]:
    return [number for number, line in enumerate(lines, 1) if len(line) > SOURCE_COLUMNS and not is_one_word(line)]


def long_lines_of_text(lines: list[str]) -> list[int]:
    found, in_code = [], lines[:1] == ["---"]  # what stands before a template of an issue
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```") or (number > 1 and line == "---"):
            in_code = not in_code
        if in_code or line.lstrip().startswith("|") or len(line) <= TEXT_COLUMNS:
            continue
        if len(LINK.sub("", line)) > TEXT_COLUMNS:
            found.append(number)
    return found


def main() -> int:
    complaints = 0
    for file in files():
        if file.suffix == ".md":
            check, columns = long_lines_of_text, TEXT_COLUMNS
        elif file.suffix in SOURCES or file.name in SOURCE_NAMES:
            check, columns = long_lines_of_source, SOURCE_COLUMNS
        else:
            continue
        for number in check(file.read_text(encoding="utf-8").splitlines()):
            print(f"{file.relative_to(ROOT)}:{number}: longer than {columns} columns")
            complaints += 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
