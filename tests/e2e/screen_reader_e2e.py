#!/usr/bin/env python3
"""What Orca says while the real window is used: typing, an answer as it is written, errors, cards, lists and choices,
each once. Orca writes down what it says; a voice is not needed."""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import script_model
from driver import Failure, Window, display, expect, expect_failure, new_home, wait_until

SKIPPED = 77
PROGRAMS = ("orca", "openbox", "xdotool", "dbus-daemon")
BUS_LAUNCHER = pathlib.Path("/usr/libexec/at-spi-bus-launcher")
PATIENCE = 60
ANSWER = ("The first sentence is short. Then comes a **second** one, which takes longer!\n\n```\nlet x = 1;\n```\n"
          "And the third ends it.")


def end(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Reader:
    """Orca on a session bus of its own."""

    def __init__(self, home, screen, stack):
        self.environment = home.environment(screen)
        self._log = home.root / "orca.log"
        self._seen = 0
        bus = self._start(stack, "dbus-daemon", "--session", "--print-address", "--nofork", stdout=subprocess.PIPE)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        self._start(stack, str(BUS_LAUNCHER), "--launch-immediately", "--screen-reader=1")
        self._start(stack, "openbox", "--sm-disable")
        # Its own log is written in pieces, now and then.
        (home.root / "data/orca").mkdir()
        (home.root / "data/orca/orca-customizations.py").write_text(
            "import logging\nspeech = logging.getLogger('speech')\nspeech.setLevel(logging.INFO)\n"
            f"speech.addHandler(logging.FileHandler({str(self._log)!r}))\n")
        # Without a voice.
        (home.root / "config/speech-dispatcher").mkdir()
        (home.root / "config/speech-dispatcher/speechd.conf").write_text(
            'AddModule "dummy" "sd_dummy" ""\nDefaultModule dummy\nLogLevel 1\n')
        self._start(stack, "orca", "--replace")
        self.expect_said("Screen reader on.")

    def _start(self, stack, *command, stdout=subprocess.DEVNULL):
        process = subprocess.Popen(command, env=self.environment, text=True, stdout=stdout, stderr=subprocess.DEVNULL)
        stack.callback(end, process)
        return process

    def press(self, *keys):
        subprocess.run(["xdotool", "key", *keys], env=self.environment, check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "150", text], env=self.environment, check=True)

    def said(self):
        """All so far."""
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return [line for line in re.findall(r"^SPEECH OUTPUT: '(.*)'", text, re.M) if line.strip()]

    def expect_said(self, *texts, seconds=PATIENCE):
        """Each of them, in this order, once, since this was asked last."""
        place = self._seen
        for text in texts:

            def find(text=text):
                return next((i for i, line in enumerate(self.said()) if i >= place and text in line), None)

            wait_until(lambda: find() is not None, f"Orca to say {text!r}; it said {self.said()[self._seen:]}", seconds)
            place = find() + 1
        for text in texts:
            times = sum(text in line for line in self.said()[self._seen:])
            expect(times == 1, f"{text!r} was said {times} times: {self.said()[self._seen:]}")
        self._seen = place


def check(options, home, screen):
    with contextlib.ExitStack() as stack:
        reader = Reader(home, screen, stack)
        given = {"DBUS_SESSION_BUS_ADDRESS": reader.environment["DBUS_SESSION_BUS_ADDRESS"]}
        with Window(options.bin, home, screen, pace_ms=40, extra_environment=given) as window:
            reader.expect_said("Inglenook frame.")
            model = home.root / "words.gguf"
            script_model.DIALECTS["words"] = ("", re.findall(r"\S+\s*", ANSWER))
            script_model.write_model(model, "words")
            window.drop(model)
            reader.expect_said("words is ready.")
            expect_failure(lambda: reader.expect_said("nobody says this", seconds=1), "whatever is asked for was said")

            reader.type("hi")
            reader.expect_said("h ", "i ")
            reader.press("Return")
            reader.expect_said("The first sentence is short.", "Then comes a second one, which takes longer!", "Code.",
                               "And the third ends it.")
            expect(not any("let x" in line for line in reader.said()), f"code was read out: {reader.said()}")

            damaged = home.root / "damaged.gguf"
            damaged.write_bytes(b"GGUF" + bytes(range(200)))
            window.drop(damaged)
            banner = window.wait_for(lambda s: s["banner"], "the refusal")["banner"]
            reader.expect_said(banner)

            reader.press("ctrl+k")
            reader.expect_said("All actions dialog", "Search the actions text.")
            reader.type("trash")
            reader.expect_said("Trash")
            reader.press("Escape")

            reader.press("ctrl+comma")
            reader.expect_said("Settings panel.")
            reader.press("Tab", "Tab", "Tab")
            reader.expect_said("Colours panel.", "selected radio button")
            reader.press("Escape")
            window.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="folder of the programs")
    options = parser.parse_args()
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or not BUS_LAUNCHER.exists() or shutil.which("Xvfb") is None:
        print(f"skipped: {missing or 'Xvfb or at-spi2-core'} is not installed")
        return SKIPPED
    with display() as screen, new_home() as home:
        check(options, home, screen)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
