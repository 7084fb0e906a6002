#!/usr/bin/env python3
"""`ingle prove`: passes with the programs as they are, and fails when one of them does what it may not do."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# What a program does (misbehaves.cpp), and what must be said about it.
BREACHES = {
    "socket": "reached for the network",
    "bus": "connection to local programs at /run/user/0/bus",
    "memory": "/proc/1/environ",
    "read": "was read that is not Inglenook's",
    "write": "was opened for writing outside",
    "program": "Another program was started",
}


def prove(options, *arguments, **environment):
    return subprocess.run([f"{options.bin}/ingle", "prove", *arguments],
                          env={**os.environ, **environment},
                          capture_output=True,
                          encoding="utf-8",
                          check=False)


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the folder of ingle")
    parser.add_argument("--misbehaves", required=True, help="libmisbehaves.so")
    options = parser.parse_args()
    result = prove(options, "--json")
    if "allows no program to watch" in result.stderr:
        print(f"skipped: {result.stderr.strip()}")
        sys.exit(SKIPPED)
    expect(result.returncode == 0, f"a proof ended with {result.returncode}: {result.stderr}{result.stdout}")
    record = json.loads(result.stdout)
    expect(record["kept"] and not record["problems"], record)
    roles = {(pathlib.Path(p["program"]).name, p["role"]) for p in record["processes"]}
    expect(("ingle", "host") in roles, f"the engine was not watched: {roles}")
    expect("ingle-documents" in {name for name, _ in roles}, f"nobody read the document: {roles}")
    engines = [p for p in record["processes"] if p["role"] == "host"]
    expect(all(p["calls_filtered"] for p in engines), f"an engine without a filter: {engines}")
    expect(record["own_bytes_written"] > 0, "nothing was written, so the conversation was not kept")
    text = prove(options)
    expect(text.returncode == 0 and "No program asked for the network" in text.stdout, text.stdout + text.stderr)

    with tempfile.TemporaryDirectory() as folder:
        strange = pathlib.Path(folder) / "diary.txt"
        strange.write_text("mine")
        for what, sentence in BREACHES.items():
            result = prove(options,
                           "--json",
                           LD_PRELOAD=options.misbehaves,
                           INGLE_MISBEHAVES=what,
                           INGLE_MISBEHAVES_FILE=str(strange))
            expect(result.returncode == 1, f"{what}: was not found: {result.stdout}{result.stderr}")
            problems = json.loads(result.stdout)["problems"]
            expect(any(sentence in problem for problem in problems), f"{what}: {problems}")


if __name__ == "__main__":
    main()
