#!/usr/bin/env python3
"""kill -9 of the window while it asks, branches, moves, archives, imports, exports, reads documents and makes
backups: afterwards the history opens, is whole, holds everything that the window had shown as done, and no import,
export or backup is there by half."""
import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time

import inglenook_e2e as e2e
from driver import Failure, Window, display, expect, expect_failure, new_home

CHATS = 400  # of each import


def export_of_chatgpt(path, count):
    def node(parent, children, role, text):
        return {
            "parent": parent, "children": children,
            "message": {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
        }

    chats = [{
        "title": f"Chat {n}", "create_time": 1700000000 + n, "update_time": 1700000000 + n, "current_node": "a",
        "mapping": {
            "q": node(None, ["a", "b"], "user", f"Question {n}"), "a": node("q", [], "assistant", f"Answer {n}"),
            "b": node("q", [], "assistant", f"Other {n}")
        }
    } for n in range(count)]
    path.write_text(json.dumps(chats))


class Kills:
    """One person's window over many deaths, and what it has shown to be done."""

    def __init__(self, options, screen, home):
        self.options, self.screen, self.home = options, screen, home
        self.random = random.Random(options.seed)
        self.asked = {}  # of conversations that have their answer: their number → the question
        self.folders = {}  # number → that of the folder it was shown in
        self.imports = self.backups = self.exports = self.kills = 0
        self.moving = 0  # the conversation that is on its way into a folder
        self.documents, self.archived, self.versions = set(), set(), set()
        self.done = {}  # how often each thing came to its end
        self.source = home.root / "conversations.json"
        export_of_chatgpt(self.source, CHATS)
        self.window = self.start()
        e2e.load_model(self.window, options.model)

    def start(self):
        return Window(self.options.bin, self.home, self.screen)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.window.__exit__(*failure)

    def act(self, action, **arguments):
        self.window.command("act", action=action, **arguments)

    # What can be done. Each returns once the window shows that it is done.

    def ask(self):
        self.act("newConversation")
        self.window.wait_for(lambda s: not s["messages"], "a new conversation")
        self.window.click("composerInput")
        question = f"Question {self.random.randrange(10**9)} of mine"
        self.window.send_message(question)
        state = self.window.wait_for(
            lambda s: s["conversationId"] and s["messages"] and s["messages"][0]["text"] == question, "the question")
        self.asked[int(state["conversationId"])] = question
        # Some answers go on behind whatever is done next.
        if len(self.asked) == 1 or self.random.random() < 0.7:
            self.window.wait_for(lambda s: s["generationState"] == "Streaming", "the answer")
            e2e.stop_answer(self.window)

    def branch(self):
        state = self.window.state()
        if state["messages"] and state["generationState"] == "Idle":
            last = state["messages"][-1]["id"]
            self.act("regenerate")
            shown = self.window.wait_for(lambda s: s["messages"] and s["messages"][-1]["id"] not in (0, last),
                                         "another version")
            self.versions |= {last, shown["messages"][-1]["id"]}
            self.window.wait_for(lambda s: s["generationState"] == "Streaming", "its text")
            e2e.stop_answer(self.window)

    def mine(self):
        rows = self.window.state()["rows"]
        return [row for row in rows if row["kind"] == "conversation" and row["id"] in self.asked]

    def move(self):
        mine = self.mine()
        if not mine:
            return
        chosen = self.random.choice(mine)
        target, before = chosen["id"], chosen["folder"]  # where it is may be where it was on the way to
        known = sorted({folder for folder in self.folders.values() if folder})
        self.moving = target
        if known and self.random.random() < 0.7:
            folder = self.random.choice([*known, 0])
            self.act("moveTo", target=target, folder=folder)
            shown = self.window.wait_for(
                lambda s: any(row["id"] == target and row["folder"] == folder for row in s["rows"]), "the move")
        else:
            self.act("moveToNewFolder", target=target, title=f"Folder {self.random.randrange(1000)}")
            shown = self.window.wait_for(
                lambda s: any(row["id"] == target and row["folder"] not in (0, before) for row in s["rows"]),
                "the new folder")
        self.moving = 0
        self.folders[target] = next(row["folder"] for row in shown["rows"] if row["id"] == target)

    def archive(self):
        mine = [row for row in self.mine() if not self.folders.get(row["id"])]
        if not mine:
            return
        target = self.random.choice(mine)["id"]
        self.act("archive", target=target)
        self.window.wait_for(lambda s: all(row["id"] != target for row in s["rows"]), "the archive")
        self.archived.add(target)

    def bring(self):
        self.window.drop(self.source)
        self.window.wait_for(lambda s: s["import"] == "Asking", "the question of the import")
        self.window.click("importStart")
        self.window.wait_for(lambda s: s["import"] == "Done", "the import")
        self.imports += 1
        self.window.click("importCancel")
        self.window.wait_for(lambda s: s["import"] == "Idle", "the end of the card")

    def write(self):
        self.exports += 1
        self.act("export", path=str(self.home.root / f"export-{self.exports}.json"))
        self.window.wait_for(lambda s: not s["exporting"], "the export")

    def back_up(self):
        self.act("backUp")
        self.window.wait_for(lambda s: not s["backingUp"], "the backup")
        self.backups += 1

    def read(self):
        name = f"text-{self.random.randrange(10**9)}"
        path = self.home.root / f"{name}.txt"
        path.write_text(f"A text about {name}.\n" * 50)
        self.window.drop(path)
        self.window.wait_for(lambda s: any(name in document["title"] for document in s["documents"]), "the document")
        self.documents.add(name)
        self.window.command("key", key="Escape")

    def run(self, kills):
        work = [self.bring, self.back_up, self.read, self.move, self.write, self.branch, self.ask, self.archive]
        for each in [self.ask, self.ask, *work]:  # all of it once without
            each()
        self.check(self.home.history)
        while self.kills < kills:
            self.attempt(work[self.kills % len(work)])
        self.window.quit()
        self.check(self.home.history)
        self.check_that_a_loss_is_seen()

    def attempt(self, do):
        """Does it, and is killed at some moment of that or of something shortly behind it."""
        death = threading.Timer(self.random.uniform(0, 0.6), os.kill, (self.window.pid, signal.SIGKILL))
        death.start()
        while True:
            try:
                do()
            except (Failure, OSError, ValueError):
                if death.is_alive():  # it was not that
                    death.cancel()
                    raise
                break
            self.done[do.__name__] = self.done.get(do.__name__, 0) + 1
            do = self.random.choice([self.ask, self.branch, self.move, self.archive, self.write])
        self.window.kill()
        self.kills += 1
        self.check(self.home.history)
        self.moving = 0
        self.window = self.start()
        self.window.wait_for(lambda s: s["modelState"] == "Ready" and s["rows"], "the window after a restart")
        if self.kills % 20 == 0:
            print(f"  {self.kills} kills, done: {self.done}", flush=True)

    def check(self, path):
        """What the window had shown is in that history, and nothing is there by half."""
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            self.check_rows(database)
        for path in self.home.root.glob("export-*.json"):
            expect(json.loads(path.read_text())["format"] == "inglenook.history", f"{path} is no export")
        backups = list(self.home.history.parent.glob("history.sqlite.backup-v*"))
        expect(len(backups) >= min(self.backups, 5), f"{len(backups)} backups of {self.backups}")
        for path in backups:
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as backup:
                expect(backup.execute("PRAGMA integrity_check").fetchone()[0] == "ok", f"{path} is damaged")

    def check_rows(self, database):
        integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
        expect(integrity == "ok", f"integrity_check says {integrity}")
        expect(not database.execute("PRAGMA foreign_key_check").fetchall(), "something refers to what is not there")
        for conversation, question in self.asked.items():
            found = database.execute(
                "SELECT count(*) FROM messages m JOIN parts p ON p.message_id = m.id JOIN conversations c ON c.id = "
                "m.conversation_id "
                "WHERE c.id = ? AND c.trashed_ms IS NULL AND p.text = ?", (conversation, question)).fetchone()[0]
            expect(found == 1, f"conversation {conversation} lost its question")
        for version in self.versions:
            expect(
                database.execute("SELECT 1 FROM messages WHERE id = ?", (version,)).fetchone(),
                f"the version {version} of an answer is gone")
        for conversation, folder in self.folders.items():
            stored = database.execute("SELECT coalesce(folder_id, 0) FROM conversations WHERE id = ?",
                                      (conversation,)).fetchone()[0]
            # It may have got where it was on the way to.
            expect(stored == folder or conversation == self.moving,
                   f"conversation {conversation} is in folder {stored}, not {folder}")
            self.folders[conversation] = stored
        for conversation in self.archived:
            expect(
                database.execute("SELECT archived_ms FROM conversations WHERE id = ?", (conversation,)).fetchone()[0],
                f"conversation {conversation} left the archive")
        brought = database.execute(
            "SELECT count(*) FROM conversations WHERE origin = 'chatgpt' AND trashed_ms IS NULL").fetchone()[0]
        expect(brought % CHATS == 0 and brought // CHATS in (self.imports, self.imports + 1),
               f"{brought} chats of {self.imports} imports")
        self.imports = brought // CHATS
        texts = [
            row[0] for row in database.execute(
                "SELECT CAST(content AS TEXT) FROM documents d JOIN files f ON f.id = d.file_id WHERE on_shelf = 1")
        ]
        for name in self.documents:
            expect(any(f"about {name}." in text for text in texts), f"the document {name} is gone")

    def check_that_a_loss_is_seen(self):
        """On copies of the history."""
        for number, loss in enumerate([
                "DELETE FROM parts WHERE message_id = (SELECT min(id) FROM messages)",
                "UPDATE conversations SET trashed_ms = 5 WHERE id = (SELECT max(id) FROM conversations WHERE origin "
                "= 'chatgpt')",
                "UPDATE documents SET on_shelf = 0"
        ]):
            path = self.home.root / f"loss-{number}.sqlite"
            with contextlib.closing(sqlite3.connect(self.home.history)) as original, contextlib.closing(
                    sqlite3.connect(path)) as copy:
                original.backup(copy)
                with copy:
                    changed = copy.execute(loss).rowcount
            # A kill may have come before the first import.
            if changed == 0:
                continue
            expect_failure(lambda path=path: self.check(path), f"nobody saw {loss}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = e2e.parse_options(parser)
    begin = time.monotonic()
    try:
        with display() as screen, new_home() as home, Kills(options, screen, home) as run:
            run.run(options.kills)
            print(
                f"{run.kills} kills in {time.monotonic() - begin:.0f} s, nothing lost; came to their end: "
                f"{run.done}, {run.imports} imports of {CHATS} chats"
            )
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)


if __name__ == "__main__":
    main()
