#!/usr/bin/env python3
"""Kernels on units for matrices keep their sums in registers, whatever the width of subgroups: in what glslang made of
them no array is indexed by anything but constants once loops are unrolled, and there are as many products as the tile
has. An array that is indexed by a variable lies in memory all through the kernel, which made products three times as
slow once.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHADERS = pathlib.Path(sys.argv[1])  # as they were built
GLSLANG = sys.argv[2]
SUBGROUPS = (8, 16, 32, 64)
TILES = ((128, 128, 32, 64), (64, 16, 32, 16))  # outputs, tokens; of a subgroup


def counts_of(shader, constants):
    answer = subprocess.run(
        [sys.executable, str(ROOT / "tools/shader_loops.py"), str(shader),
         *(f"{key}={value}" for key, value in constants.items())],
        check=True, capture_output=True, text=True).stdout
    return {kind: int(count) for count, kind in (line.split(maxsplit=1) for line in answer.splitlines())}


def product(subgroup, tile, gated):
    """Its constants, and its products of matrices a turn."""
    outputs, tokens, our_outputs, our_tokens = tile
    threads = outputs // our_outputs * (tokens // our_tokens) * subgroup
    constants = {
        0: threads, 1: outputs, 2: tokens, 3: 2 if gated else 0, 7: 16, 8: 16, 9: 16, 10: 64, 11: our_outputs,
        12: our_tokens, 13: subgroup
    }
    if gated:
        constants[6] = 0
    return constants, our_outputs // 16 * (our_tokens // 16) * 4


def attention(subgroup, staged):
    constants = {
        0: 4 * subgroup, 1: 64, 2: 64, 3: 0, 4: 1, 5: 1, 6: 64, 7: 16, 8: 16, 9: 16, 10: subgroup, 11: 2, 12: 1, 13: 3,
        14: "true" if staged else "false"
    }
    return constants, 2 * 4 * 4


def attention_of_a_row(subgroup):
    constants = {
        0: 4 * subgroup, 1: 64, 2: 64, 3: 0, 5: 33, 6: 32, 7: 16, 8: 16, 9: 16, 10: subgroup, 11: 2, 12: 1, 13: 3,
        14: 33
    }
    return constants, 2 * 4 * 2


def without_unrolling(folder):
    """The product, but for the hint at one of its loops."""
    source = (ROOT / "shaders/matmul_halves.comp").read_text()
    loop = r"(for \(uint t = 0; t < kTokenTiles; \+\+t\) \{\n\s+Values)"
    rolled, changes = re.subn(r"\[\[unroll\]\] " + loop, r"\1", source)
    if changes != 1:
        sys.exit("the loop over tokens is not where it was")
    (folder / "rolled.comp").write_text(rolled)
    subprocess.run([GLSLANG, "--quiet", "-V", "--target-env", "vulkan1.2", f"-I{ROOT / 'shaders'}", f"-I{ROOT}",
                    f"-I{SHADERS / 'quant/q4_k'}", "-o", str(folder / "rolled.spv"), str(folder / "rolled.comp")],
                   check=True)
    return folder / "rolled.spv"


def main():
    cases = []
    for subgroup in SUBGROUPS:
        for tile in TILES:
            cases.append(("matmul_halves_q4_k", *product(subgroup, tile, gated=tile == TILES[0])))
        if subgroup >= 16:  # as many as a matrix has rows, where scores are staged
            cases.append(("attention_halves_f16", *attention(subgroup, staged=subgroup == 16)))
        cases.append(("attention_row_halves_f16", *attention_of_a_row(subgroup)))
    failures = []

    def check(case):
        name, constants, products = case
        counts = counts_of(SHADERS / f"{name}.spv", constants)
        if counts.get("matrix products") != products or counts.get("indexed arrays"):
            failures.append(f"{name} with {constants}: {counts}, and {products} products are wanted")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(check, cases))
    with tempfile.TemporaryDirectory() as folder:
        counts = counts_of(without_unrolling(pathlib.Path(folder)), product(32, TILES[0], gated=False)[0])
        if not counts.get("indexed arrays"):
            failures.append(f"a loop that is not unrolled goes unnoticed: {counts}")
    print("\n".join(failures) or f"{len(cases)} kernels keep their arrays in registers")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
