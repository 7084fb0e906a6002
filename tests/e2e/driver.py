"""Drives the real window and the real host: starts them, sends input, kills them, and reads what they left behind."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import time
import typing

# So that what hangs ends: a busy computer takes its time.
START_SECONDS = 120
WAIT_SECONDS = 240  # less than a test may take: then it says what it waited for


class Failure(Exception):
    """An expectation of a test that was not met."""


def expect(condition, sentence):
    if not condition:
        raise Failure(sentence)


def expect_failure(check, sentence):
    """The check must be able to fail: what it is given here is wrong."""
    try:
        check()
    except Failure:
        return
    raise Failure(sentence)


def wait_until(probe, what, seconds=WAIT_SECONDS):
    """Calls probe until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        result = probe()
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f"after {seconds} s still waiting for {what}")
        time.sleep(0.01)


def is_running(pid):
    """Whether the process exists and is more than a zombie."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


@contextlib.contextmanager
def display(size="1280x800"):
    """A virtual X display; yields its name."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", size + "x24", "-nolisten", "tcp",
                               "-noreset"],
                              pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as number:
            yield ":" + number.readline().strip()
    finally:
        server.terminate()
        server.wait()


class Home:
    """The folders of a person who starts Inglenook for the first time."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        for name in ("data", "config", "cache", "run", "tmp"):
            (self.root / name).mkdir(mode=0o700)
        # What the window may write of its own.
        (self.root / "run/inglenook/window").mkdir(mode=0o700, parents=True)
        self.history = self.root / "data/inglenook/history.sqlite"
        self.snapshots = self.root / "data/inglenook/snapshots"
        self.paint_log = self.root / "run/inglenook/window/painted.jsonl"
        self.test_socket = self.root / "run/inglenook/window/test"

    def environment(self, display_name):
        return {
            **os.environ,
            "DISPLAY": display_name,
            "HOME": str(self.root),
            "XDG_DATA_HOME": str(self.root / "data"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
            "TMPDIR": str(self.root / "tmp"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "LC_ALL": "C.UTF-8",
            "INGLE_TEST_SOCKET": str(self.test_socket),
            "INGLE_PAINT_LOG": str(self.paint_log),
            "INGLE_GUIDE": "",  # a first start without it, unless a test wants it
        }


@contextlib.contextmanager
def new_home():
    """A new person's folders; kept for inspection when the test fails."""
    root = tempfile.mkdtemp(prefix="inglenook-e2e-")
    try:
        yield Home(root)
    except Failure as failure:
        raise Failure(f"{failure} (see {root})") from failure
    shutil.rmtree(root)


class Window:
    """One run of inglenook-test."""

    def __init__(self,
                 bin_dir,
                 home,
                 display_name,
                 pace_ms=0,
                 wrapper=(),
                 extra_environment=None,
                 arguments=(),
                 folder=None):
        environment = home.environment(display_name)
        environment["INGLE_HOST_ARGS"] = f"--pace-ms {pace_ms}"
        environment.update(extra_environment or {})
        home.test_socket.unlink(missing_ok=True)
        self._log_path = home.root / "window.log"
        self._log = open(self._log_path, "ab")
        program = [*wrapper, str(pathlib.Path(bin_dir).resolve() / "inglenook-test"), *map(str, arguments)]
        self._process = subprocess.Popen(program, env=environment, stdout=self._log, stderr=self._log, cwd=folder)
        self._connection = None
        try:
            self._connection = wait_until(lambda: self._connect(home.test_socket), "the window", START_SECONDS)
        except Failure as failure:
            self.kill()
            raise Failure(f"{failure}; it said: {self._log_path.read_text()[-2000:]}") from None
        self._lines = self._connection.makefile("r", encoding="utf-8")
        # The process that holds the socket, also when a wrapper such as strace started it.
        credentials = self._connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid = struct.unpack("3i", credentials)[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self.kill()

    def _connect(self, path):
        expect(self._process.poll() is None, f"the window ended with status {self._process.returncode}")
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(path))
            connection.settimeout(WAIT_SECONDS)
            return connection
        except (FileNotFoundError, ConnectionRefusedError):
            return None

    def command(self, name, **arguments):
        """Sends one command; returns its answer. Fails when the window says it could not do it."""
        try:
            self._connection.sendall((json.dumps({"cmd": name, **arguments}) + "\n").encode())
            line = self._lines.readline()
        except (BrokenPipeError, ConnectionResetError):
            line = ""
        if not line:
            raise Failure(f"the window ended with status {self._process.wait()} at {name}; it said: "
                          f"{self._log_path.read_text()[-2000:]}")
        answer = json.loads(line)
        expect(answer.get("ok"), f"{name} {arguments}: {answer.get('error')}")
        return answer

    def state(self):
        return self.command("state")

    def wait_for(self, condition, what, seconds=WAIT_SECONDS):
        """Waits until condition(state) is true; returns that state."""
        last = {}

        def probe():
            nonlocal last
            last = self.state()
            return condition(last)

        try:
            wait_until(probe, what, seconds)
        except Failure as failure:
            raise Failure(f"{failure}; the last state was {json.dumps(last)[-1500:]}") from None
        return last

    def drop(self, path):
        self.command("drop", path=str(path))

    def send_message(self, text):
        self.command("type", text=text)
        self.command("key", key="Return")

    def click(self, name):
        """Clicks an item as soon as it is there."""
        def attempt():
            try:
                return self.command("click", object=name)
            except Failure:
                if self._process.poll() is not None:
                    raise
                return None

        wait_until(attempt, f"an item called {name}")

    def end_answer(self, *patience):
        """Stops the answer that is being written, unless it ends by itself."""
        def ended():
            if self.state()["generationState"] == "Idle":
                return True
            # It may have ended since: then there is nothing to click.
            with contextlib.suppress(Failure):
                self.command("click", object="stopButton")
            return False

        wait_until(ended, "the end of the answer", *patience)

    def kill(self):
        """kill -9; returns once the process is gone."""
        if self._connection is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        self._close()

    def quit(self):
        self.command("quit")
        status = self._process.wait(timeout=WAIT_SECONDS)
        self._close()
        expect(status == 0, f"the window ended with status {status}")

    def _close(self):
        self._log.close()
        if self._connection is not None:
            self._connection.close()


class HistoryFile:
    """What the history holds right now, whether its window is running, gone or killed. Changes nothing."""

    def __init__(self, path):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        database.row_factory = sqlite3.Row
        database.text_factory = bytes
        database.execute("BEGIN")
        self.integrity = database.execute("PRAGMA integrity_check").fetchone()[0].decode()
        self.messages = {row["id"]: self._read_message(database, row)
                         for row in database.execute("SELECT * FROM messages ORDER BY id")}
        database.close()

    @staticmethod
    def _read_message(database, row):
        message = dict(row)
        parts = database.execute("SELECT text FROM parts WHERE message_id = ? ORDER BY position",
                                 (row["id"],)).fetchall()
        chunks = database.execute("SELECT text, token_ids FROM answer_chunks WHERE message_id = ? ORDER BY id",
                                  (row["id"],)).fetchall()
        ids = row["token_ids"] + b"".join(chunk["token_ids"] for chunk in chunks)
        message["text"] = b"".join(piece["text"] for piece in parts + chunks)  # of all parts, one behind the other
        message["token_ids"] = list(struct.unpack(f"<{len(ids) // 4}i", ids))
        message["role"] = row["role"].decode()
        message["status"] = row["status"].decode()
        message["seed"] = row["seed"] % 2**64
        return message

    def last_answer(self):
        return max((m for m in self.messages.values() if m["role"] == "assistant"), key=lambda m: m["id"])

    def branch_above(self, message):
        """The messages that `message` answers, oldest first."""
        branch = []
        while message["parent_id"] is not None:
            message = self.messages[message["parent_id"]]
            branch.insert(0, message)
        return branch


def painted_records(path):
    """(message id, byte offset, text) of every frame that showed new text."""
    if not pathlib.Path(path).exists():
        return
    with open(path, "rb") as log:
        for line in log:
            if line.endswith(b"\n"):
                record = json.loads(line)
                yield record["id"], record["offset"], record["text"].encode()


def check_history(home):
    """The file is sound and holds at least what was painted. Returns it and the number of bytes painted."""
    records = list(painted_records(home.paint_log))  # first: a running window goes on painting
    history = HistoryFile(home.history)
    expect(history.integrity == "ok", f"integrity_check says {history.integrity}")
    painted = 0
    for message_id, offset, text in records:
        expect(message_id in history.messages, f"message {message_id} was painted and is not stored")
        stored = history.messages[message_id]["text"]
        expect(stored[offset:offset + len(text)] == text,
               f"message {message_id}: painted {text!r} at {offset}, stored {stored[offset:offset + len(text)]!r}")
        painted += len(text)
    return history, painted


class Answer(typing.NamedTuple):
    ids: list
    text: str
    reason: str  # endOfText, maxTokens, contextFull or cancelled


def said(role, text):
    """A message of text alone."""
    return {"role": role, "parts": [{"kind": "text", "text": text}]}


class HostProcess:
    """`ingle host`, spoken to directly."""

    def __init__(self, bin_dir, model, options=None):
        self._process = subprocess.Popen([str(pathlib.Path(bin_dir) / "ingle"), "host"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, encoding="utf-8")
        self._request({"id": 1, "op": "hello", "version": 3}, "hello")
        self._request({"id": 2, "op": "load", "path": str(model), "options": options or {}}, "loaded")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=WAIT_SECONDS)

    def _request(self, request, last_event):
        """Sends a request; returns its events up to the last one."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        events = []
        for line in self._process.stdout:
            events.append(json.loads(line))
            expect(events[-1]["event"] != "failed", f"the host refused {request['op']}: {line}")
            if events[-1]["event"] == last_event:
                return events
        raise Failure("the host ended")

    def generate(self, request):
        """An answer, and why it ended."""
        events = self._request({"id": 3, "op": "generate", "request": request}, "done")
        tokens = [event for event in events if event["event"] == "tokens"]
        return Answer([i for event in tokens for i in event["ids"]],
                      "".join(piece["text"] for event in tokens for piece in event["pieces"]),
                      events[-1]["result"]["reason"])


def check_against_uninterrupted(bin_dir, model, history, answer):
    """The stored answer, however often it was interrupted, equals one made in a single run: id by id, and its text."""
    request = {
        "messages": [said(m["role"], m["text"].decode()) for m in history.branch_above(answer)],
        "sampler": {**json.loads(answer["sampler"]), "seed": answer["seed"]},
        "maxTokens": len(answer["token_ids"]),
    }
    with HostProcess(bin_dir, model) as host:
        straight = host.generate(request)
    for position, (stored, expected) in enumerate(zip(answer["token_ids"], straight.ids)):
        expect(stored == expected, f"id {position} of the resumed answer is {stored}, without interruption {expected}")
    expect(len(straight.ids) == len(answer["token_ids"]),
           f"{len(answer['token_ids'])} ids stored, {len(straight.ids)} without interruption")
    expect(straight.text.encode() == answer["text"],
           f"the texts differ: {answer['text'][-80:]!r} and {straight.text[-80:]!r}")
