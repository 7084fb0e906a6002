#!/usr/bin/env python3
"""Speeds of every block format beside another engine's: the table in docs/benchmarks.md and its picture.

    tools/speed_table.py PAIRS.tsv

A line of PAIRS.tsv is one pair of runs, one after the other: format, instruction set, prefill (ours, theirs), decode
(ours, theirs), in tokens a second. `ingle bench MODEL -t 2 -p 64 -n 8 --backend cpu --json` gives ours.
"""
import pathlib
import statistics
import sys

from bench_pairs import interval_of_median

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/benchmarks.md"
PICTURE = ROOT / "docs/images/speeds.svg"
BEGIN, END = "<!-- speeds: tools/speed_table.py -->", "<!-- end of speeds -->"
ISA_NAMES = {"avx512": "AVX-512", "avx2": "AVX2"}
BAR, ROW, LEFT, SCALE, MOST = 9, 26, 90, 55, 10


def read(file):
    """{format: {instruction set: [(prefill, theirs, decode, theirs) …]}}, in the order of the file."""
    found = {}
    for line in pathlib.Path(file).read_text().splitlines():
        name, isa, *figures = line.split("\t")[:6]
        found.setdefault(name, {}).setdefault(isa, []).append(tuple(map(float, figures)))
    return found


def ratios(pairs, at):
    return [pair[at] / pair[at + 1] for pair in pairs]


def cell(pairs, at):
    low, high = interval_of_median(ratios(pairs, at))
    ours, theirs = (statistics.median(pair[i] for pair in pairs) for i in (at, at + 1))
    return f"{ours:.3g} / {theirs:.3g} = **{statistics.median(ratios(pairs, at)):.2f}** ({low:.2f}–{high:.2f})"


def table(speeds):
    isas = [isa for isa in ISA_NAMES if any(isa in rows for rows in speeds.values())]
    heads = [f"{what}, {ISA_NAMES[isa]}" for isa in isas for what in ("prompt", "answer")]
    lines = ["| format | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name, rows in speeds.items():
        cells = [cell(rows[isa], at) if isa in rows else "" for isa in isas for at in (0, 2)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def picture(speeds):
    """A pair of bars for each format: how many times as fast prompts are read, and answers written."""
    height = ROW * len(speeds) + 50
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="{height}" font-family="sans-serif" '
        'font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="16">times as fast as llama.cpp v0.5.0, AVX-512: '
        '<tspan fill="#2a6fb0">prompts</tspan>, <tspan fill="#d07020">answers</tspan></text>'
    ]
    for i, (name, rows) in enumerate(speeds.items()):
        y = 30 + ROW * i
        out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>')
        for at, colour, offset in ((0, "#2a6fb0", 0), (2, "#d07020", BAR + 1)):
            ratio = statistics.median(ratios(rows["avx512"], at))
            out.append(f'<rect x="{LEFT}" y="{y + offset}" width="{min(ratio, MOST) * SCALE:.1f}" height="{BAR}" '
                       f'fill="{colour}"/>')
            out.append(f'<text x="{LEFT + min(ratio, MOST) * SCALE + 4:.1f}" y="{y + offset + 8}" '
                       f'font-size="9">{ratio:.2f}</text>')
    bottom = height - 16
    out.append(f'<line x1="{LEFT + SCALE}" x2="{LEFT + SCALE}" y1="24" y2="{bottom}" stroke="black"/>')
    out.append(f'<text x="{LEFT + SCALE}" y="{bottom + 12}" text-anchor="middle">1</text></svg>')
    return "\n".join(out) + "\n"


def main():
    speeds = read(sys.argv[1])
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n\n" + table(speeds) + "\n\n" + END + rest.split(END)[1])
    PICTURE.write_text(picture({name: rows for name, rows in speeds.items() if "avx512" in rows}))


if __name__ == "__main__":
    main()
