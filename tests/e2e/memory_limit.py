#!/usr/bin/env python3
"""Under the memory limit of a control group a load is refused or shortened, and never ended by the kernel.

memory_limit.py INGLE     exit status 77 where no control group can be made (it takes root, or a delegated group)
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LIMIT = 120 << 20
# 134 MB for the context, half of that for half of it.
MODEL = {
    "family": "llama", "dim": 256, "ffn": 256, "layers": 32, "heads": 4, "kv-heads": 4, "vocab": 4000, "quant": "Q8_0"
}
CONTEXT = 4096


def own_groups():
    """(folder, file of the limit) of the group this process is in, for each version of control groups."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if "memory" in controllers.split(","):
            yield pathlib.Path("/sys/fs/cgroup/memory" + group), "memory.limit_in_bytes"
        elif not controllers:
            yield pathlib.Path("/sys/fs/cgroup" + group), "memory.max"


def remove_when_empty(group):
    """The process beside one that was killed ends a moment later."""
    end = time.monotonic() + 10
    while (group / "cgroup.procs").read_text() and time.monotonic() < end:
        time.sleep(0.05)
    group.rmdir()


@contextlib.contextmanager
def limited_group():
    """A group below this process's own, with the limit; nothing where none can be made."""
    for parent, limit in own_groups():
        group = parent / f"ingle-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(LIMIT))
        except OSError:
            group.rmdir()
            continue
        try:
            yield group
        finally:
            remove_when_empty(group)
        return
    yield None


def run(group, *command):
    """Exit status (negative: the signal) and standard error of a command in the group."""
    process = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
    return process.returncode, process.stderr


def expect(condition, sentence):
    if not condition:
        raise SystemExit(sentence)


def main():
    ingle = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder, limited_group() as group:
        if group is None:
            print("no control group with a memory limit can be made here")
            sys.exit(SKIPPED)
        os.environ.update(XDG_CACHE_HOME=folder, XDG_DATA_HOME=folder)
        path = os.path.join(folder, "model.gguf")
        options = [word for key, value in MODEL.items() for word in (f"--{key}", str(value))]
        subprocess.run([ingle, "synth", *options, "--context", str(CONTEXT), "-o", path], check=True)

        def generate(tokens, *more):
            ids = ",".join(str(300 + i % 3000) for i in range(tokens - 1))
            return run(group, ingle, "generate", path, "--backend", "cpu", "--greedy", "-n", "1", "--tokens", ids,
                       *more)

        status, said = generate(CONTEXT, "--ctx", str(CONTEXT))
        expect(status == 1, f"a load that does not fit ended with {status}: {said}")
        for part in ("of memory (134 MB of them", "of 126 MB are free", "--ctx 2048", "--load-anyway"):
            expect(part in said, f'"{part}" is not in: {said}')
        expect(said.count("\n") == 1, f"more than one line: {said}")

        status, said = generate(CONTEXT // 2)
        expect(status == 0, f"a shortened context ended with {status}: {said}")
        expect("2048 tokens" in said, f"nothing says that the context is shorter: {said}")

        # What would happen without the check.
        status, said = generate(CONTEXT, "--ctx", str(CONTEXT), "--load-anyway")
        expect(status == -signal.SIGKILL, f"the limit does not limit: {status}: {said}")
    print("refused, shortened, and ended only when asked for it")


if __name__ == "__main__":
    main()
