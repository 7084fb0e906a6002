#!/usr/bin/env python3
"""Private chats: no byte of what was said in one is in any file afterwards, and no process that knew it can be
dumped."""
import argparse
import os
import pathlib
import random
import shutil
import signal
import string
import subprocess
import sys
import time

from driver import Failure, Window, display, expect, expect_failure, is_running, new_home, wait_until

SKIPPED = 77
NOBODY = 65534
DRAFT_SECONDS = 1  # longer than a draft waits to be saved


def new_word():
    return "".join(random.choices(string.ascii_lowercase, k=24))


def files_of(home, since):
    """Everything that the programs may have written: their folders, and what is newer than the test where others
    write as well."""
    for folder in (home.root, pathlib.Path("/tmp"), pathlib.Path("/var/tmp"), pathlib.Path("/dev/shm"),
                   pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent"))):
        for path, _, names in os.walk(folder, onerror=lambda _: None):
            for name in names:
                file = pathlib.Path(path, name)
                try:
                    is_new = home.root in file.parents or file.lstat().st_mtime >= since
                    if is_new and file.is_file() and not file.is_symlink():
                        yield file
                except OSError:
                    continue  # another program's, which is gone


def find(home, since, words):
    """The files that hold one of the words, in the encodings of texts in files and in memory."""
    wanted = [word.encode(encoding) for word in words for encoding in ("utf-8", "utf-16-le")]
    found = []
    for file in files_of(home, since):
        try:
            content = file.read_bytes()
        except OSError:
            continue
        found += [f"{file}: {word!r}" for word in wanted if word in content]
    return found


def expect_nowhere(home, since, words):
    found = find(home, since, words)
    expect(not found, f"words of a private chat are in {found[:5]}")


def children_of(pid):
    return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()]


def expect_no_dump(pid):
    """The kernel gives what it knows of a process that must not be dumped to root."""
    name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    limit = next(
        line for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines() if "core file size" in line)
    expect(limit.split()[4:6] == ["0", "0"], f"{name}: {limit}")
    expect(os.stat(f"/proc/{pid}/mem").st_uid == 0, f"{name} can be dumped")


def wait_for_answer(window, messages):
    state = window.wait_for(lambda s: len(s["messages"]) == messages and s["generationState"] == "Idle"
                            and s["messages"][-1]["text"], "an answer")
    return state["messages"][-1]["text"]


def snapshots(home):
    return sorted(str(path) for path in home.snapshots.rglob("*")) if home.snapshots.exists() else []


def check(options, home, screen):
    since = time.time() - 1
    # Who may dump whom is a matter of users, and root may everything.
    wrapper = ["prlimit", "--core=unlimited:unlimited"]
    if os.getuid() == 0:
        wrapper += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        for path in [home.root, *home.root.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    environment = {"INGLE_PAINT_LOG": "", "INGLE_GUIDE": str(options.bin.parent / "share/inglenook/guide.gguf")}
    start = {"wrapper": wrapper, "extra_environment": environment, "folder": home.root}
    kept, drafted, asked, changed, again, last = (new_word() for _ in range(6))

    with Window(options.bin, home, screen, **start) as window:
        window.wait_for(lambda s: s["modelState"] == "Ready", "the guide")
        window.send_message(f"What is top-p? {kept}")
        kept_answer = wait_for_answer(window, 2)
        host = window.state()["hostPid"]
        # What the test looks at tells a chat that is kept from one that is not.
        wait_until(lambda: find(home, since, [kept]), "the history to hold what is kept")
        expect_failure(lambda: expect_no_dump(host), "the engine cannot be dumped before there is a private chat")
        if shutil.which("xdg-dbus-proxy"):
            expect_no_dump(window.pid)
        else:
            expect_failure(lambda: expect_no_dump(window.pid), "a window that is not held cannot be dumped")
        before = snapshots(home)
        expect(before, "the engine keeps nothing")

        window.command("key", key="N", modifiers=["ctrl", "shift"])
        window.wait_for(lambda s: s["private"] and not s["messages"], "the private chat")
        expect(window.state()["title"] == "", "a private chat with a title")
        for pid in (window.pid, host):
            wait_until(lambda pid=pid: not dumps(pid), "the processes to be protected", 30)
        window.command("type", text=drafted)
        time.sleep(DRAFT_SECONDS)
        expect_nowhere(home, since, [drafted])
        window.command("key", key="A", modifiers=["ctrl"])
        # A question that the guide knows: what it says to random words it may have said in the chat that is kept.
        window.send_message("What does ingle doctor do?")
        answer = wait_for_answer(window, 2)[:60]
        expect(answer not in kept_answer, f"both chats say {answer!r}, so nothing can be told from it")
        words = [drafted, answer, asked]
        window.command("key", key="Up")
        window.wait_for(lambda s: s["focus"] == "messageEditor", "the field of the question")
        window.command("type", text=f" {changed} ```python\nx = '{asked}'\n```")
        window.command("key", key="Return")
        window.wait_for(lambda s: changed in s["messages"][0]["text"], "the changed question")
        wait_for_answer(window, 2)
        window.command("key", key="F", modifiers=["ctrl"])
        window.command("type", text=changed)
        window.command("key", key="Escape")
        words.append(changed)
        for pid in (window.pid, host, *children_of(window.pid)):
            expect_no_dump(pid)
        # A host that takes the place of one that crashed is protected as well.
        os.kill(host, signal.SIGSEGV)
        wait_until(lambda: not is_running(host), "the host to end")
        window.send_message(again)
        wait_for_answer(window, 4)
        words.append(again)
        expect(window.state()["hostPid"] != host, "the same host")
        expect_no_dump(window.state()["hostPid"])
        # Other chats are there beside it, and are kept.
        window.command("key", key="N", modifiers=["ctrl"])
        window.wait_for(lambda s: not s["private"], "another chat")
        window.command("key", key="N", modifiers=["ctrl", "shift"])
        window.wait_for(lambda s: s["private"] and len(s["messages"]) == 4, "the private chat again")
        window.command("type", text=last)
        words.append(last)
        time.sleep(DRAFT_SECONDS)
        expect_nowhere(home, since, words)
        expect(set(snapshots(home)) <= set(before), "the engine kept something of a private chat")
        window.click("closePrivateButton")
        window.wait_for(lambda s: not s["private"], "the private chat to be closed")
        window.command("key", key="N", modifiers=["ctrl", "shift"])
        window.wait_for(lambda s: s["private"] and not s["messages"] and not s["draft"], "a new private chat")
        window.command("type", text=last)
        expect_no_dump(window.pid)
        os.kill(window.pid, signal.SIGSEGV)
        wait_until(lambda: not is_running(window.pid), "the window to crash")
    wait_until(lambda: not is_running(window.pid), "everything to end")
    reports = list(home.root.rglob("crashes/*"))
    expect(len(reports) >= 2, f"reports of two crashes: {reports}")
    expect_nowhere(home, since, words)
    expect_failure(lambda: expect_nowhere(home, since, [kept]), "what is kept is nowhere")

    with Window(options.bin, home, screen, **start) as window:
        state = window.wait_for(lambda s: s["modelState"] == "Ready" and s["messages"], "the next start")
        expect(kept in state["messages"][0]["text"] and not state["private"], "the chat that is kept is not there")
        window.quit()
    expect_nowhere(home, since, words)


def dumps(pid):
    try:
        expect_no_dump(pid)
    except Failure:
        return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    missing = [program for program in ("Xvfb", "prlimit", "setpriv") if shutil.which(program) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not found")
        return SKIPPED
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    print(f"core dumps: {pattern}")
    with display() as screen, new_home() as home:
        check(options, home, screen)
    print("nothing of a private chat was found")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
