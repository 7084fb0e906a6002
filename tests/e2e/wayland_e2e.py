#!/usr/bin/env python3
"""The real window on a Wayland compositor (Weston in an X display), at several scales: it starts, keys reach it, a
model answers, and it ends as it should."""
import argparse
import contextlib
import os
import shutil
import subprocess
import sys

import script_model
from driver import Failure, Window, display, expect, new_home, wait_until

SKIPPED = 77
SOCKET = "wayland-inglenook"


@contextlib.contextmanager
def compositor(home, screen):
    """One that has a keyboard and a pointer: those of the X display. Yields what programs need to find it."""
    environment = home.environment(screen)
    with open(home.root / "weston.log", "wb") as log:
        process = subprocess.Popen(["weston", "--backend=x11-backend.so", "--width=1200", "--height=900",
                                    f"--socket={SOCKET}", "--idle-time=0"],
                                   env=environment, stdout=log, stderr=log)
    try:
        wait_until(lambda: (home.root / "run" / SOCKET).exists(), "Weston")
        yield {"WAYLAND_DISPLAY": SOCKET, "QT_QPA_PLATFORM": "wayland"}
    finally:
        process.terminate()
        process.wait()


def check(options, home, screen, given, scale):
    keyboard = os.environ | {"DISPLAY": screen}
    model = home.root / f"words-{scale}.gguf"
    script_model.DIALECTS["words"] = ("", ["It ", "rains."])
    script_model.write_model(model, "words")
    with Window(options.bin, home, screen, extra_environment=given | {"QT_SCALE_FACTOR": scale}) as window:
        window.drop(model)
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model")

        # The window has the keyboard as soon as it is shown.
        def typed():
            subprocess.run(["xdotool", "type", "--delay", "30", "hello"], env=keyboard, check=True)
            return "hello" in window.state()["draft"]

        wait_until(typed, "what was typed", 60)
        subprocess.run(["xdotool", "key", "Return"], env=keyboard, check=True)
        shown = window.wait_for(lambda s: len(s["messages"]) == 2 and s["generationState"] == "Idle", "the answer")
        expect(shown["messages"][1]["text"] == "It rains.", f"the answer is {shown['messages']}")
        window.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="folder of the programs")
    options = parser.parse_args()
    missing = [name for name in ("weston", "xdotool", "Xvfb") if shutil.which(name) is None]
    if missing:
        print(f"skipped: {missing} is not installed")
        return SKIPPED
    for scale in ("1.25", "1.5"):
        with display("1280x1024") as screen, new_home() as home, compositor(home, screen) as given:
            check(options, home, screen, given, scale)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
