#!/usr/bin/env python3
"""The packages of build/package in clean systems, Debian 12 and 13: installed, started, asked, upgraded, removed; the
portable archive without Qt and read-only. Needs root, debootstrap and a Debian mirror; `./dev soak` runs it.

  checkers   lintian, the desktop file and the metainfo
  packages   the .debs in Debian 12
  portable   the archive in Debian 12 and 13
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from system import PERSON, Failure, System, run

from driver import display, expect, wait_until

QUESTION = "How do I open a model?"
SYSTEM_LIBRARY = re.compile(r"lib(c|m|pthread|stdc\+\+|gcc_s|GL\w*|EGL|OpenGL|vulkan|drm\w*|gbm)\.so")
PACKAGES = ("ingle-bridge", "ingle-serve", "ingle", "inglenook")
# What a desktop without Qt has: the OpenGL front ends, which the archive leaves to the system, and a font.
DESKTOP = ("libegl1", "libgl1", "libopengl0", "fontconfig-config", "fonts-dejavu-core")


def messages(data):
    """(role, status, text) of every message, oldest first."""
    if not (data / "history.sqlite").exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{data}/history.sqlite?mode=ro", uri=True)) as database:
        return database.execute(
            "SELECT role, status, (SELECT group_concat(text, '') FROM parts WHERE message_id = messages.id) FROM "
            "messages ORDER BY id"
        ).fetchall()


class Window:
    """inglenook as the person sees it: found on the screen, spoken to by keys, judged by what it leaves in its
    folder."""

    def __init__(self, system, screen, *command, locale="C", data=".local/share/inglenook"):
        self.data = system.home / data if not os.path.isabs(data) else system.root / data[1:]
        self._screen = screen
        self._process = system.start(*command, display=screen, locale=locale)
        wait_until(self._shown, "the window", 60)

    def _xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env={"DISPLAY": self._screen, "PATH": os.environ["PATH"]},
                              capture_output=True, text=True, check=False)

    def _shown(self):
        expect(self._process.poll() is None, f"the window ended with {self._process.poll()}")
        return self._xdotool("search", "--onlyvisible", "--name", "Inglenook").stdout.split()

    def keys(self, *words):
        for window in self._shown():
            self._xdotool("windowfocus", "--sync", window)
        self._xdotool(*words)

    def ask(self, text):
        before = len(messages(self.data))
        wait_until(lambda: (self.data / "library.json").exists(), "the library")

        def asked():
            if len(messages(self.data)) > before:
                return True
            self.keys("key", "--clearmodifiers", "ctrl+a")
            self.keys("type", "--delay", "5", text)
            self.keys("key", "Return")
            with contextlib.suppress(Failure):
                wait_until(lambda: len(messages(self.data)) > before, "the question", 3)
            return False

        wait_until(asked, "the question in the history")
        wait_until(lambda: messages(self.data)[-1][:2] == ("assistant", "complete"), "the answer", 60)
        return messages(self.data)[-1][2]

    def quit(self):
        def ended():
            with contextlib.suppress(Failure):
                self.keys("key", "ctrl+q")  # lost while the window has no focus yet
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            return self._process.poll() is not None

        wait_until(ended, "the window to end", 30)
        expect(self._process.returncode == 0, f"the window ended with {self._process.returncode}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def speak_german(system):
    system.install("locales")
    system.sh("localedef -i de_DE -f UTF-8 de_DE.UTF-8")


def expect_right(answer):
    """The guide has more than one way to say it."""
    expect(re.search("drop|drag|Ctrl", answer, re.IGNORECASE), f"the guide answered {answer!r}")


def ask_the_guide(window):
    expect_right(window.ask(QUESTION))


def older(package, folder):
    """The package with a lower version and a file that the next one has no more."""
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    run("dpkg-deb", "-R", package, tree)
    control = tree / "DEBIAN/control"
    text = control.read_text(encoding="utf-8")
    version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]
    control.write_text(text.replace(f"Version: {version}", "Version: 0.0.1").replace(f"(= {version})", "(= 0.0.1)"),
                       encoding="utf-8")
    name = package.name.split("_")[0]
    (tree / f"usr/share/doc/{name}/only-in-{name}-0.0.1").touch()
    result = folder / package.name.replace(version, "0.0.1")
    run("dpkg-deb", "--root-owner-group", "-b", tree, result)
    shutil.rmtree(tree)
    return result


def opened_by_desktop(system, screen):
    """A model opened by xdg-open: known by name and by content, a window for the first, the same window for the
    second."""
    system.as_person("mkdir", "models")
    for name in ("a model.gguf", "without an ending"):
        system.as_person("ingle", "synth", "--family", "llama", "--dim", "64", "--ffn", "128", "--layers", "1",
                         "--heads", "2", "--kv-heads", "2", "--vocab", "256", "--quant", "F16", "-o", f"models/{name}")
        kind = system.as_person("xdg-mime", "query", "filetype", f"models/{name}").strip()
        expect(kind == "application/x-gguf", f"{name} is taken for {kind}")
    chosen = system.as_person("xdg-mime", "query", "default", "application/x-gguf").strip()
    expect(chosen == "io.github.inglenook.Inglenook.desktop", f"GGUF files are opened by {chosen!r}")
    library = system.home / ".local/share/inglenook/library.json"
    with Window(system, screen, "xdg-open", "models/a model.gguf") as window:
        wait_until(lambda: f"/home/{PERSON}/models/a model.gguf" in library.read_text(encoding="utf-8"),
                   "the first model")
        system.as_person("xdg-open", f"/home/{PERSON}/models/without an ending", display=screen)
        wait_until(lambda: "without an ending" in library.read_text(encoding="utf-8"), "the second model")
        window.quit()


def left_over(system):
    """What of ours is in the system, but for the person's own files, the downloads and the logs."""
    found = system.sh(
        "find / -xdev \\( -path /home -o -path /debs -o -path /var/log -o -path /var/cache/apt -o -path /proc \\) "
        "-prune -o -iname '*ingle*' -print").split()
    known = system.sh("grep -srlE 'inglenook|x-gguf' /usr/share/applications /usr/share/mime /usr/share/icons /etc "
                      "/var/lib/dpkg/status || true").split()
    return [path for path in found if "single" not in path.lower() and "ingle" in pathlib.Path(path).name] + known


def expect_text(system, program, document):
    """The program that reads documents starts with all its libraries, whatever it is to read."""
    expect("Upstream-Name: Inglenook" in system.as_person(program, "text", document), "a document was not read")


def packages(options):
    debs = sorted(options.packages.glob("*.deb"))
    expect({deb.name.split("_")[0] for deb in debs} == set(PACKAGES), f"other packages in {options.packages}: {debs}")
    with display() as screen, System("bookworm", options.cache) as system, tempfile.TemporaryDirectory() as folder:
        (system.root / "debs").mkdir()
        for deb in debs:
            shutil.copy(older(deb, pathlib.Path(folder)), system.root / "debs")
        system.install("/debs/ingle_0.0.1_*.deb")
        expect("qt6" not in system.sh("dpkg-query -W -f '${Package}\\n'"), "the command line brought Qt along")
        expect_right(system.as_person("ingle", "run", "Inglenook guide", "-p", QUESTION))
        expect_text(system, "ingle", "/usr/share/doc/ingle/copyright")
        system.install("/debs/inglenook_0.0.1_*.deb")
        system.read_only("usr")
        with Window(system, screen, "inglenook") as window:
            ask_the_guide(window)
            window.quit()
        before = messages(window.data)
        system.writable("usr")
        system.install("/debs/ingle-serve_0.0.1_*.deb", "/debs/ingle-bridge_0.0.1_*.deb")
        for program in ("ingle-serve", "ingle-bridge"):
            expect(program in system.as_person(program, "--version"), f"{program} does not start")
        started = system.sh("find /etc/systemd /usr/lib/systemd -path '*.wants/*' -name '*ingle*' || true").split()
        expect(not started, f"started by installing: {started}")
        print("  installed, started as another user with a read-only /usr, asked the guide", flush=True)

        speak_german(system)
        system.install("xdg-utils", "libfile-mimeinfo-perl", "shared-mime-info", "desktop-file-utils")
        opened_by_desktop(system, screen)
        print("  opened models by xdg-open", flush=True)

        for deb in debs:
            shutil.copy(deb, system.root / "debs")
        (system.root / "debs").chmod(0o755)
        new = " ".join(f"/debs/{deb.name}" for deb in debs)
        system.install(new)
        expect(not list((system.root / "usr/share/doc").glob("*/only-in-*")), "files of the older version are left")
        system.sh(f"dpkg -i {new} && dpkg -i {new}")
        with Window(system, screen, "inglenook", "--new-chat", locale="de_DE.UTF-8") as window:
            expect(messages(window.data)[:len(before)] == before, "the upgrade changed the history")
            window.quit()
        print("  upgraded with a history, installed twice", flush=True)

        system.sh(f"apt-get remove -y -q {' '.join(PACKAGES)}")
        removed = left_over(system)
        system.sh(f"dpkg --purge {' '.join(PACKAGES)}")
        expect(not left_over(system), f"purged, and yet there is {left_over(system)}")
        expect(messages(window.data)[:len(before)] == before, "the person's data is gone")
        print(f"  removed (left: {len(removed)}), purged: nothing left but the person's data", flush=True)


def portable(options):
    archive, = options.packages.glob("*.tar.zst")
    for suite in ("bookworm", "trixie"):
        with display() as screen, System(suite, options.cache) as system:
            system.install(*DESKTOP)
            speak_german(system)
            if suite != "bookworm":
                (system.root / "debs").mkdir()
                for deb in options.packages.glob("*.deb"):
                    shutil.copy(deb, system.root / "debs")
                missing = subprocess.run(["chroot", system.root, "apt-get", "install", "-s", "-q",
                                          *(f"/debs/{deb.name}" for deb in options.packages.glob("*.deb"))],
                                         capture_output=True, text=True, check=False)
                lacks = re.findall(r"Depends: (\S+)", missing.stdout)
                expect(lacks or missing.returncode == 0, f"apt-get failed in {suite}: {missing.stderr}")
                print(f"  the .debs do not fit {suite}: it lacks {', '.join(lacks)}"
                      if lacks else f"  the .debs fit {suite}")
            expect("qt6" not in system.sh("dpkg-query -W -f '${Package}\\n'"), "there is a Qt")
            run("tar", "-C", system.root / "opt", "-xf", archive)
            (system.root / "opt" / archive.name.removesuffix(".tar.zst")).rename(system.root / "opt/inglenook")
            strangers = [
                path.name for path in (system.root / "opt/inglenook/lib").iterdir() if SYSTEM_LIBRARY.match(path.name)
            ]
            expect(not strangers, f"the archive holds libraries of the system: {strangers}")
            shutil.copytree(system.root / "opt/inglenook", system.home / "stick", symlinks=True)
            system.sh(f"chown -R {PERSON} /home/{PERSON}/stick")
            system.read_only("opt")
            system.read_only("usr")
            expect_right(system.as_person("/opt/inglenook/ingle", "run", "Inglenook guide", "-p", QUESTION))
            expect_text(system, "/opt/inglenook/ingle", "/opt/inglenook/share/doc/ingle/copyright")
            with Window(system, screen, "/opt/inglenook/inglenook", locale="de_DE.UTF-8") as window:
                ask_the_guide(window)
                window.quit()
            shutil.rmtree(system.home / ".local")
            with Window(system, screen, "stick/inglenook", "--portable", data="stick/data") as window:
                ask_the_guide(window)
                window.quit()
            expect(not (system.home / ".local").exists(), "--portable left something at home")
            print(f"  {suite}: from a read-only folder, and with --portable from the person's own", flush=True)


def checkers(options):
    debs = sorted(options.packages.glob("*.deb"))
    lintian = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *map(str, debs)],
                             capture_output=True,
                             text=True,
                             check=False)
    print("".join(f"  lintian: {line}\n" for line in lintian.stdout.splitlines()), end="")
    expect(lintian.returncode == 0, f"lintian: {lintian.stdout}{lintian.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        for deb in debs:
            run("dpkg-deb", "-x", deb, folder)
        run("desktop-file-validate", *pathlib.Path(folder).glob("usr/share/applications/*.desktop"))
        print(run("appstreamcli", "validate", "--no-net",
                  f"{folder}/usr/share/metainfo/io.github.inglenook.Inglenook.metainfo.xml"),
              end="")


CHECKS = {check.__name__: check for check in (checkers, packages, portable)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", choices=[*CHECKS, []], help="default: all")
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for clean systems and downloads")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: only root can make clean systems")
        sys.exit(77)
    options.cache.mkdir(parents=True, exist_ok=True)
    options.cache = options.cache.resolve()
    for name in options.checks or CHECKS:
        print(name, flush=True)
        try:
            CHECKS[name](options)
        except Failure as failure:
            print(f"FAILED: {failure}")
            sys.exit(1)


if __name__ == "__main__":
    main()
