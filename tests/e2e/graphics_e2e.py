#!/usr/bin/env python3
"""Graphics drivers in the real window and the real host, end to end. The graphics card is Mesa's software driver in
disguise (fake_gpu.cpp).

  absent   no Vulkan at all: everything works, and nobody is told anything but by `ingle devices`
  probe    a driver that crashes at its first call: the chat answers on the processor, and a sentence says why
  trial    one that crashes when its device is tried out: as well; that is remembered, until the device is chosen in
  the settings load     one that crashes when it is to be used: as well; it is remembered, until the device is chosen
  in the settings terminal as load, in `ingle chat`: it goes on on the processor
  answer   one that crashes in the middle of an answer: the same answer goes on, on the processor
  lost     a device that is lost in the middle of an answer, which goes on in the same host; the next model, or
           conversation, has the device again
  killed   a host that somebody kills says nothing about the driver
  slow     a card that is slower than the processor: that answers, and a sentence says why, until the card is chosen
  in the settings
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from driver import Failure, Window, check_history, display, expect, new_home
from inglenook_e2e import (PACE_MS, PROMPT, SKIPPED, answer_of, kill_host, load_model, model_file, stop_answer,
                           wait_for_text)

GPU = "Fake GPU"
BLAMED = f"the driver of {GPU} crashed or hung"
RESTARTED = "started again"
LEFT = "failed, so the processor goes on"
MESA_MANIFESTS = pathlib.Path("/usr/share/vulkan/icd.d")


def mesa_driver():
    """The library of Mesa's software driver, or None."""
    for manifest in MESA_MANIFESTS.glob("lvp_icd*.json"):
        return json.loads(manifest.read_text())["ICD"]["library_path"]
    return None


class Computer:
    """A person's folders, and what their computer has for graphics."""

    def __init__(self, options, home):
        self._options = options
        self.home = home
        self.trigger = home.root / "crash-now"
        self._manifest = home.root / "fake_gpu.json"
        self._manifest.write_text(json.dumps({"file_format_version": "1.0.0",
                                              "ICD": {"library_path": options.fake_gpu, "api_version": "1.2.0"}}))

    def environment(self, crashes, speed={"INGLE_SLOW_DEVICE": "1"}):
        """The fake card computes on the processor, so it would be left to that for its speed."""
        return {
            **speed, "VK_DRIVER_FILES": str(self._manifest), "FAKE_GPU_DRIVER": self._options.mesa,
            "FAKE_GPU_CRASHES": crashes, "FAKE_GPU_TRIGGER": str(self.trigger),
            "MESA_SHADER_CACHE_DIR": self._options.shader_cache
        }

    def window(self, screen, environment):
        return Window(self._options.bin, self.home, screen, PACE_MS, extra_environment=environment)

    def run(self, environment, *arguments, typed=""):
        """The command line, which must end well."""
        result = subprocess.run([f"{self._options.bin}/ingle", *arguments],
                                env={**self.home.environment(""), **environment},
                                input=typed,
                                capture_output=True,
                                encoding="utf-8",
                                check=False)
        expect(result.returncode == 0, f"ingle {arguments} ended with {result.returncode}: {result.stderr}")
        return result

    def ingle(self, environment, *arguments):
        return self.run(environment, *arguments).stdout

    def devices(self, environment):
        """One line for each device."""
        return self.ingle(environment, "devices").splitlines()

    def warm(self):
        """Lets the driver compile the shaders, which takes it longer than a test of a window may wait. It keeps them
        for the scenarios that follow."""
        self.ingle(self.environment(""), "run", str(self._options.model), "--raw", "-p", "a", "-n", "1")


def ask(window, text=PROMPT):
    """A question, and the beginning of its answer."""
    window.send_message(text)
    return wait_for_text(window, 20)


def finish(window, computer):
    """Ends the answer and the window; what was painted must be there."""
    stop_answer(window)
    window.quit()
    _, painted = check_history(computer.home)
    expect(painted > 20, f"only {painted} bytes were painted")


def expect_processor(state, sentence):
    expect(GPU not in state["statusLine"].replace(sentence, ""), f"the status line says {state['statusLine']}")
    expect(sentence in state["statusLine"], f"the status line does not say why: {state['statusLine']}")


def absent(options, computer, screen):
    without = {"LD_PRELOAD": options.no_vulkan}
    lines = computer.devices(without)
    expect(
        len(lines) == 2 and "used automatically" in lines[0] and "Vulkan is not installed" in lines[1],
        f"devices: {lines}")
    with computer.window(screen, without) as window:
        load_model(window, options.model)
        state = ask(window)
        expect(state["fallback"] == "", f"somebody without a graphics card is told: {state['fallback']}")
        stop_answer(window)
        window.command("key", key="Comma", modifiers=["ctrl"])
        window.click("device-processor")
        state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model on the processor")
        expect(state["deviceChoices"] == ["Automatic", "Processor"], f"the settings offer {state['deviceChoices']}")
        if options.shots:
            window.command("screenshot", path=str(pathlib.Path(options.shots) / "settings-empty.png"))
        window.quit()
    check_history(computer.home)


def probe(options, computer, screen):
    broken = computer.environment("probe")
    sentence = "crashed when it was tried out"
    expect(sentence in computer.devices(broken)[1], "devices does not say what is wrong")
    with computer.window(screen, broken) as window:
        load_model(window, options.model)
        state = ask(window)
        expect_processor(state, sentence)
        expect(RESTARTED not in state["fallback"], "the trial took the host down")
        finish(window, computer)


def trial(options, computer, screen):
    broken = computer.environment("trial")
    sentence = f"the driver of {GPU} crashed when it was tried out"
    expect(f"only by name: {sentence}" in computer.devices(broken)[1], f"devices: {computer.devices(broken)}")
    with computer.window(screen, broken) as window:
        load_model(window, options.model)
        state = ask(window)
        expect_processor(state, sentence)
        expect(RESTARTED not in state["fallback"], "the trial took the host down")
        finish(window, computer)
    with computer.window(screen, computer.environment("")) as window:
        state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model after a restart")
        expect_processor(state, sentence)
        window.command("key", key="Comma", modifiers=["ctrl"])
        window.click(f"device-{GPU}")
        state = window.wait_for(lambda s: s["modelState"] == "Ready" and GPU in s["device"], "the model on the device")
        expect(state["fallback"] == "", f"a device that works is commented: {state['fallback']}")
        window.quit()


def load(options, computer, screen):
    broken = computer.environment("device")
    expect("used automatically" in computer.devices(broken)[1], "the fake passes no trial")
    with computer.window(screen, broken) as window:
        load_model(window, options.model)
        state = ask(window)
        expect_processor(state, BLAMED)
        expect(RESTARTED in state["fallback"], "the driver did not crash")
        if options.shots:
            window.command("screenshot", path=str(pathlib.Path(options.shots) / "crashed.png"))
        finish(window, computer)
    # It is remembered: the next window does not even try, until somebody wants it to.
    computer.warm()
    healthy = computer.environment("")
    expect(BLAMED in computer.devices(healthy)[1], f"devices: {computer.devices(healthy)}")
    with computer.window(screen, healthy) as window:
        state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model after a restart")
        expect_processor(state, BLAMED)
        expect(RESTARTED not in state["fallback"], "the driver was tried again")
        window.command("key", key="Comma", modifiers=["ctrl"])
        window.click(f"device-{GPU}")
        state = window.wait_for(lambda s: s["modelState"] == "Ready" and GPU in s["device"], "the model on the device")
        expect(state["fallback"] == "", f"a device that works is commented: {state['fallback']}")
        expect(state["deviceChoices"] == ["Automatic", "Processor", GPU],
               f"the settings offer {state['deviceChoices']}")
        for theme in ("light", "dark"):
            window.click(f"theme-{theme}")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / f"settings-{theme}.png"))
        window.command("key", key="Escape")
        window.click("composerInput")
        ask(window)
        finish(window, computer)
    expect("used automatically" in computer.devices(healthy)[1], "an answer that ended well does not count")


def terminal(options, computer, screen):
    chat = ("chat", str(options.model), "--temp", "0", "--ctx", "128")
    questions = f"{PROMPT}\nAnd then?\n"
    expected = computer.run({}, *chat, "--backend", "cpu", typed=questions).stdout
    expect(len(expected) > 40, f"the processor answers {expected}")
    broken = computer.environment("device")
    result = computer.run(broken, *chat, typed=questions)
    expect(result.stdout == expected, f"after a crash the chat says {result.stdout}")
    expect(result.stderr.count(BLAMED) == 1, f"after a crash standard error says {result.stderr}")
    result = computer.run(broken, *chat, typed=questions)
    expect(result.stdout == expected and BLAMED in result.stderr,
           f"after a crash that is remembered the chat says {result}")
    # By name it is tried again, whatever way out it takes.
    ways = ({"FAKE_GPU_SIGNAL": str(int(signal.SIGABRT))}, {"FAKE_GPU_SIGNAL": str(int(signal.SIGBUS))},
            {"FAKE_GPU_EXIT": "0"}, {"FAKE_GPU_EXIT": "1"})
    for way in ways:
        result = computer.run({**broken, **way}, *chat, "--device", GPU, typed=questions)
        expect(result.stdout == expected and BLAMED in result.stderr, f"after {way} the chat says {result}")


def answer(options, computer, screen):
    computer.warm()
    fragile = {**computer.environment("submit"), "FAKE_GPU_SIGNAL": str(int(signal.SIGBUS))}
    with computer.window(screen, fragile) as window:
        load_model(window, options.model)
        before = ask(window)
        expect(GPU in before["device"] and before["fallback"] == "",
               f"{before['device']} answers: {before['fallback']}")
        computer.trigger.touch()
        after = window.wait_for(
            lambda s: s["hostPid"] not in
            (0, before["hostPid"]) and len(answer_of(s)["text"]) > len(answer_of(before)["text"]) + 60,
            "the answer to go on")
        expect(answer_of(after)["id"] == answer_of(before)["id"], "the answer goes on in another message")
        expect(answer_of(after)["text"].startswith(answer_of(before)["text"]), "text changed when the driver crashed")
        expect_processor(after, BLAMED)
        finish(window, computer)
    expect(BLAMED in computer.devices(fragile)[1], "the crash was forgotten")
    with computer.window(screen, fragile) as window:
        state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model after a restart")
        expect_processor(state, BLAMED)
        expect(RESTARTED not in state["fallback"], "the driver was tried again")
        window.quit()


def lost(options, computer, screen):
    computer.warm()
    other = computer.home.root / f"another{options.model.suffix}"
    shutil.copy(options.model, other)

    def shoot(window, name):
        if options.shots:
            picture = computer.home.root / f"data/inglenook/lost-{name}.png"  # where the window may write
            window.command("screenshot", path=str(picture))
            shutil.move(picture, pathlib.Path(options.shots) / picture.name)

    with computer.window(screen, computer.environment("lost")) as window:
        load_model(window, options.model)
        before = ask(window)
        expect(GPU in before["device"] and before["fallback"] == "",
               f"{before['device']} answers: {before['fallback']}")
        shoot(window, "before")
        computer.trigger.touch()
        after = window.wait_for(lambda s: len(answer_of(s)["text"]) > len(answer_of(before)["text"]) + 60,
                                "the answer to go on")
        expect(after["hostPid"] == before["hostPid"], "the host did not survive")
        expect(answer_of(after)["id"] == answer_of(before)["id"], "the answer goes on in another message")
        expect(answer_of(after)["text"].startswith(answer_of(before)["text"]), "text changed when the device was lost")
        expect(GPU not in after["device"] and LEFT in after["fallback"],
               f"{after['device']} goes on: {after['fallback']}")
        shoot(window, "after")
        stop_answer(window)
        computer.trigger.unlink()
        load_model(window, other)
        state = window.wait_for(lambda s: s["modelState"] == "Ready" and GPU in s["device"], "the device again")
        expect(state["fallback"] == "", f"a device that works is commented: {state['fallback']}")
        state = ask(window, "And with another model?")
        expect(GPU in state["device"] and state["fallback"] == "", f"{state['device']} answers: {state['fallback']}")
        shoot(window, "other-model")
        stop_answer(window)
        computer.trigger.touch()
        ask(window, "Once more")
        window.wait_for(lambda s: LEFT in s["fallback"], "the processor")
        stop_answer(window)
        computer.trigger.unlink()
        window.command("key", key="N", modifiers=["ctrl"])
        state = ask(window, "And in another conversation?")
        expect(GPU in state["device"] and state["fallback"] == "", f"{state['device']} answers: {state['fallback']}")
        shoot(window, "other-chat")
        finish(window, computer)


def killed(options, computer, screen):
    computer.warm()
    healthy = computer.environment("")
    with computer.window(screen, healthy) as window:
        load_model(window, options.model)
        ask(window)
        kill_host(window)
        state = window.state()
        expect(GPU in state["device"], f"{state['device']} goes on")
        expect(BLAMED not in state["fallback"], "the driver is blamed for what it did not do")
        finish(window, computer)
    expect("used automatically" in computer.devices(healthy)[1], "the driver is blamed for what it did not do")


def slow(options, computer, screen):
    computer.warm()
    is_slow = computer.home.root / "slow"
    is_slow.touch()
    with computer.window(screen, computer.environment("", speed={"FAKE_GPU_SLOW": str(is_slow)})) as window:
        load_model(window, options.model)
        state = ask(window)
        expect(GPU not in state["device"], f"{state['device']} answers")
        expect("is slower than the processor with this model" in state["statusLine"],
               f"the status line does not say why: {state['statusLine']}")
        if options.shots:
            window.command("screenshot", path=str(pathlib.Path(options.shots) / "slower.png"))
        stop_answer(window)
        is_slow.unlink()
        window.command("key", key="Comma", modifiers=["ctrl"])
        window.click(f"device-{GPU}")
        state = window.wait_for(lambda s: s["modelState"] == "Ready" and GPU in s["device"], "the device by name")
        expect(state["fallback"] == "", f"a device that was chosen is commented: {state['fallback']}")
        window.command("key", key="Escape")
        window.click("composerInput")
        ask(window)
        finish(window, computer)


SCENARIOS = (absent, probe, trial, load, terminal, answer, lost, killed, slow)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help="default: all")
    parser.add_argument("--bin", required=True, help="the folder of inglenook-test and ingle")
    parser.add_argument("--fake-gpu", required=True, help="libfake_gpu.so")
    parser.add_argument("--no-vulkan", required=True, help="libno_vulkan.so")
    parser.add_argument("--shots", help="a folder for screenshots")
    options = parser.parse_args()
    options.mesa = mesa_driver()
    if not options.mesa:
        print(f"skipped: Mesa's software driver is not in {MESA_MANIFESTS}")
        sys.exit(SKIPPED)
    options.bin = os.path.abspath(options.bin)
    options.model = model_file(options.bin)
    with tempfile.TemporaryDirectory() as options.shader_cache:
        run(options)


def run(options):
    for scenario in SCENARIOS:
        if options.scenarios and scenario.__name__ not in options.scenarios:
            continue
        start = time.monotonic()
        try:
            with display() as screen, new_home() as home:
                scenario(options, Computer(options, home), screen)
        except Failure as failure:
            print(f"{scenario.__name__}: FAILED: {failure}")
            sys.exit(1)
        print(f"{scenario.__name__}: passed in {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
