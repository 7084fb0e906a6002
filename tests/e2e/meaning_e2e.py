#!/usr/bin/env python3
"""Passages of a document that is too long, found by what a question means: with the real host and an embedding model,
through kills of host and window. What is stored is what `ingle embed` says, and the question has a passage that none
of its words finds."""
import argparse
import contextlib
import json
import pathlib
import random
import sqlite3
import struct
import subprocess
import sys

import inglenook_e2e as e2e
from driver import Failure, Window, display, expect, new_home, wait_until

WORDS = ["water", "stone", "river", "garden", "letter", "winter", "bread", "ship", "road", "field", "song"]
CHAPTERS = 400
WANTED = 300
# A model with random weights knows letters and no words, so what looks alike is alike to it. The index knows whole
# words.
PASSAGE = "Which lamp lights the light house at night? Lamp lights of the light house, night after night."
QUESTION = "lamplights lighthouses nightwhich lamplights lighthouses"


def novel():
    source = random.Random(1)
    words = [" ".join(source.choices(WORDS, k=16)) + "." for _ in range(CHAPTERS)]
    words[WANTED] = PASSAGE
    return "".join(f"# Chapter {number}\n\n{each}\n\n" for number, each in enumerate(words))


def query(home, sql):
    if not home.history.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{home.history}?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


def vectors(home):
    return dict(query(home, "SELECT passage_id, vector FROM passage_vectors"))


def passages(home):
    """By number, as a model that embeds is given them."""
    content = query(home, "SELECT content FROM files")[0][0]
    rows = query(home, "SELECT id, heading, begins, ends FROM passages ORDER BY id")
    return {number: heading + "\n" + content[begins:ends].decode() for number, heading, begins, ends in rows}


def embed(options, model, text):
    answer = subprocess.run([options.bin / "ingle", "embed", model, "--normalise", "--backend", "cpu"],
                            input=text + "\n",
                            capture_output=True,
                            text=True,
                            check=True)
    return json.loads(answer.stdout)


def ask(window, home):
    """Asks in a new chat; returns the headings of the passages that the question was stored with."""
    window.click("newChatButton")
    window.wait_for(lambda s: not s["messages"], "a new conversation")
    if not window.state()["documents"][0]["inChat"]:
        window.command("key", key="O", modifiers=["ctrl", "shift"])
        window.click("ask-0")
    window.wait_for(lambda s: s["documents"][0]["inChat"], "the document in the chat")
    window.click("composerInput")
    window.send_message(QUESTION)
    window.wait_for(lambda s: len(s["messages"]) == 2 and s["messages"][-1]["text"], "an answer")
    window.end_answer()
    sources = query(home, "SELECT data, text FROM parts WHERE kind = 'source' AND message_id = "
                          "(SELECT max(id) FROM messages WHERE role = 'user')")
    expect(sources, "the question has no passages")
    return [text for _, text in sources]


def mark_first(home):
    """Writes zeros in the place of the first vector: who makes it again writes over them."""
    with contextlib.closing(sqlite3.connect(home.history)) as database, database:
        database.execute(
            "UPDATE passage_vectors SET vector = zeroblob(length(vector)) WHERE passage_id = (SELECT "
            "min(passage_id) FROM passage_vectors)"
        )


def check_vectors(options, model, home):
    """Some of them, number by number; the first one was marked."""
    stored, texts = vectors(home), passages(home)
    expect(stored.keys() == texts.keys(), f"{len(stored)} of {len(texts)} passages have vectors")
    expect(not any(stored[min(stored)]), "a vector that was stored was made again")
    for number in [max(texts), random.Random(2).choice(list(texts)[1:])]:
        values = struct.unpack(f"<{len(stored[number]) // 4}f", stored[number])
        wanted = [struct.unpack("<f", struct.pack("<f", value))[0] for value in embed(options, model, texts[number])]
        expect(list(values) == wanted, f"passage {number} has another vector than `ingle embed` makes")


def run(options, chat, bge):
    with display() as screen, new_home() as home:
        document = home.root / "novel.md"
        document.write_text(novel())
        with Window(options.bin, home, screen) as window:
            e2e.load_model(window, chat)
            window.drop(document)
            window.wait_for(lambda s: s["documents"] and s["documents"][0]["state"] == "TooLong", "the document")
            expect(not any(PASSAGE in text for text in ask(window, home)), "the words of the question find the passage")
            window.drop(bge)
            wait_until(lambda: vectors(home), "the first vectors")
            e2e.kill_host(window)
            before = len(vectors(home))
            wait_until(lambda: len(vectors(home)) > before, "more vectors")
            window.kill()
        killed_at = len(vectors(home))
        expect(0 < killed_at < CHAPTERS, f"{killed_at} vectors when the window was killed")
        mark_first(home)
        with Window(options.bin, home, screen) as window:
            window.wait_for(lambda s: s["modelState"] == "Ready" and s["modelPath"] == str(chat),
                            "the model that chats")
            wait_until(lambda: len(vectors(home)) == len(passages(home)), "all vectors")
            check_vectors(options, bge, home)
            sources = ask(window, home)
            expect(any(PASSAGE in text for text in sources),
                   f"what the question means does not find the passage: {sources}")
            window.quit()
        bge.unlink()
        with Window(options.bin, home, screen) as window:
            window.wait_for(lambda s: s["modelState"] == "Ready", "the model that chats")
            expect(not any(PASSAGE in text for text in ask(window, home)), "a model that is gone finds the passage")
            window.quit()
    print(f"{killed_at} of {CHAPTERS} vectors were made before the window was killed, and not again")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        with new_home() as place:
            chat, bge = place.root / "chat.gguf", place.root / "bge.gguf"
            for family, context, path, shape in (("llama", 2048, chat, []),
                                                 ("bert", 512, bge, ["--layers", "6", "--dim", "256", "--ffn",
                                                                     "1024"])):
                subprocess.run(
                    [options.bin / "ingle", "synth", "--family", family, "--context",
                     str(context), *shape, "-o", path],
                    check=True)
            run(options, chat, bge)
    except Failure as failure:
        sys.exit(str(failure))


main()
