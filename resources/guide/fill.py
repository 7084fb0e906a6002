"""Writes the guide that ships: guide.gguf with the facts of the program as the texts of their vocabulary pieces, and
with the answers that were corrected since it was trained.

An answer begins with the piece of its topic, which nobody sees. Where the answer is another than that of the training,
this piece gets its text, and a vector after which the answer ends. The vectors that topics are chosen by stay as they
are: they become a matrix of their own.

A part of the build, so it uses nothing but the standard library. A fact that the program no longer has becomes a
dash: that is for shipped.py, a test, to complain about, not for the build.
"""
import argparse
import pathlib

import facts as facts_of_program
import gguf
import shipped

HERE = pathlib.Path(__file__).resolve().parent
TOKENS = "tokenizer.ggml.tokens"
TYPES = "tokenizer.ggml.token_type"
NORMAL = 1
END = "<|end|>"
SPACE = "\u2581"  # what SentencePiece writes for it
LOUD = 1000.0  # beside this what the layers add to a vector is nothing


def filled(pieces: list[str], facts: dict[str, str]) -> list[str]:
    """Pieces that are the place of a fact become its text."""
    return [
        fill(piece, facts).replace(" ", SPACE) if facts_of_program.PLACE.fullmatch(piece) else piece for piece in pieces
    ]


def fill(text: str, facts: dict[str, str]) -> str:
    return facts_of_program.PLACE.sub(lambda place: facts.get(place[0][1:-1], "–"), text)


def correct(metadata: dict, tensors: dict[str, gguf.Tensor], answers: dict[str, str]) -> None:
    """Gives topics new answers, by their names."""
    if not answers:
        return
    pieces, vectors = metadata[TOKENS], tensors["token_embd.weight"]
    tensors["output.weight"] = vectors
    # What the last norm and the output make of it points to the end.
    end = gguf.numbers(vectors, pieces.index(END))
    last = [number / weight for number, weight in zip(end, gguf.numbers(tensors["output_norm.weight"], 0))]
    largest = max(map(abs, last))
    for topic, answer in answers.items():
        if (name := f"<|{topic}|>") not in pieces:
            continue  # it is new: shipped.py, a test, says that it needs training
        row = pieces.index(name)
        pieces[row], metadata[TYPES][row] = answer.replace(" ", SPACE), NORMAL
        vectors = gguf.with_row(vectors, row, [LOUD / largest * number for number in last])
    tensors["token_embd.weight"] = vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, default=HERE / "guide.gguf")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    metadata, tensors = gguf.read(args.model)
    facts = facts_of_program.collect()
    metadata[TOKENS] = filled(metadata[TOKENS], facts)
    correct(metadata, tensors, {topic: fill(answer, facts) for topic, answer in shipped.corrected().items()})
    args.out.parent.mkdir(parents=True, exist_ok=True)
    gguf.write(args.out, metadata, tensors)


if __name__ == "__main__":
    main()
