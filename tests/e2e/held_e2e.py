#!/usr/bin/env python3
"""The window as the kernel holds it: what its process has open, what runs beside it, what of the session bus it sees,
and what is left when it has gone. It answers and saves meanwhile."""
import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

from driver import Failure, Window, display, expect, is_running, new_home, wait_until
from inglenook_e2e import answer_of, model_file

SKIPPED = 77


def status_of(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return line.split(":", 1)[1].strip()
    return ""


def children_of(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def below(pid):
    """All processes that came of this one."""
    found = []
    for child in children_of(pid):
        found += [child, *below(child)]
    return found


def name_of(pid):
    return pathlib.Path(os.readlink(f"/proc/{pid}/exe")).name


def written_files(pid):
    """The plain files that a process may write to, by its descriptors."""
    for entry in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):
            flags = int(entry.read_text().split("flags:")[1].split()[0], 8)
            target = os.readlink(f"/proc/{pid}/fd/{entry.name}")
            if flags & 3 and target.startswith("/") and not target.startswith(("/dev/", "/memfd:", "/proc/")):
                yield target


@contextlib.contextmanager
def session_bus(home):
    """One with a service that anybody may start; what it would do is make a file."""
    services = home.root / "services"
    services.mkdir()
    (services / "evil.service").write_text(
        f"[D-BUS Service]\nName=org.example.Evil\nExec=/usr/bin/touch {home.root}/gained\n")
    (home.root / "bus.conf").write_text(
        f"<busconfig><type>session</type><listen>unix:path={home.root}/bus</listen><servicedir>{services}</servicedir>"
        '<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>'
        "</busconfig>")
    daemon = subprocess.Popen(["dbus-daemon", "--nofork", f"--config-file={home.root}/bus.conf"])
    try:
        wait_until((home.root / "bus").exists, "the session bus")
        yield f"unix:path={home.root}/bus"
    finally:
        daemon.terminate()
        daemon.wait()


def names_on(address):
    return subprocess.run([
        "dbus-send", f"--bus={address}", "--print-reply", "--dest=org.freedesktop.DBus", "/",
        "org.freedesktop.DBus.ListActivatableNames"
    ],
                          capture_output=True,
                          text=True,
                          timeout=30,
                          check=False).stdout


def check(options):
    with display() as screen, new_home() as home, session_bus(home) as bus:
        sockets = home.root / "run/inglenook"
        with Window(options.bin, home, screen, extra_environment={"DBUS_SESSION_BUS_ADDRESS": bus}) as window:
            expect(status_of(window.pid, "Seccomp") == "2", "no filter of system calls")
            expect(status_of(window.pid, "NoNewPrivs") == "1", "it may gain privileges")
            names = [name_of(child) for child in below(window.pid)]
            expect(names.count("xdg-dbus-proxy") == 1 and names.count("inglenook-test") >= 2,
                   f"beside the window run only {names}")
            window.drop(options.model)
            window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
            expect("ingle" in [name_of(child) for child in children_of(window.pid)], "the engine is not its child")
            window.send_message("The morning was cold")
            window.wait_for(lambda s: len(answer_of(s)["text"]) > 20, "the answer")
            saved = home.root / "chats.json"
            window.command("act", action="export", path=str(saved))
            window.wait_for(lambda s: saved.exists() and not s["exporting"], "the export")
            hidden = home.root / ".config"
            hidden.mkdir()
            window.command("act", action="export", path=str(hidden / "autostart.json"))
            window.wait_for(lambda s: "could not be written" in s["banner"], "the refusal")
            expect(not list(hidden.iterdir()), "the window wrote into a hidden folder")
            own = (str(home.root / "data/inglenook"), str(home.root / "cache/inglenook"), str(sockets / "window"),
                   str(home.root / "window.log"))  # the last one it was given
            others = [path for path in written_files(window.pid) if not path.startswith(own)]
            expect(not others, f"it may write to {others}")
            proxies = list(sockets.glob("bus-*"))
            expect(len(proxies) == 1, f"sockets of proxies: {proxies}")
            direct, through = names_on(bus), names_on(f"unix:path={proxies[0]}")
            expect("org.example.Evil" in direct and "org.freedesktop.DBus" in through and
                   "org.example.Evil" not in through, f"the window sees {through}")
            processes = below(window.pid)
            window.quit()
        wait_until(lambda: not any(is_running(each) for each in processes), "all that ran beside it to end")
        expect(not list(sockets.glob("bus-*")), "a socket of the proxy is left")
    return f"{len(processes)} processes beside it"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    options = parser.parse_args()
    missing = [each for each in ("Xvfb", "dbus-daemon", "dbus-send", "xdg-dbus-proxy") if not shutil.which(each)]
    landlock = pathlib.Path("/sys/kernel/security/lsm")
    if missing or (landlock.exists() and "landlock" not in landlock.read_text()):
        print(f"skipped: {', '.join(missing) or 'Landlock'} is not there")
        sys.exit(SKIPPED)
    if os.getuid() != 0:
        print("skipped: what a process has open that cannot be dumped is told to root only")
        sys.exit(SKIPPED)
    options.model = model_file(options.bin)
    try:
        print(f"passed: {check(options)}")
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)


if __name__ == "__main__":
    main()
