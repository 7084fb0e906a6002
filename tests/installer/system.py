"""A clean Debian in a folder, to install packages into and to run programs in as a person who has nothing else."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from driver import Failure  # noqa: E402

PERSON = "ada"


def run(*command, **options):
    """Its output; a failure says what the command said."""
    answer = subprocess.run([str(word) for word in command],
                            stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT,
                            text=True,
                            check=False,
                            **options)
    if answer.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))} ended with {answer.returncode}: {answer.stdout[-2000:]}")
    return answer.stdout


def mirror():
    """Where this machine gets Debian from."""
    sites = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian",
                "Component: main").splitlines()
    if not sites:
        raise Failure("this machine has no Debian in its package sources")
    return sites[0]


def base(suite, cache):
    """A tar file of the smallest Debian of this suite; made once."""
    archive = cache / f"{suite}.tar"
    if not archive.exists():
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            pathlib.Path(folder).chmod(0o755)  # it becomes the root, which everybody may enter
            run("debootstrap", "--variant=minbase", suite, folder, mirror())
            with contextlib.suppress(Failure):
                run("umount", f"{folder}/proc")
            run("tar", "-C", folder, "--one-file-system", "-cf", f"{archive}.part", ".")
            os.rename(f"{archive}.part", archive)
    return archive


class System:
    """Runs on the kernel of this machine, with its X sockets. Its downloads are kept in `cache`."""

    def __init__(self, suite, cache):
        self._mounts = []
        self.suite = suite
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"{suite}-", dir=cache))
        try:
            self._set_up(base(suite, cache), cache)
        except BaseException:
            self.close()
            raise

    def _set_up(self, archive, cache):
        run("tar", "-C", self.root, "-xf", archive)
        downloads = cache / f"{self.suite}-downloads"
        downloads.mkdir(exist_ok=True)
        self.mount(downloads, "var/cache/apt/archives")
        self.mount("/tmp/.X11-unix", "tmp/.X11-unix")
        (self.root / "proc").mkdir(exist_ok=True)
        run("mount", "-t", "proc", "proc", self.root / "proc")
        self._mounts.append(self.root / "proc")
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (self.root / "usr/sbin/policy-rc.d").chmod(0o755)
        # A mirror that somebody keeps may be older than its lists say they are good for.
        (self.root / "etc/apt/apt.conf.d/90old").write_text('Acquire::Check-Valid-Until "false";\n')
        self.sh("apt-get update -q")
        self.sh(
            f"useradd -m {PERSON} && mkdir -p /run/user/1000 && chown {PERSON} /run/user/1000 && chmod 700 "
            "/run/user/1000"
        )
        self.home = self.root / "home" / PERSON

    def mount(self, source, target):
        target = self.root / target
        target.mkdir(parents=True, exist_ok=True)
        run("mount", "--bind", source, target)
        self._mounts.append(target)

    def read_only(self, folder):
        """From now on nobody writes there."""
        self.mount(self.root / folder, folder)
        run("mount", "-o", "remount,bind,ro", self.root / folder)

    def writable(self, folder):
        run("umount", self.root / folder)
        self._mounts.remove(self.root / folder)

    def sh(self, script):
        """As root."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"
        }
        return run(shutil.which("chroot"), self.root, "sh", "-ec", script, env=environment)

    def install(self, *packages):
        self.sh("apt-get install -y -q --no-install-recommends " + " ".join(packages))

    def _person(self, command, display, locale):
        environment = {
            "HOME": f"/home/{PERSON}", "USER": PERSON, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": locale,
            "XDG_RUNTIME_DIR": "/run/user/1000", "DISPLAY": display
        }
        # The folder is that of the person, which chroot itself cannot choose.
        return ([
            shutil.which("chroot"), f"--userspec={PERSON}", self.root, "sh", "-c", 'cd && exec "$@"', "sh",
            *map(str, command)
        ], environment)

    def as_person(self, *command, display="", locale="C"):
        words, environment = self._person(command, display, locale)
        return run(*words, env=environment, stdin=subprocess.DEVNULL)

    def start(self, *command, display, locale="C"):
        words, environment = self._person(command, display, locale)
        return subprocess.Popen([str(word) for word in words], env=environment, stdin=subprocess.DEVNULL)

    def close(self):
        for target in reversed(self._mounts):
            subprocess.run(["umount", "-l", str(target)], check=False)
        self._mounts.clear()
        shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
