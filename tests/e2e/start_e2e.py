#!/usr/bin/env python3
"""Starting the programs: what they answer at once, files on the command line, a second start, folders that cannot be
used."""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from driver import WAIT_SECONDS, Failure, Window, display, expect, new_home, wait_until

SKIPPED = 77


def run(command, environment, **options):
    return subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                          timeout=WAIT_SECONDS, check=False, **options)


def synthesise(options, path):
    subprocess.run([
        f"{options.bin}/ingle", "synth", "--family", "llama", "--dim", "64", "--ffn", "128", "--layers", "1", "--heads",
        "2", "--kv-heads", "2", "--vocab", "256", "--quant", "Q8_0", "-o",
        str(path)
    ],
                   check=True)


def check_words(options, home):
    """Without a display, and in a plain locale."""
    environment = {key: value for key, value in home.environment("").items() if key != "DISPLAY"} | {"LC_ALL": "C"}
    for program in ("ingle", "inglenook"):
        version = run([f"{options.bin}/{program}", "--version"], environment)
        expect(version.stdout == f"{program} {options.version}\n" and version.returncode == 0, f"--version: {version}")
        for words in (["--help"], ["-h"]):
            answer = run([f"{options.bin}/{program}", *words], environment)
            expect("--data-dir" in answer.stdout and answer.returncode == 0, f"{program} {words}: {answer}")
    wrong = run([f"{options.bin}/inglenook", "--nonsense"], environment | {"QT_QPA_PLATFORM": "offscreen"})
    expect(wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and "--nonsense" in wrong.stderr,
           f"wrong usage: {wrong}")
    none = run([f"{options.bin}/inglenook"], environment)
    expect(none.returncode == 1 and none.stderr.count("\n") == 1 and "display" in none.stderr, f"no display: {none}")


def check_files(options, home, screen):
    """A file named at the start, relative to the folder of whoever starts it; others handed to the open window."""
    first, second = home.root / "a model.gguf", home.root / "b%20model.gguf"
    synthesise(options, first)
    synthesise(options, second)
    environment = home.environment(screen)
    data = home.root / "relative data"
    arguments = ["--data-dir", data.name, first.name]
    with Window(options.bin, home, screen, arguments=arguments, folder=home.root) as window:
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model of the command line")
        expect((data / "library.json").exists() and (data / "history.sqlite").exists(), "--data-dir was not used")
        expect(not (home.root / "data/inglenook").exists(), "--data-dir was not the only folder that was used")
        for word in (second.as_uri(), f"'{first}'", f"~/{second.name}"):
            answer = run([f"{options.bin}/inglenook", "--data-dir", data, word], environment)
            expect(answer.returncode == 0 and not answer.stderr, f"a second start: {answer}")
            wanted = first if "a model" in word else second
            window.wait_for(lambda s: s["modelState"] == "Ready" and s["modelPath"] == str(wanted),
                            f"{word} to be opened")
        window.send_message("hello")
        window.wait_for(lambda s: len(s["messages"]) == 2, "a conversation")
        run([f"{options.bin}/inglenook", "--data-dir", data, "--new-chat"], environment)
        window.wait_for(lambda s: not s["messages"], "a new conversation")
        window.quit()
    listed = run([f"{options.bin}/ingle", "--data-dir", data, "inspect", "no such model"], environment)
    expect(listed.returncode == 1, "a model that is not there")


def check_portable(options, home, screen):
    """The programs in a folder of their own keep their data beside themselves."""
    folder = home.root / "portable"
    (folder / "bin").mkdir(parents=True)
    for program in ("ingle", "inglenook-test"):
        shutil.copy(f"{options.bin}/{program}", folder / "bin")
    with Window(folder / "bin", home, screen, arguments=["--portable"]) as window:
        window.wait_for(lambda s: s["modelState"] == "NoModel", "a window without a model")
        window.drop(home.root / "a model.gguf")
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
        window.quit()
    kept = {path.name for path in (folder / "data").iterdir()}
    expect({"library.json", "history.sqlite", "snapshots"} <= kept, f"--portable kept only {kept}")
    expect(not (home.root / "data/inglenook").exists() and not (home.root / "cache/inglenook").exists(),
           "--portable left something at home")


def expect_refusal(options, home, screen, folder, *reasons):
    """One sentence with these words on standard error and, as far as can be seen from outside, in a window."""
    log = home.root / "refusal.log"
    with open(log, "wb") as errors:
        process = subprocess.Popen([f"{options.bin}/inglenook", "--data-dir", str(folder)],
                                   env=home.environment(screen), stderr=errors)
    wait_until(lambda: log.read_text(encoding="utf-8").endswith("\n"), "the sentence")
    sentence = log.read_text(encoding="utf-8")
    expect(sentence.count("\n") == 1 and all(reason in sentence for reason in reasons), f"it said {sentence!r}")
    expect(process.poll() is None, "no window shows the sentence")
    process.terminate()
    process.wait()


def check_refusals(options, home, screen):
    """A folder that cannot be used, and a window that hangs."""
    plain_file = home.root / "file"
    plain_file.touch()
    expect_refusal(options, home, screen, plain_file / "data", str(plain_file / "data"), "Not a directory")
    expect_refusal(options, home, screen, "/proc/self/fdinfo", "/proc/self/fdinfo", "cannot be written")
    data = home.root / "busy"
    with Window(options.bin, home, screen, arguments=["--data-dir", data]) as window:
        os.kill(window.pid, signal.SIGSTOP)
        expect_refusal(options, home, screen, data, "does not answer")
    offscreen = home.environment(screen) | {"INGLE_DATA_DIR": str(plain_file)}
    answer = run([f"{options.bin}/ingle", "chat"], offscreen, stdin=subprocess.DEVNULL)
    expect(answer.returncode == 1 and answer.stderr.count("\n") == 1 and str(plain_file) in answer.stderr,
           f"ingle: {answer}")


def check_only_read(options, home, screen):
    """A data folder that can only be read shows the conversations and says that nothing is kept."""
    data = home.root / "only read"
    with Window(options.bin, home, screen, arguments=["--data-dir", data]) as window:
        window.wait_for(lambda s: s["modelState"] == "NoModel", "a window")
        window.quit()
    wrapper = ()
    if os.geteuid() == 0:  # who may write whatever the permissions say
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        wrapper = ("unshare", "-m", "sh", "-c", mount, str(data))
        if subprocess.run([*wrapper, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            print("skipped: a folder that can only be read, which this computer does not let us make")
            return
    else:
        for path in [*data.rglob("*"), data]:
            path.chmod(0o555 if path.is_dir() else 0o444)
    with Window(options.bin, home, screen, wrapper=wrapper, arguments=["--data-dir", data]) as window:
        window.wait_for(lambda s: str(data) in s["banner"] and "cannot be written" in s["banner"], "a banner")
        window.quit()
    for path in [data, *data.rglob("*")]:
        path.chmod(0o700)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    if not shutil.which("Xvfb"):
        print("skipped: Xvfb is not installed")
        sys.exit(SKIPPED)
    try:
        with display() as screen, new_home() as home:
            check_words(options, home)
            check_files(options, home, screen)
            check_portable(options, home, screen)
            check_refusals(options, home, screen)
            check_only_read(options, home, screen)
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)


if __name__ == "__main__":
    os.umask(0o077)
    main()
