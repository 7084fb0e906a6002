#!/usr/bin/env python3
"""What the parts of `./dev lint` and `./dev test` took, the slowest build steps and the slowest suites of tests.

`./dev` adds a line to build/times/parts.tsv for each part; the rest is in Ninja's logs and in what run_tests.py left.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIMES = ROOT / "build/times"
SHOWN = 10


def rows_of(file: pathlib.Path) -> list[tuple[str, float]]:
    if not file.exists():
        return []
    return [(name, float(seconds)) for name, seconds in (line.split("\t") for line in file.read_text().splitlines())]


def build_steps(log: pathlib.Path) -> list[tuple[str, float]]:
    last = {}  # a step that ran again stands there twice
    for line in log.read_text().splitlines():
        if not line.startswith("#"):
            began, ended, _, output, _ = line.split("\t")
            last[output] = (int(ended) - int(began)) / 1000
    return [(f"{log.parent.name}: {output}", seconds) for output, seconds in last.items()]


def table(title: str, rows: list[tuple[str, float]]) -> None:
    print(f"\n{title}")
    for name, seconds in rows:
        print(f"{seconds:8.0f} s  {name}")


def main() -> None:
    parts = rows_of(TIMES / "parts.tsv")
    table("Parts", [*parts, ("together", sum(seconds for _, seconds in parts))])
    steps = [step for log in sorted(ROOT.glob("build/*/.ninja_log")) for step in build_steps(log)]
    table(f"The slowest {SHOWN} build steps", sorted(steps, key=lambda row: -row[1])[:SHOWN])
    suites = [row for file in sorted(TIMES.glob("suites-*.tsv")) for row in rows_of(file)]
    table(f"The slowest {SHOWN} suites", sorted(suites, key=lambda row: -row[1])[:SHOWN])


if __name__ == "__main__":
    main()
