"""Asks a guide the held-out questions through `ingle host`, greedily, and judges the answers by their facts.

Prints every wrong answer and a summary; exits with 1 when a figure is below what the guide must reach.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

import corpus
import facts as facts_of_program

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/e2e"))
from driver import HostProcess, said  # noqa: E402

MAX_WORDS = 120
MAX_TOKENS = 400
# What the guide must reach.
NEEDED = {"answered": 0.88, "declined": 0.95}
# What every way to decline says, by language; "only" is not in what the guide says of itself when asked.
DECLINED = (("only the small built-in guide", "larger model"), ("内置的小向导", "更大的模型"), ("лишь маленький встроенный гид",
                                                                                     "модель побольше"))
MAX_WORDS_DECLINED = 35
NEEDED_QUESTIONS = {"answered": 200, "declined": 60}
GREEDY = {"temperature": 0}
WINDOW = {"temperature": 0.7, "topK": 40, "topP": 0.95, "minP": 0.05, "seed": 1}  # what the window starts with


def words(text: str) -> list[str]:
    """Lower-cased runs of letters, digits and apostrophes; a Chinese character is a word."""
    return re.findall(r"[\u4e00-\u9fff]|[^\W_]+(?:'[^\W_]+)?", text.lower())


def questions(path: pathlib.Path) -> list[dict]:
    """The lines of a file, with the facts of the program in their places. Of `facts`, lists of texts, an answer needs
    one text each, and of `never` it must have none."""
    facts = facts_of_program.collect()
    items = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    for item in items:
        if "facts" in item:
            item["facts"] = [
                [facts_of_program.fill(text, facts) for text in alternatives] for alternatives in item["facts"]
            ]
    return items


def told_words(answer: str, facts: dict[str, str]) -> int:
    """The words of an answer; a list of the program's counts as one, since it grows with the program."""
    for text in sorted(facts.values(), key=len, reverse=True):
        answer = answer.replace(text, "list") if ", " in text or "; " in text else answer
    return len(words(answer))


def is_right(item: dict, answer: str) -> bool:
    answer = answer.lower()
    if item.get("decline"):
        return len(words(answer)) <= MAX_WORDS_DECLINED and any(
            all(mark in answer for mark in marks) for marks in DECLINED)
    needed = all(any(fact.lower() in answer for fact in alternatives) for alternatives in item["facts"])
    return needed and not any(text in answer for text in item.get("never", []))


def evaluate(bin_dir: pathlib.Path, model: pathlib.Path, items: list[dict], first_answers: dict[str, str],
             sampler: dict) -> dict:
    """Counts of right answers by kind, and the sentences about broken rules."""
    right, asked = collections.Counter(), collections.Counter()
    broken = []
    facts = facts_of_program.collect()
    with HostProcess(bin_dir, model) as host:
        for item in items:
            messages = []
            for question, intent in item.get("history", []):
                messages += [said("user", question), said("assistant", first_answers[intent])]
            messages.append(said("user", item["question"]))
            answer = host.generate({"messages": messages, "sampler": sampler, "maxTokens": MAX_TOKENS})
            kind = "declined" if item.get("decline") else "answered"
            asked[kind] += 1
            right[kind] += is_right(item, answer.text)
            if not is_right(item, answer.text):
                print(f"wrong [{item.get('intent', 'decline')}] {item['question']!r}\n      {answer.text!r}")
            if (count := told_words(answer.text, facts)) > MAX_WORDS:
                broken.append(f"{item['question']!r}: {count} words")
            if "\ufffd" in answer.text:
                broken.append(f"{item['question']!r}: broken UTF-8")
            if answer.reason != "endOfText":
                broken.append(f"{item['question']!r}: ended by {answer.reason}")
    return {"right": right, "asked": asked, "broken": broken}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs")
    parser.add_argument("--model", type=pathlib.Path, help="the guide that was built beside them by default")
    parser.add_argument("--questions", type=pathlib.Path, default=HERE / "eval/held_out.jsonl")
    parser.add_argument("--sampled", action="store_true", help="sample as the window does, instead of greedily")
    parser.add_argument("--all", action="store_true", help="every single answer must be right, however few there are")
    parser.add_argument("--report", action="store_true", help="do not fail when the figures are too low")
    args = parser.parse_args()

    model = args.model or args.bin.parent / "share/inglenook/guide.gguf"
    first_answers = corpus.first_answers(corpus.load(), facts_of_program.collect())
    result = evaluate(args.bin, model, questions(args.questions), first_answers, WINDOW if args.sampled else GREEDY)
    enough = True
    for kind, needed in ({"answered": 1.0} if args.all else NEEDED).items():
        right, asked = result["right"][kind], result["asked"][kind]
        share = right / asked
        enough = enough and share >= needed and asked >= (1 if args.all else NEEDED_QUESTIONS[kind])
        print(f"{kind}: {right} of {asked} = {share:.1%} (needed: {needed:.0%})")
    print("\n".join(result["broken"]) or f"every answer: at most {MAX_WORDS} words, valid UTF-8, ended by itself")
    return 0 if args.report or (enough and not result["broken"]) else 1


if __name__ == "__main__":
    sys.exit(main())
