#!/usr/bin/env python3
"""A document that is read while host and window are killed: nothing is read twice but the last page, a question in
another chat after a restart begins at once, and its answer is the one of a host that reads everything in one go."""
import argparse
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import time

import inglenook_e2e as e2e
from driver import Failure, HistoryFile, HostProcess, Window, display, expect, new_home, said, wait_until

PAGE_TOKENS = 64  # what is kept at once
WORDS = ["water", "stone", "lamp", "river", "garden", "letter", "winter", "bread", "ship", "road", "field", "song"]


def text_of(size, seed):
    """So many bytes of words without sense, in chapters."""
    source = random.Random(seed)
    lines, length = [], 0
    while length < size:
        line = f"# Chapter {len(lines)}\n\n" if len(lines) % 20 == 0 else " ".join(source.choices(WORDS, k=12)) + ".\n"
        lines.append(line)
        length += len(line)
    return "".join(lines)[:size]


def readings(home):
    """Tokens of the document, and of those how many the history knows to be read."""
    with sqlite3.connect(f"file:{home.history}?mode=ro", uri=True) as database:
        return database.execute("SELECT tokens, read_tokens, kept_bytes FROM readings").fetchone()


class Reader:
    """A window with a model and one document; both processes die and come back."""

    def __init__(self, options, home, screen):
        self._options, self._home, self._screen = options, home, screen
        self._random = random.Random(options.seed)
        self.window = self._start()
        self.kills = {"host": 0, "window": 0}
        self.most_again = 0  # tokens that had been seen to be read, and were not kept

    def _start(self):
        return Window(self._options.bin, self._home, self._screen, self._options.pace_ms)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.window.__exit__(*failure)

    def document(self):
        documents = self.window.state()["documents"]
        return documents[0] if documents else {"state": "", "fraction": 0}

    def wait_for(self, state):
        wait_until(lambda: self.document()["state"] == state, f"the document to be {state}", self._options.patience)

    def open(self, model, text):
        e2e.load_model(self.window, model)
        self.window.drop(text)
        wait_until(lambda: self.document()["state"] in ("Unread", "TooLong"), "the cost", self._options.patience)
        if self.document()["state"] == "TooLong":  # for the context that is usual
            self.window.click("room-0")
        self.wait_for("Unread")
        print(f"  {self.document()['progress']}", flush=True)
        self.window.click("ask-0")
        self.wait_for("Reading")

    def tokens_read(self):
        return round(self.document()["fraction"] * readings(self._home)[0])

    def restart(self):
        self.window.kill()
        self.window = self._start()
        self.window.wait_for(lambda s: s["modelState"] == "Ready", "the model", self._options.patience)

    def kill(self, victim):
        """Returns False when there was nothing left to read."""
        before = self.tokens_read()
        if self.document()["state"] != "Reading":
            return False
        if victim == "host":
            e2e.kill_host(self.window)
            # Whatever comes next is what the new host finds kept, or a page more.
            before = self.tokens_read()
            first = wait_until(lambda: self.tokens_read()
                               if self.tokens_read() != before else 0, "the reading to go on", self._options.patience)
            self.most_again = max(self.most_again, before - first)
        else:
            self.restart()
            wait_until(lambda: self.document()["state"] in ("Reading", "Read"), "the reading to go on",
                       self._options.patience)
            stored = readings(self._home)[1]
            first = wait_until(lambda: max(self.tokens_read(), 0)
                               if self.tokens_read() != stored else 0, "the first page", self._options.patience)
            # A page may have been read since the restart.
            self.most_again = max(self.most_again, before - (first - PAGE_TOKENS))
        self.kills[victim] += 1
        return True


def first_token_ms(window, question):
    """From the key that sends the question to the first words of the answer in the window."""
    window.command("type", text=question)
    begin = time.monotonic()
    window.command("key", key="Return")
    window.wait_for(lambda s: s["messages"] and s["messages"][-1]["role"] == "assistant" and s["messages"][-1]["text"],
                    "the first words", 600)
    return 1000 * (time.monotonic() - begin)


def ask(window, question):
    """A question in a new chat about the document."""
    window.click("newChatButton")
    window.wait_for(lambda s: not s["messages"], "a new conversation")
    if not window.state()["documents"][0]["inChat"]:
        window.command("key", key="O", modifiers=["ctrl", "shift"])
        window.click("ask-0")
    window.wait_for(lambda s: s["documents"][0]["inChat"], "the document in the chat")
    window.click("composerInput")
    first = first_token_ms(window, question)
    window.wait_for(lambda s: len(s["messages"][-1]["text"]) > 20 or s["generationState"] == "Idle", "more words", 600)
    window.end_answer(600)
    return first


def check_answer(options, model, home, text):
    """The answer equals that of a host without any memory."""
    history = HistoryFile(home.history)
    answer = history.last_answer()
    question = history.branch_above(answer)[-1]["text"].decode()
    expect(answer["token_ids"], "the answer is empty")
    with sqlite3.connect(f"file:{home.history}?mode=ro", uri=True) as database:
        title, content = database.execute(
            "SELECT d.title, f.content FROM documents d JOIN files f ON f.id = d.file_id").fetchone()
        context = database.execute("SELECT value FROM settings WHERE key = 'contextTokens'").fetchone()
    expect(content.decode() == text.strip(), "the document's text is another one")
    request = {
        "messages": [{"role": "system", "parts": [{"kind": "attachment", "text": content.decode(), "data": title}]},
                     said("user", question)],
        "pinned": [0],
        "sampler": {**json.loads(answer["sampler"]), "seed": answer["seed"]},
        "maxTokens": len(answer["token_ids"]),
    }
    with HostProcess(options.bin, model, {"contextTokens": int(context[0])} if context else None) as host:
        straight = host.generate(request)
    expect(straight.ids == answer["token_ids"], f"the answer is {answer['token_ids']}, in one go {straight.ids}")
    return len(straight.ids)


def run(options, model):
    with display() as screen, new_home() as home:
        text = text_of(options.bytes, options.seed)
        path = home.root / "novel.txt"
        path.write_text(text)
        with Reader(options, home, screen) as reader:
            reader.open(model, path)
            while sum(reader.kills.values()) < options.kills:
                time.sleep(reader._random.uniform(0, options.between))
                victim = "host" if sum(reader.kills.values()) % 2 else "window"
                expect(reader.kill(victim), f"everything was read after {reader.kills}")
            reader.wait_for("Read")
            expect(reader.most_again <= PAGE_TOKENS, f"{reader.most_again} tokens were read again")
            reader.restart()
            reader.wait_for("Read")
            ask(reader.window, "What is it about?")  # in the chat that has waited for it all the time
            reader.restart()
            first = ask(reader.window, "Which words has it?")
            tokens, _, kept = readings(home)
            compared = check_answer(options, model, home, text)
            expect(first <= options.most_ms, f"the first words came after {first:.0f} ms")
            print(
                f"{tokens} tokens; killed {reader.kills}; at most {reader.most_again} tokens read again; "
                f"{kept / tokens * 1000 / 1e6:.1f} MB "
                f"kept per 1,000 tokens; the first words after a restart after {first:.0f} ms; {compared} ids as in "
                "one go"
            )
            reader.window.quit()


# A small model that waits, and one of 1.1 billion parameters that reads 30,000 tokens.
QUICK = {
    "shape": ["--context", "16384"], "bytes": 3000, "kills": 4, "between": 0.5, "pace_ms": 60, "most_ms": 5000,
    "patience": 300
}
LONG = {
    "shape": [
        "--context", "40960", "--dim", "2048", "--ffn", "5632", "--layers", "22", "--heads", "32", "--kv-heads", "4",
        "--vocab", "32000"
    ], "bytes": 35300, "kills": 50, "between": 4, "pace_ms": 0, "most_ms": 1000, "patience": 3000
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--families", nargs="+", default=["qwen35", "rwkv7"])
    parser.add_argument("--long", action="store_true", help="a model and a document of a usual size, and 50 kills")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name, value in (LONG if options.long else QUICK).items():
        setattr(options, name, value)
    try:
        for family in options.families:
            with new_home() as place:
                model = place.root / f"{family}.gguf"
                subprocess.run([
                    options.bin / "ingle", "synth", "--family", family, *options.shape, "--quant", "Q8_0", "-o", model
                ],
                               check=True)
                print(family, flush=True)
                run(options, model)
    except Failure as failure:
        sys.exit(str(failure))


main()
