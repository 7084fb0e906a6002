#!/usr/bin/env python3
"""The tests of graphics devices on the software driver of a newer Debian, which has units for matrices (of 8 x 8 x 8,
VK_KHR_cooperative_matrix) where that of Debian 12 has none, with the validation layers. Needs root, debootstrap and a
Debian mirror; without them it is skipped, with its reason. `./dev soak` runs it.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import time

from system import Failure, System, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = "sid"
DRIVER = ("libvulkan1", "mesa-vulkan-drivers", "vulkan-validationlayers")
LIBRARIES = "opt/older"  # those that the programs were built with, and the newer system lacks or has another version of
SYSTEM_LIBRARY = re.compile(r"/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|vulkan|atomic|mvec))\.so")
LOG = "tmp/tests.log"
SKIPPED = 77
# What shaders access, which this layer leaves out unless it is told: otherwise no missing barrier would be heard.
HEARS = "VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC=true"
TESTS = {
    "engine_backend_vulkan_test": "*",
    "engine_session_test": "*Golden*/vulkan*:*Golden*/split*:*GoldenEmbeddings.vulkan*:*SelfCheck*:*FeatureTrial*:"
                           "*SlowDevice*:*Vulkan*:*LostDevice*:*GuessedAnswers*",
    "engine_vision_test": "*vulkan*:*DeviceTower*",
}


def libraries(program):
    found = re.findall(r"=> (/\S+)", run("ldd", program))
    return [path for path in found if not SYSTEM_LIBRARY.search(path)]


def prepare(cache):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("skipped: this needs root and debootstrap")
        sys.exit(SKIPPED)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        system = System(SUITE, cache)
        system.install(*DRIVER)
        return system
    except Failure as failure:
        print(f"skipped: there is no newer Debian to be had ({failure})")
        sys.exit(SKIPPED)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--golden", type=pathlib.Path,
                        default=os.environ.get("INGLE_GOLDEN", str(ROOT.parent / "shared/golden")))
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/roots")
    parser.add_argument("--only", help="one of the programs")
    parser.add_argument("--filter", help="of its tests, for GoogleTest")
    options = parser.parse_args()
    failed = []
    with prepare(options.cache) as system:
        system.mount(ROOT, str(ROOT)[1:])
        if options.golden.exists():
            system.mount(options.golden.resolve(), str(options.golden.resolve())[1:])
        folder = system.root / LIBRARIES
        folder.mkdir(parents=True)
        for program, tests in TESTS.items():
            if options.only not in (None, program):
                continue
            for library in libraries(options.bin / program):
                shutil.copy(library, folder)
            every = "INGLE_EVERY_CASE=1 " if "INGLE_EVERY_CASE" in os.environ else ""
            command = (f"cd /tmp && HOME=/tmp LD_LIBRARY_PATH=/{LIBRARIES} INGLE_VK_VALIDATION=1 {HEARS} {every}"
                       f"INGLE_GOLDEN={options.golden} {options.bin / program} "
                       f"--gtest_filter='{options.filter or tests}' --gtest_brief=1 >/{LOG} 2>&1")
            began = time.monotonic()
            try:
                system.sh(command)
            except Failure:
                failed.append(program)
            print((system.root / LOG).read_text(), f"{program}: {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
