#!/usr/bin/env python3
"""A newcomer's first minute in milliseconds: from the start of the window to its first frame and to a guide that is
ready, and from a click on a suggested question to the first painted word. Runs the test build of the window under
Xvfb; every start has new folders, the programs are warm from the second one on."""
import argparse
import json
import pathlib
import sqlite3
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))
from driver import Window, display, new_home, wait_until  # noqa: E402


def start_with_chats(bin_dir, screen, count):
    """Of a window with so many chats: its first frame, and when they are listed and a typed letter stands in the text
    field."""
    with new_home() as home:
        with Window(bin_dir, home, screen) as window:
            window.quit()
        with sqlite3.connect(home.history) as history:
            history.executemany(
                "INSERT INTO conversations (title, model_id, created_ms, updated_ms) VALUES (?, '', ?, ?)",
                [(f"What is said in chat {i}", 1 + i * 10**7, 1 + i * 10**7) for i in range(count)])
        begin = time.monotonic() * 1000
        with Window(bin_dir, home, screen) as window:
            window.wait_for(lambda s: s["conversations"] == count, "the chats")
            window.command("type", text="a")
            state = window.wait_for(lambda s: s["draft"] == "a" and s["firstFrameMs"], "a letter")
            end = time.monotonic() * 1000
            window.quit()
    return {"first frame": state["firstFrameMs"] - begin, f"{count} chats and a letter": end - begin}


def one_start(bin_dir, screen):
    guide = {"INGLE_GUIDE": str(pathlib.Path(bin_dir).parent / "share/inglenook/guide.gguf")}
    with new_home() as home:
        begin = time.monotonic() * 1000
        with Window(bin_dir, home, screen, extra_environment=guide) as window:
            state = window.wait_for(lambda s: s["firstFrameMs"] and s["modelState"] == "Ready", "the guide")
            window.wait_for(lambda s: s["firstFrameMs"], "a frame")
            clicked = time.monotonic() * 1000
            window.click("suggestion-0")
            painted = wait_until(lambda: home.paint_log.exists() and home.paint_log.read_text().partition("\n")[0],
                                 "a word")
            window.quit()
    return {"first frame": state["firstFrameMs"] - begin, "guide ready": state["modelReadyMs"] - begin,
            "first word after click": json.loads(painted)["ms"] - clicked}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--chats", type=int, help="the start of a window that has so many, instead")
    args = parser.parse_args()

    def once(screen):
        return start_with_chats(args.bin, screen, args.chats) if args.chats else one_start(args.bin, screen)

    with display() as screen:
        once(screen)
        runs = [once(screen) for _ in range(args.runs)]
    for name in runs[0]:
        figures = sorted(run[name] for run in runs)
        print(f"{name:26} median {statistics.median(figures):6.0f} ms, {figures[0]:.0f} to {figures[-1]:.0f}")


if __name__ == "__main__":
    main()
