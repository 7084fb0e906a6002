"""Ties guide.gguf to what it was trained on: facts.json holds the facts, a digest of all answers, and one of the file itself.

`record` writes it after training; `check`, a test, fails when the program, the answers or the file are others by now.
"""
import hashlib
import json
import pathlib
import sys

import corpus
import facts as facts_of_program

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "facts.json"


def present(guide: pathlib.Path = HERE / "guide.gguf") -> dict:
    facts = facts_of_program.collect()
    answers = [f"{i.name}: {answer}" for intents in corpus.load(facts).values() for i in intents for answer in i.answers]
    return {**facts, "answers": hashlib.sha256("\n".join(answers).encode()).hexdigest(), "guide": hashlib.sha256(guide.read_bytes()).hexdigest()}


def differences(then: dict, now: dict) -> list[str]:
    """What changed between two collections of facts, one line each."""
    found = []
    for kind in sorted(then.keys() | now.keys()):
        old, new = (items if isinstance(items, list) else sorted(items.items()) if isinstance(items, dict) else [items]
                    for items in (then.get(kind, []), now.get(kind, [])))
        gone, added = [item for item in old if item not in new], [item for item in new if item not in old]
        if gone or added:
            found.append(f"{kind}: no longer {gone}, now {added}")
    return found


def main() -> int:
    if sys.argv[1:] == ["record"]:
        RECORD.write_text(json.dumps(present(), indent=1, ensure_ascii=False) + "\n")
        return 0
    changed = differences(json.loads(RECORD.read_text()), present())
    for line in changed:
        print(line)
    print("The guide must be trained again: see resources/guide/README.md" if changed else "the guide knows the program as it is")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
