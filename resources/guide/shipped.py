"""Ties guide.gguf to what it was trained on: facts.json holds what must not go without training, a digest of each
intent's answers, and one of the file itself.

`record` writes it after training; `check`, a test, fails when a meaning changed: an intent is new or gone, or
something that answers speak of is gone (a fact that they tell, a command, a family, a block format, a quantization,
every line of docs/features.md that names an intent). What is changed or added in the program, and an answer that is
corrected, is text that fill.py writes, and needs no training.
"""
import hashlib
import json
import pathlib
import sys

import corpus
import facts as facts_of_program
import gguf

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "facts.json"


def present(guide: pathlib.Path = HERE / "guide.gguf") -> dict:
    facts = facts_of_program.collect()
    intents = all_intents()
    told = {name for intent in intents for answer in intent.answers for name in facts_of_program.places(answer)}
    listed = {
        name: facts[name].replace(" or ", ", ").split(", ") for name in ("commands", "quants", "families", "formats")
    }
    return {"told": sorted(told & facts.keys()), **listed, "features": facts_of_program.features(),
            "answers": digests(intents), "guide": digest(guide.read_bytes())}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digests(intents: list[corpus.Intent]) -> dict[str, str]:
    """Of the intents' answers."""
    return {intent.name: digest("\n".join(intent.answers).encode())[:12] for intent in intents}


def corrected() -> dict[str, str]:
    """The first answers, with their places for facts, of the intents whose answers the guide that ships was not
    trained on."""
    trained = json.loads(RECORD.read_text())["answers"]
    intents = all_intents()
    now = digests(intents)
    return {intent.name: intent.answers[0] for intent in intents if trained.get(intent.name) != now[intent.name]}


def all_intents() -> list[corpus.Intent]:
    return [intent for of_language in corpus.load().values() for intent in of_language]


def differences(then: dict, now: dict) -> list[str]:
    """What changed in meaning between two collections, one line each."""
    found = []
    for kind, old in sorted(then.items()):
        if isinstance(old, list):
            gone = [item for item in old if item not in now[kind]]
            if gone:
                found.append(f"{kind}: no longer {', '.join(gone)}")
        elif isinstance(old, dict):  # corrected answers are written into the guide by fill.py
            other = sorted(old.keys() ^ now[kind].keys())
            if other:
                found.append(f"{kind}: no longer those of the training: {', '.join(other)}")
        elif old != now[kind]:
            found.append(f"{kind}: no longer those of the training")
    return found


def unknown(guide: pathlib.Path = HERE / "guide.gguf") -> list[str]:
    """What the program or its documents say of the guide that the guide does not know."""
    pieces = set(gguf.read(guide)[0]["tokenizer.ggml.tokens"])
    intents = [
        f"docs/features.md: the guide has no intent {name}" for name in facts_of_program.features()
        if f"<|{name}|>" not in pieces
    ]
    facts = facts_of_program.collect().keys()
    return intents + [
        f"the program has no fact {piece}" for piece in sorted(pieces)
        if facts_of_program.PLACE.fullmatch(piece) and piece[1:-1] not in facts
    ]


def main() -> int:
    if sys.argv[1:] == ["record"]:
        RECORD.write_text(json.dumps(present(), indent=1, ensure_ascii=False) + "\n")
        return 0
    changed = differences(json.loads(RECORD.read_text()), present()) + unknown()
    for line in changed:
        print(line)
    print("The guide must be trained again: see resources/guide/README.md"
          if changed else "the guide knows the program as it is")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
