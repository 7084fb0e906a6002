#!/usr/bin/env python3
"""The window asks a model of another computer: `ingle-bridge` leads it to an `ingle-serve`, which is killed and
restarted in the middle of an answer."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

from driver import Failure, Window, display, expect, new_home, wait_until
from serve_driver import GUIDE, Server, guide_path

SKIPPED = 77
QUESTION = "How do I import a model?"
SLOWLY_MS = 40
GONE_SECONDS = 2.5  # longer than two attempts take


class Bridge:
    """One run of ingle-bridge, as the person of `home` starts it."""

    def __init__(self, bin_dir, home, url):
        self.socket = home.root / "run/inglenook/bridge.sock"
        self._log = open(home.root / "bridge.log", "ab")
        self._process = subprocess.Popen([bin_dir / "ingle-bridge", "--url", url], stderr=self._log,
                                         env={**os.environ, "XDG_RUNTIME_DIR": str(home.root / "run")})
        wait_until(self.socket.exists, "the bridge")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self._log.close()

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            expect(self._process.wait(timeout=60) == 0, "the bridge did not end in order")


def wait_idle(window, what):
    return window.wait_for(
        lambda s: s["generationState"] == "Idle" and s["messages"] and s["messages"][-1]["role"] == "assistant", what)


def kill_in_the_middle(window, servers, start_server):
    """Kills the server once some of the answer is there, and starts another; returns what was there."""
    def begun():
        state = window.state()
        return state["messages"][-1]["text"] if len(state["messages"]) >= 2 and len(
            state["messages"][-1]["text"]) > 60 else None
    before = wait_until(begun, "the beginning of an answer")
    expect(window.state()["generationState"] == "Streaming", "the answer was whole before it could be broken")
    servers.pop().kill()
    time.sleep(GONE_SECONDS)
    expect(window.state()["generationState"] == "Streaming", "the answer did not wait for the server")
    servers.append(start_server())
    return before


def expect_whole(window, before):
    """One answer, which went on by itself: it begins as it did, and its beginning stands there once."""
    message = wait_idle(window, "the rest of the answer")["messages"][-1]
    expect(message["status"] == "Complete", f"the answer is {message['status']}: {message['error']}")
    expect(message["text"].startswith(before) and len(message["text"]) > len(before),
           f"after {before!r} there is {message['text']!r}")
    expect(message["text"].count(before[:40]) == 1, f"the answer begins twice: {message['text']!r}")
    return message["text"]


def expect_refused(window, words):
    window.send_message(words)
    state = window.wait_for(lambda s: s["bannerAction"] == "Send it this time", "the question whether it may be sent")
    expect(state["draft"] == words and state["generationState"] == "Idle", f"before it was allowed: {state}")
    return state


def check(options, home, screen):
    far = home.root / "far"
    far.mkdir()
    servers = [Server(options.bin, far, pace_ms=SLOWLY_MS)]
    port = servers[0].port

    def start_server():
        return Server(options.bin, far, listen=str(port), pace_ms=SLOWLY_MS)

    def shot(window, name):
        if options.shots:
            window.command("screenshot", path=str(options.shots / f"{name}.png"))

    environment = {"INGLE_GUIDE": str(guide_path(options.bin))}
    try:
        with Bridge(options.bin, home, f"http://127.0.0.1:{port}/v1") as bridge:
            with Window(options.bin, home, screen, extra_environment=environment) as window:
                state = window.wait_for(lambda s: s["modelState"] == "Ready", "the guide")
                expect(not state["modelPath"].startswith("bridge:"), "a model of another computer is a default")
                window.command("act", action="models")
                window.wait_for(lambda s: s["models"] == 2, "the models")
                shot(window, "picker")
                window.click("model-1")
                window.click("useChosen")
                state = window.wait_for(lambda s: s["modelPath"] == f"bridge:{GUIDE}" and s["modelState"] == "Ready",
                                        "the far model")
                expect("sent to" in state["statusLine"], f"the window says {state['statusLine']!r}")
                window.send_message(QUESTION)
                before = kill_in_the_middle(window, servers, start_server)
                shot(window, "answering")
                text = expect_whole(window, before)
                window.command("act", action="checkAnswer")
                window.wait_for(lambda s: "Not verifiable" in s["toast"], "what can be proved")
                shot(window, "answered")

                window.command("act", action="privateChat")
                window.wait_for(lambda s: s["private"] and not s["messages"], "the private chat")
                state = expect_refused(window, QUESTION)
                expect("private" in state["banner"], state["banner"])
                shot(window, "private")
                window.click("bannerAction")
                window.wait_for(lambda s: s["messages"] and s["messages"][-1]["text"], "an answer that was allowed")
                window.command("act", action="stop")
                wait_idle(window, "the end of it")
                window.command("act", action="closePrivateChat")
                window.wait_for(lambda s: not s["private"] and s["messages"], "the chat of before")

                # Without the bridge it is said what to do, and what was written stays.
                bridge.stop()
                window.send_message("And then?")
                window.wait_for(lambda s: len(s["messages"]) == 4, "the question to be stored")
                message = wait_idle(window, "a refusal")["messages"][-1]
                expect(message["status"] == "Failed" and "bridge" in message["error"], f"without a bridge: {message}")
                window.quit()
            with Window(options.bin, home, screen, extra_environment=environment) as window:
                state = window.wait_for(lambda s: s["modelState"] == "Ready" and len(s["messages"]) == 4,
                                        "the window of the next day")
                expect(not state["modelPath"].startswith("bridge:"), "a model of another computer is a default")
                expect(state["messages"][1]["text"] == text, "the answer is another one now")
    finally:
        for server in servers:
            server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--shots", type=pathlib.Path, help="a folder for pictures of the window")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if not shutil.which("Xvfb") or not (options.bin / "inglenook-test").exists():
        print("skipped: there is no Xvfb or no window")
        return SKIPPED
    try:
        with new_home() as home, display() as screen:
            check(options, home, screen)
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
