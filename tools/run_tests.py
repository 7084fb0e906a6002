#!/usr/bin/env python3
"""Runs CTest and says how long it will take, how far it is, what was skipped and why, and which suites were slowest.

    run_tests.py PRESET [--record] [CTEST OPTION…]

What a suite takes is known from tests/seconds.tsv, measured on two cores: slow suites begin first, so that nothing
waits for them at the end. `--record` writes that file anew.
"""
import json
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECONDS = ROOT / "tests/seconds.tsv"
TIMES = ROOT / "build/times"
CORES = 2
UNKNOWN_SECONDS = 1.0
REPORT_EVERY = 30
ENDED = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) ")
SKIPPED_CASE = re.compile(r"^\[  SKIPPED \] (\S+?)(?:, where .*)? \(\d+ ms\)$")


def known_seconds() -> dict[str, float]:
    rows = [line.split("\t") for line in SECONDS.read_text().splitlines()] if SECONDS.exists() else []
    return {name: float(seconds) for name, seconds in rows}


def minutes(seconds: float) -> str:
    whole = round(seconds / 60)
    return "less than a minute" if whole == 0 else "a minute" if whole == 1 else f"{whole} minutes"


def tests_of(arguments: list[str]) -> list[str]:
    shown = subprocess.run(["ctest", *arguments, "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True)
    if shown.returncode:
        sys.exit(shown.stdout + shown.stderr)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def seed_costs(preset: str, known: dict[str, float]) -> None:
    """CTest begins with the tests that cost most. It keeps what it has seen in this file, and a new tree has none."""
    costs = ROOT / "build" / preset / "Testing/Temporary/CTestCostData.txt"
    if not costs.exists():
        costs.parent.mkdir(parents=True, exist_ok=True)
        costs.write_text("".join(f"{name} 1 {seconds}\n" for name, seconds in known.items()) + "---\n")


def run(arguments: list[str], names: list[str], known: dict[str, float], junit: pathlib.Path) -> int:
    expected = {name: known.get(name, UNKNOWN_SECONDS) for name in names}
    total = sum(expected.values())
    print(f"{len(names)} suites, about {minutes(total / CORES)} on two cores", flush=True)
    command = ["ctest", *arguments, "--output-junit", str(junit), "--test-output-size-passed", "1000000"]
    done, began = 0.0, time.monotonic()
    reported = began
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            ended = ENDED.match(line)
            if not ended:
                continue
            done += expected.get(ended.group(1), 0)
            now = time.monotonic()
            if now - reported >= REPORT_EVERY and 0 < done < total:
                reported = now
                left = (now - began) * (total - done) / done
                print(f"-- {100 * done / total:.0f} % done, about {minutes(left)} left", flush=True)
    return process.returncode


def skipped_cases(output: str) -> list[tuple[str, str]]:
    """The cases that a suite skipped. GoogleTest writes "<place>: Skipped" and then the reason."""
    found, reason, follows = [], "", False
    for line in output.splitlines():
        case = SKIPPED_CASE.match(line)
        if case:
            found.append((case.group(1), reason))
        elif follows:
            reason = line.strip()
        follows = line.endswith(": Skipped")
    return found


def report(junit: pathlib.Path, preset: str) -> dict[str, float]:
    seconds, skipped = {}, []
    for case in xml.etree.ElementTree.parse(junit).getroot():
        name = case.get("name")
        seconds[name] = float(case.get("time") or 0)
        output = case.findtext("system-out") or ""
        if case.find("skipped") is not None:
            skipped.append((name, output.strip().splitlines()[-1] if output.strip() else ""))
        else:
            skipped += skipped_cases(output)
    if skipped:
        print("\nSkipped:")
        for name, reason in skipped:
            print(f"  {name}: {reason}")
    TIMES.mkdir(parents=True, exist_ok=True)
    ordered = sorted(seconds.items(), key=lambda row: -row[1])
    (TIMES / f"suites-{preset}.tsv").write_text("".join(f"{name}\t{value:.1f}\n" for name, value in ordered))
    return seconds


def main() -> int:
    preset, *arguments = sys.argv[1:]
    record = "--record" in arguments
    arguments = ["--preset", preset, *(argument for argument in arguments if argument != "--record")]
    known = known_seconds()
    seed_costs(preset, known)
    junit = ROOT / "build" / preset / "tests.xml"
    status = run(arguments, tests_of(arguments), known, junit)
    seconds = report(junit, preset)
    if record:
        SECONDS.write_text("".join(f"{name}\t{value:.1f}\n" for name, value in sorted({**known, **seconds}.items())))
    return status


if __name__ == "__main__":
    sys.exit(main())
