"""Writes the guide that ships: guide.gguf with the facts of the program as the texts of their vocabulary pieces.

A part of the build, so it uses nothing but the standard library. A fact that the program no longer has becomes a
dash: that is for shipped.py, a test, to complain about, not for the build.
"""
import argparse
import pathlib

import facts as facts_of_program
import gguf

HERE = pathlib.Path(__file__).resolve().parent
TOKENS = "tokenizer.ggml.tokens"
SPACE = "\u2581"  # what SentencePiece writes for it


def filled(pieces: list[str], facts: dict[str, str]) -> list[str]:
    """Pieces that are the place of a fact become its text."""
    return [
        facts.get(piece[1:-1], "–").replace(" ", SPACE) if facts_of_program.PLACE.fullmatch(piece) else piece
        for piece in pieces
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, default=HERE / "guide.gguf")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    metadata, tensors = gguf.read(args.model)
    metadata[TOKENS] = filled(metadata[TOKENS], facts_of_program.collect())
    args.out.parent.mkdir(parents=True, exist_ok=True)
    gguf.write(args.out, metadata, tensors)


if __name__ == "__main__":
    main()
