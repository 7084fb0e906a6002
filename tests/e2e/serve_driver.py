"""Starts the real `ingle-serve` and asks it over HTTP, with the standard library of Python alone."""
import atexit
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import typing

from driver import Failure, expect, wait_until

# So that what hangs ends: a busy computer takes its time.
ANSWER_SECONDS = 120
GUIDE = "guide"
QUESTION = "How do I import a model?"
JSON = {"Content-Type": "application/json"}


def guide_path(bin_dir):
    """The trained model that ships with the program."""
    return pathlib.Path(bin_dir).parent / "share/inglenook/guide.gguf"


def embedding_model(bin_dir, folder):
    """A model with random weights that compares texts, called "letters"."""
    path = pathlib.Path(folder) / "letters.gguf"
    subprocess.run([
        pathlib.Path(bin_dir) / "ingle", "synth", "--family", "bert", "--dim", "64", "--ffn", "128", "--layers", "2",
        "--heads", "2", "--kv-heads", "2", "--vocab", "512", "-o", path
    ],
                   check=True)
    return path


def write_library(folder, models):
    """The library of a server in `folder`, as another program writes it. `models`: by name, path and whether it
    compares texts."""
    data = pathlib.Path(folder) / "data"
    data.mkdir(exist_ok=True)
    fingerprint = {"bytes": 1, "modifiedNs": 0, "device": 0, "inode": 0, "headHash": 0}
    entries = [{"id": name, "name": name, "path": str(path), "fingerprint": fingerprint, "embeds": embeds}
               for name, (path, embeds) in models.items()]
    written = data / "library.new"
    written.write_text(json.dumps({"version": 1, "models": entries}))
    written.rename(data / "library.json")


@contextlib.contextmanager
def new_folder():
    """A folder for one run; kept for inspection when the test fails."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ingle-serve-e2e-"))
    try:
        yield folder
    except Failure as failure:
        raise Failure(f"{failure} (see {folder})") from failure
    shutil.rmtree(folder)


def children(pid):
    """The processes that it started."""
    try:
        return [int(each) for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()
                for each in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def name_of(pid):
    """Nothing, where it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def resident_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


class Server:
    """One run of ingle-serve on a socket in `folder`, and on a port of 127.0.0.1 unless `listen` is None. It serves
    `models`, without them the guide, or with `library` what the library has, which is empty at first."""

    def __init__(self,
                 bin_dir,
                 folder,
                 *models,
                 library=False,
                 listen="0",
                 pace_ms=0,
                 arguments=(),
                 wrapper=(),
                 key=None):
        bin_dir, self.folder = pathlib.Path(bin_dir).resolve(), pathlib.Path(folder)
        self.socket_path = self.folder / "run/serve.sock"
        self.key = key
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        named = [] if library else models or [guide_path(bin_dir)]
        command = [*wrapper, bin_dir / "ingle-serve", *named, "--socket", self.socket_path, "--data-dir", data]
        if pace_ms:
            command += [
                f"--host={each}" for each in (bin_dir / "ingle", "host", "--owner", "serve", "--pace-ms", pace_ms)
            ]
        if listen is not None:
            command += ["--listen", listen]
        if key is not None:
            key_file = self.folder / "key"
            key_file.write_text(key + "\n")
            key_file.chmod(0o600)
            command += ["--key-file", key_file]
        command += arguments
        environment = {**os.environ, "XDG_DATA_HOME": str(data), "XDG_CACHE_HOME": str(data), "HOME": str(self.folder)}
        self._log = open(self.folder / "serve.log", "ab")
        self._process = subprocess.Popen([str(each) for each in command],
                                         stdout=subprocess.PIPE,
                                         stderr=self._log,
                                         encoding="utf-8",
                                         env=environment)
        atexit.register(self.kill)  # also one that another thread has, when the test fails on this one
        self.port = None
        self.lines = []
        for _ in range(1 if listen is None else 2):
            line = self._process.stdout.readline()
            if not line.startswith("Listening on "):
                self.kill()
                raise Failure(f"the server did not start: {(self.folder / 'serve.log').read_text()[-2000:]}")
            self.lines.append(line.strip())
        if listen is not None:
            self.host, self.port = re.fullmatch(r"Listening on http://(.+):(\d+)", self.lines[1]).groups()
            self.port = int(self.port)
        # A wrapper such as strace has it as its child.
        self.pid = children(self._process.pid)[0] if wrapper else self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self.kill()
        self._log.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def engines(self):
        """Its children but the copy of it that starts them."""
        return [each for each in children(self.pid) if name_of(each) not in ("", name_of(self.pid))]

    def host_pid(self):
        """The engine's process, which is started with the first request that needs it."""
        return wait_until(self.engines, "the engine", ANSWER_SECONDS)[0]

    def is_running(self):
        return self._process.poll() is None

    def kill(self):
        if self.is_running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(getattr(self, "pid", self._process.pid), signal.SIGKILL)
        self._process.wait()

    def terminate(self):
        os.kill(self.pid, signal.SIGTERM)

    def wait(self, seconds=ANSWER_SECONDS):
        """Its exit status."""
        return self._process.wait(timeout=seconds)

    def stop(self):
        """Ends it as a service is ended, which must succeed."""
        self.terminate()
        status = self.wait()
        expect(status == 0,
               f"the server ended with status {status}; it said: {(self.folder / 'serve.log').read_text()[-2000:]}")
        expect(not self.socket_path.exists(), "the socket is still there")

    def connect(self, on_socket=None, seconds=ANSWER_SECONDS):
        """To the socket, or where there is a port to that."""
        is_local = self.port is None if on_socket is None else on_socket
        return UnixConnection(self.socket_path, seconds) if is_local else http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=seconds)

    def raw(self, seconds=ANSWER_SECONDS):
        """A bare connection."""
        if self.port is not None:
            return socket.create_connection(("127.0.0.1", self.port), seconds)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(seconds)
        connection.connect(str(self.socket_path))
        return connection

    def ask(self, method, path, body=None, headers=None, on_socket=None):
        """A request on a connection of its own. `body`: what becomes JSON, or bytes as they are."""
        connection = self.connect(on_socket)
        with contextlib.closing(connection):
            return ask(connection, method, path, body, self._headers(headers))

    def get(self, path, headers=None):
        return self.ask("GET", path, None, headers)

    def post(self, path, body, headers=None):
        return self.ask("POST", path, body, headers)

    def chat(self, text=QUESTION, **fields):
        """The answer to a request, which must succeed; greedy unless it says otherwise."""
        return expect_ok(self.post("/v1/chat/completions", chat_body(text, **fields)))

    def stream(self, path, body, headers=None):
        """What each event says, as it comes; without [DONE], which must be the last one."""
        with contextlib.closing(self.connect()) as connection:
            yield from stream(connection, path, body, self._headers(headers))

    def chat_stream(self, text=QUESTION, **fields):
        return self.stream("/v1/chat/completions", chat_body(text, stream=True, **fields))

    def metrics(self):
        reply = self.get("/metrics")
        expect(reply.status == 200 and reply.headers["content-type"].startswith("text/plain; version=0.0.4"),
               "no metrics")
        return prometheus(reply.body.decode())

    def wait_until_idle(self, seconds=ANSWER_SECONDS):
        wait_until(lambda: self.metrics()["ingle_answers_under_way"] == 0, "the end of all answers", seconds)

    def _headers(self, headers):
        return {**({"Authorization": f"Bearer {self.key}"} if self.key else {}), **(headers or {})}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, seconds):
        super().__init__("localhost", timeout=seconds)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Reply(typing.NamedTuple):
    status: int
    headers: dict
    body: bytes

    def json(self):
        expect(
            self.headers.get("content-type") == "application/json",
            f"status {self.status} is {self.headers.get('content-type')}")
        return json.loads(self.body)


def chat_body(text=QUESTION, **fields):
    return {"model": GUIDE, "messages": [{"role": "user", "content": text}], "temperature": 0, **fields}


def ask(connection, method, path, body=None, headers=None):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, data, {**(JSON if data is not None else {}), **(headers or {})})
    response = connection.getresponse()
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def expect_ok(reply):
    expect(reply.status == 200, f"status {reply.status}: {reply.body[:500]!r}")
    return reply.json()


def events(response):
    """The data of server-sent events: blocks of one line, which end with an empty one. Comments are left out."""
    while True:
        line = response.readline()
        if not line:
            return
        expect(response.readline() == b"\n", f"no empty line behind {line!r}")
        if line.startswith(b":"):
            continue
        expect(line.startswith(b"data: ") and line.endswith(b"\n"), f"this is no event: {line!r}")
        yield line[6:-1].decode()


def stream(connection, path, body, headers=None):
    connection.request("POST", path, json.dumps(body), {**JSON, **(headers or {})})
    response = connection.getresponse()
    if response.status != 200:
        raise Failure(f"status {response.status}: {response.read()[:500]!r}")
    expect(
        response.getheader("content-type") == "text/event-stream; charset=utf-8",
        f"{response.getheader('content-type')}")
    for data in events(response):
        if data == "[DONE]":
            expect(response.read() == b"", "something comes behind [DONE]")
            return
        yield json.loads(data)
    raise Failure("the stream ended without [DONE]")


def text_of(answer, index=0):
    return answer["choices"][index]["message"]["content"]


def joined(chunks):
    """The texts of a stream's chunks, one behind the other."""
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


def prometheus(text):
    """The samples of Prometheus' text format, version 0.0.4, by name and labels; anything else is a failure."""
    samples, types = {}, {}
    expect(text.endswith("\n"), "the last line does not end")
    for line in text[:-1].split("\n"):
        if line.startswith("#"):
            said = re.fullmatch(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)", line)
            expect(said, f"this is no comment that counts: {line}")
            if said[1] == "TYPE":
                expect(said[2] not in types and said[3] in ("counter", "gauge", "histogram"), line)
                types[said[2]] = said[3]
            continue
        sample = re.fullmatch(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*\})? (\S+)',
                              line)
        expect(sample, f"this is no sample: {line}")
        name = sample[1] if sample[1] in types else re.sub("_(bucket|sum|count)$", "", sample[1])
        expect(name in types and (name == sample[1] or types[name] == "histogram"),
               f"{sample[1]} has no type before it")
        key = sample[1] + (sample[2] or "")
        expect(key not in samples, f"{key} stands there twice")
        samples[key] = float(sample[3])
    return samples


class Background:
    """Calls something on a thread; result() is what it returned, or raises what it raised."""

    def __init__(self, work, *arguments, **named):
        self._result, self._error = None, None

        def run():
            try:
                self._result = work(*arguments, **named)
            except Exception as error:  # whatever it is, whoever waits hears of it
                self._error = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def is_done(self):
        return not self._thread.is_alive()

    def result(self, seconds=ANSWER_SECONDS):
        self._thread.join(seconds)
        expect(not self._thread.is_alive(), f"still at work after {seconds} s")
        if self._error is not None:
            raise self._error
        return self._result
