"""Reads the hand-written corpus and makes training dialogues of it.

A corpus file holds blocks: a line `[intent]`, then `Q:` lines (ways to ask), `A:` lines (ways to answer, with places
for facts in braces) and perhaps `after:` with the intents that the question may follow. Blocks of the same name add
up. 90-out-of-scope.txt also has `FRAME:` lines with a place for a `THING:`; they multiply what the guide must
decline. Everything that is random comes from the generator that is handed in.
"""
import dataclasses
import hashlib
import pathlib
import random
import re

import facts as facts_of_program

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus"
LANGUAGES = ("en", "zh", "ru")
OUT_OF_SCOPE = "out-of-scope"


@dataclasses.dataclass
class Intent:
    name: str
    questions: list[str] = dataclasses.field(default_factory=list)
    answers: list[str] = dataclasses.field(default_factory=list)
    after: list[str] = dataclasses.field(default_factory=list)
    frames: list[str] = dataclasses.field(default_factory=list)
    things: list[str] = dataclasses.field(default_factory=list)

    def add(self, other: "Intent") -> None:
        self.questions += other.questions
        self.answers += other.answers
        self.after += other.after
        self.frames += other.frames
        self.things += other.things


def parse(path: pathlib.Path) -> list[Intent]:
    """Errors: ValueError naming file and line."""
    intents: list[Intent] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            intents.append(Intent(line.strip("[]")))
            continue
        kind, _, text = line.partition(":")
        text = text.strip()
        if not intents or not text:
            raise ValueError(f"{path}:{number}: {line!r}")
        intent = intents[-1]
        match kind:
            case "Q": intent.questions.append(text)
            case "A": intent.answers.append(text)
            case "after": intent.after += text.split()
            case "FRAME": intent.frames.append(text)
            case "THING": intent.things += [thing.strip() for thing in text.split(";") if thing.strip()]
            case _: raise ValueError(f"{path}:{number}: {line!r}")
    return intents


def load() -> dict[str, list[Intent]]:
    """All intents by language, blocks of the same name in one; an intent without questions is left out. Answers keep
    their places for facts."""
    by_language = {}
    for language in LANGUAGES:
        intents: dict[str, Intent] = {}
        for path in sorted((FOLDER / language).glob("*.txt")):
            for block in parse(path):
                intents.setdefault(block.name, Intent(block.name)).add(block)
        by_language[language] = [i for i in intents.values() if i.questions and i.answers]
    return by_language


def first_answers(by_language: dict[str, list[Intent]], facts: dict[str, str]) -> dict[str, str]:
    """As the guide would say them, by intent."""
    return {i.name: facts_of_program.fill(i.answers[0], facts) for intents in by_language.values() for i in intents}


def is_dev(question: str) -> bool:
    """One question in fifty never trains: the loss on these tells how training goes."""
    return hashlib.sha256(question.encode()).digest()[0] < 5


# ---- ways in which people write the same question ----

BEFORE = [
    "hi, ", "hello, ", "hey, ", "hey ", "please ", "please tell me, ", "quick question: ", "one question: ",
    "question: ", "so ", "ok, ", "ok so ", "and ", "excuse me, ", "sorry, ", "i have a question. ", "i am new here. ",
    "i'm new to this, ", "i just installed inglenook. ", "i wonder, ", "um, ", "well, ", "i'd like to know: ",
    "can you tell me: ", "can you help me? ", "could you explain: ", "tell me, ", "do you know: ", "help! ",
    "maybe a stupid question but ", "dumb question, ", "another thing: ", "next question: ", "by the way, ",
    "in inglenook, ", "in this app, ", "with this program, ", "good morning! ", "guide, "
]
AFTER = [
    " please", ", please", " thanks", ", thanks", " thank you", "??", "?", "!", "...", " in inglenook", " in this app",
    " in this program", " with inglenook", " here", " exactly", " then", " btw", " pls", " plz", ", thank you",
    " for me", " now", " right now", ", i wonder", ", any idea", " or not", "?!", ", can you help"
]
SYNONYMS = {
    "chat": ["conversation", "thread", "dialogue", "discussion"],
    "chats": ["conversations", "threads", "dialogues", "discussions"],
    "conversation": ["chat", "thread", "discussion"],
    "conversations": ["chats", "threads", "discussions"],
    "computer": ["pc", "laptop", "machine", "desktop"],
    "laptop": ["computer", "pc", "notebook"],
    "pc": ["computer", "laptop", "machine"],
    "answer": ["reply", "response"],
    "answers": ["replies", "responses"],
    "reply": ["answer", "response"],
    "response": ["answer", "reply"],
    "delete": ["remove", "erase"],
    "erase": ["delete", "wipe"],
    "program": ["app", "application", "software", "tool"],
    "app": ["program", "application", "software"],
    "model": ["llm", "ai model", "language model"],
    "models": ["llms", "ai models", "language models"],
    "ram": ["memory"],
    "memory": ["ram"],
    "cpu": ["processor"],
    "processor": ["cpu"],
    "gpu": ["graphics card", "video card"],
    "shortcut": ["hotkey", "key combination"],
    "shortcuts": ["hotkeys", "keyboard shortcuts", "key combinations"],
    "internet": ["network", "web"],
    "message": ["msg", "text"],
    "question": ["prompt", "message"],
    "setting": ["option", "preference"],
    "settings": ["options", "preferences"],
    "stored": ["saved", "kept"],
    "saved": ["stored", "kept"],
    "change": ["alter", "adjust", "modify"],
    "find": ["locate", "see"],
    "use": ["run", "work with"],
    "fast": ["quick"],
    "faster": ["quicker"],
    "big": ["large"],
    "large": ["big"],
    "small": ["little", "tiny"],
    "stop": ["abort", "halt"],
    "terminal": ["console", "shell", "command line"],
    "picture": ["image", "photo"],
    "how do i": ["how can i", "how to", "how would i", "how does one", "what do i do to", "what is the way to"],
    "how can i": ["how do i", "how to", "how could i"],
    "how to": ["how do i", "how can i"],
    "can i": ["could i", "is it possible to", "may i", "am i able to"],
    "is there": ["do you have", "does it have", "is there maybe"],
    "what is": ["what's", "whats", "explain", "what does it mean,"],
    "what's": ["what is", "whats"],
    "where is": ["where's", "where do i find"],
    "i want to": ["i'd like to", "i would like to", "i need to", "let me"],
    "does it": ["will it", "does inglenook", "does this", "does the app"],
    "can it": ["can inglenook", "is it able to", "can this"],
    "do not": ["don't"],
    "don't": ["do not", "dont"],
    "cannot": ["can't", "cant"],
    "can't": ["cannot", "cant"],
    "inglenook": ["it", "this app", "this program", "the app"],
}
DROPPED = {"the", "a", "an", "my", "is", "are", "to", "do", "i", "of", "in", "it", "this"}
NEIGHBOURS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry",
    "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x"
}


def misspell(word: str, rng: random.Random) -> str:
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    at = rng.randrange(1, len(word) - 1)
    match rng.randrange(4):
        case 0: return word[:at] + word[at + 1 :]
        case 1: return word[:at] + word[at] + word[at:]
        case 2: return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _: return word[:at] + rng.choice(NEIGHBOURS.get(word[at].lower(), word[at])) + word[at + 1 :]


def vary(question: str, rng: random.Random) -> str:
    """Another way to write an English question: synonyms, dropped small words, typing errors, politeness."""
    text = question.lower()
    if rng.random() < 0.5:
        found = [key for key in SYNONYMS if re.search(rf"\b{re.escape(key)}\b", text)]
        for key in rng.sample(found, min(len(found), rng.choice((1, 1, 2)))):
            text = re.sub(rf"\b{re.escape(key)}\b", rng.choice(SYNONYMS[key]), text, count=1)
    words = text.split(" ")
    if len(words) > 4 and rng.random() < 0.15:
        words = [w for w in words if w not in DROPPED or rng.random() < 0.5]
    if rng.random() < 0.22:
        at = rng.randrange(len(words))
        words[at] = misspell(words[at], rng)
    text = " ".join(words)
    if rng.random() < 0.5:
        text = text.rstrip("?.! ")
    if rng.random() < 0.22:
        text = rng.choice(BEFORE) + text
    if rng.random() < 0.18:
        text = text.rstrip("?") + rng.choice(AFTER)
    return text


@dataclasses.dataclass
class Dialogue:
    """Messages, user first and the guide's answer last, and the intent of the last question; only the last answer is
    to be learned, and only it has places for facts."""
    messages: list[str]
    intent: str


class Sampler:
    """Draws dialogues without end."""

    SHARES = {"en": 0.76, "zh": 0.12, "ru": 0.12}
    OUT_OF_SCOPE_SHARE = {"en": 0.38, "zh": 0.25, "ru": 0.25}
    FRAME_SHARE = 0.15     # of the out-of-scope questions, made of frame and thing
    EARLIER_TURN = 0.12    # an unrelated exchange comes before

    def __init__(self, by_language: dict[str, list[Intent]], facts: dict[str, str], seed: int | str):
        self.rng = random.Random(seed)
        self.facts = facts
        self.declined = {
            language: next((i for i in intents if i.name.endswith(OUT_OF_SCOPE)), None)
            for language, intents in by_language.items()
        }
        self.intents = {
            language: [i for i in intents if not i.name.endswith(OUT_OF_SCOPE)]
            for language, intents in by_language.items()
        }
        self.by_name = {i.name: i for intents in self.intents.values() for i in intents}
        self.languages = [language for language in LANGUAGES if self.intents[language]]

    def question(self, intent: Intent) -> str:
        if intent.frames and self.rng.random() < self.FRAME_SHARE:
            return self.rng.choice(intent.frames).replace("*", self.rng.choice(intent.things))
        while is_dev(text := self.rng.choice(intent.questions)):
            pass
        return text

    def exchange(self, language: str) -> Dialogue:
        declined = self.declined[language]
        if declined and self.rng.random() < self.OUT_OF_SCOPE_SHARE[language]:
            intent = declined
        else:
            intent = self.rng.choice(self.intents[language])
        text = self.question(intent)
        text = vary(text, self.rng) if language == "en" else text.lower()
        before = []
        if intent.after:
            earlier = self.by_name[self.rng.choice([name for name in intent.after if name in self.by_name])]
            before = [
                vary(self.question(earlier), self.rng),
                facts_of_program.fill(self.rng.choice(earlier.answers), self.facts)
            ]
        return Dialogue([*before, text, self.rng.choice(intent.answers)], intent.name)

    def draw(self) -> Dialogue:
        language = self.rng.choices(self.languages, [self.SHARES[l] for l in self.languages])[0]
        dialogue = self.exchange(language)
        if len(dialogue.messages) == 2 and self.rng.random() < self.EARLIER_TURN:
            *_, question, answer = self.exchange(language).messages
            dialogue.messages = [question, facts_of_program.fill(answer, self.facts), *dialogue.messages]
        return dialogue


def dev_dialogues(by_language: dict[str, list[Intent]], facts: dict[str, str]) -> list[Dialogue]:
    """The questions that never train, each with its intent's first answer."""
    rows = []
    by_name = {i.name: i for intents in by_language.values() for i in intents}
    for intents in by_language.values():
        for intent in intents:
            before = []
            if intent.after:
                earlier = by_name[intent.after[0]]
                before = [earlier.questions[0].lower(), facts_of_program.fill(earlier.answers[0], facts)]
            rows += [
                Dialogue([*before, q.lower(), intent.answers[0]], intent.name) for q in intent.questions if is_dev(q)
            ]
    return rows
