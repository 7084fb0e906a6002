"""Proves that no held-out question shares five words in a row with the training text.

A 5-gram counts when at least one of its words is no stop word. Words are lower-cased runs of letters and digits,
contractions written out ("what's" is "what is"); a Chinese character is a word. Exits with 1 and lists what overlaps.
"""
import pathlib
import re
import sys

import corpus
import facts as facts_of_program
from evaluate import questions, words

HERE = pathlib.Path(__file__).resolve().parent
N = 5
STOP_WORDS = set(
    """a about after all also am an and any are as at be because been before but by can could did do does doing
    don't down for from get had has have having he her here him his how i i'd i'm if in inglenook into is isn't
    it it's its just like make many me more most much my need no not now of on one only or other our out over so
    some than that that's the their them then there these they this those to too up us use used want was way we
    were what what's when where which while who why will with without would you your""".split())

CONTRACTIONS = (("can't", "can not"), ("won't", "will not"), ("n't", " not"), ("'m", " am"), ("'re", " are"),
                ("'ve", " have"), ("'ll", " will"), ("'d", " would"), ("'s", " is"))
# Without apostrophes people write them, too.
BARE = {
    "whats": "what is", "hows": "how is", "wheres": "where is", "whos": "who is", "im": "i am", "ive": "i have",
    "dont": "do not", "doesnt": "does not", "isnt": "is not", "cant": "can not", "cannot": "can not",
    "wont": "will not", "didnt": "did not"
}


def plain_words(text: str) -> list[str]:
    text = text.lower().replace("\u2019", "'")
    for short, long in CONTRACTIONS:
        text = re.sub(short + r"\b", long, text)
    return [word for part in words(text) for word in BARE.get(part, part).split()]


def grams(text: str) -> set[tuple[str, ...]]:
    w = plain_words(text)
    found = {tuple(w[i : i + N]) for i in range(len(w) - N + 1)}
    return {g for g in found if not STOP_WORDS.issuperset(g)}


def training_texts(by_language) -> list[str]:
    """Everything the guide is trained on, before it is varied; each frame with each thing."""
    facts = facts_of_program.collect()
    texts = []
    for intents in by_language.values():
        for intent in intents:
            texts += intent.questions + [facts_of_program.fill(answer, facts) for answer in intent.answers]
            texts += [frame.replace("*", thing) for frame in intent.frames for thing in intent.things]
    return texts


def main() -> int:
    trained = {}
    for text in training_texts(corpus.load()):
        for gram in grams(text):
            trained.setdefault(gram, text)
        if plain_words(text):
            trained.setdefault(tuple(plain_words(text)), text)
    overlaps = []
    for path in sorted((HERE / "eval").glob("*.jsonl")):
        for item in questions(path):
            hits = [g for g in grams(item["question"]) | {tuple(plain_words(item["question"]))} if g in trained]
            overlaps += [f"{item['question']!r} shares {' '.join(g)!r} with {trained[g]!r}" for g in hits]
    print("\n".join(overlaps) or "no overlap")
    return 1 if overlaps else 0


if __name__ == "__main__":
    sys.exit(main())
