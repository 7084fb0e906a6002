#!/usr/bin/env python3
"""The long counts: the conversation many times, and random kill -9 of host or window while answers stream."""
import argparse
import random
import sys
import time

import inglenook_e2e as e2e
from driver import Failure, Window, check_against_uninterrupted, check_history, display, expect, new_home

PACE_MS = 10
IDS_PER_ANSWER = 100  # then the answer is stopped, compared with an uninterrupted one, and another one begun


class KillRun:
    """One person's window over many crashes. Every answer is a conversation of its own."""

    def __init__(self, options, screen, home):
        self._options = options
        self._screen = screen
        self._home = home
        self._random = random.Random(options.seed)
        self._window = self._start()
        e2e.load_model(self._window, self._options.model)
        self.kills = {"host": 0, "window": 0}
        self.compared_ids = 0

    def _start(self):
        return Window(self._options.bin, self._home, self._screen, PACE_MS)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self._window.__exit__(*failure)

    def run(self, count):
        while sum(self.kills.values()) < count:
            before = self._stream()
            time.sleep(self._random.uniform(0, 0.4))
            victim = self._random.choice(["host", "window"])
            if self._window.state()["generationState"] != "Streaming":
                continue  # the answer just ended
            if victim == "host":
                e2e.kill_host(self._window)
            else:
                self._kill_window()
            self.kills[victim] += 1
            self._check(before)
            total = sum(self.kills.values())
            if total % 20 == 0:
                print(f"  {total} kills: {self.kills}, {self.compared_ids} ids compared", flush=True)
        self._stream()
        self._compare(self._window.state())
        self._window.quit()

    def _stream(self):
        """Makes an answer stream, a new one after enough of the last; returns the texts of all shown messages."""
        state = self._window.wait_for(lambda s: s["generationState"] in ("Idle", "Streaming"), "the window to be ready")
        answer = e2e.answer_of(state)
        if len(answer["text"]) > IDS_PER_ANSWER:
            self._compare(state)
            self._ask()
            seen = 0
        elif state["generationState"] == "Idle" and answer["status"] in ("", "Complete"):
            self._ask()
            seen = 0
        else:
            if state["generationState"] == "Idle":
                self._window.click("continueButton")
            seen = len(answer["text"])
        state = e2e.wait_for_text(self._window, seen)
        return {message["id"]: message["text"] for message in state["messages"]}

    def _ask(self):
        self._window.click("newChatButton")
        self._window.wait_for(lambda s: s["modelState"] == "Ready" and not s["messages"], "a new conversation")
        self._window.click("composerInput")
        self._window.send_message(f"{e2e.PROMPT}, {self._random.randrange(1000)}")

    def _compare(self, state):
        if state["generationState"] == "Streaming":
            e2e.stop_answer(self._window)
        history, _ = check_history(self._home)
        answer = history.messages[e2e.answer_of(state)["id"]]
        check_against_uninterrupted(self._options.bin, self._options.model, history, answer)
        self.compared_ids += len(answer["token_ids"])

    def _kill_window(self):
        shown = self._window.state()
        e2e.kill_window(self._window)
        history, _ = check_history(self._home)
        self._window = self._start()
        state = self._window.wait_for(lambda s: s["messages"], "the conversation to be found again")
        for message in state["messages"]:
            stored = history.messages[message["id"]]["text"].decode()
            expect(message["text"] == stored, f"message {message['id']} is shown other than it was stored")
        expect(len(state["messages"]) == len(shown["messages"]), "messages are missing after a restart")
        self._window.wait_for(lambda s: s["modelState"] == "Ready", "the model after a restart")

    def _check(self, seen):
        """The history is sound, and holds what was painted and what the test saw."""
        history, _ = check_history(self._home)
        for message_id, text in seen.items():
            expect(history.messages[message_id]["text"].startswith(text.encode()), f"message {message_id} lost text")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="how often the conversation is run")
    parser.add_argument("--kills", type=int, default=200, help="how many times host or window are killed")
    parser.add_argument("--seed", type=int, default=1, help="which random moments")
    options = e2e.parse_options(parser)
    try:
        for run in range(1, options.runs + 1):
            print(f"conversation {run} of {options.runs}: {e2e.conversation(options)}", flush=True)
        if options.kills:
            with display() as screen, new_home() as home, KillRun(options, screen, home) as run:
                run.run(options.kills)
                print(f"kills: {run.kills}, {run.compared_ids} ids equal to uninterrupted runs", flush=True)
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)


if __name__ == "__main__":
    main()
