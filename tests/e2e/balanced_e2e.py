#!/usr/bin/env python3
"""Two `ingle-serve` behind nginx with docs/examples/nginx-ingle.conf: streams come piece by piece, a conversation
stays where it began, and goes on elsewhere when that server is killed."""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/nginx-ingle.conf"
FOLDER_THERE, ADDRESS_THERE = "/run/inglenook", "127.0.0.1:8080"
SKIPPED = 77
QUESTION = "how do I open the settings?"
CONVERSATIONS = 24  # that hashing puts all of them on one server does not happen
WHOLE, BEGINNING = 60, 6  # tokens of an answer


def expect(is_so, what):
    if not is_so:
        raise SystemExit(f"FAILED: {what}")
    print(f"  {what}", flush=True)


def wait_until(is_so, what, seconds=15):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"FAILED: waited {seconds} s until {what}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SocketConnection(http.client.HTTPConnection):
    """HTTP on a socket of the file system."""

    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Backend:
    def __init__(self, binary, model, folder, number, account):
        self.socket = folder / f"serve-{number}.sock"
        home = folder / f"home-{number}"
        home.mkdir()
        if account:
            shutil.chown(home, account["user"], account["group"])
        env = os.environ | {
            name: str(home)
            for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        }
        self.process = subprocess.Popen(
            [binary, "--socket", self.socket, "--threads", "1", "--backend", "cpu", "--data-dir", home, model],
            env=env,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **account)

    def is_up(self):
        try:
            return self.requests() >= 0
        except OSError:
            return False

    def requests(self):
        """Answers that it has been asked for."""
        connection = SocketConnection(self.socket)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        return sum(
            float(value)
            for value in re.findall(r'^\w+\{[^}]*endpoint="/v1/chat/completions"[^}]*\} (\d+)', text, re.MULTILINE))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)


class Proxy:
    def __init__(self, port):
        self._port = port

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)

    def post(self, connection, conversation, tokens, headers=None):
        body = {
            "model": "guide", "messages": [{"role": "user", "content": QUESTION}], "max_tokens": tokens,
            "temperature": 0
        }
        named = {"X-Conversation": conversation} if conversation else {}
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           named | {"Content-Type": "application/json"} | (headers or {}))
        return connection.getresponse()

    def ask(self, conversation, tokens=BEGINNING, headers=None):
        """(status, words)"""
        with contextlib.closing(self.connect()) as connection:
            response = self.post(connection, conversation, tokens, headers=headers)
            text = response.read()
            return response.status, json.loads(
                text)["choices"][0]["message"]["content"] if response.status == 200 else text.decode()

    def stream(self):
        """(what each read of the socket brought, the words)"""
        body = json.dumps({
            "model": "guide", "messages": [{"role": "user", "content": QUESTION}], "max_tokens": WHOLE,
            "temperature": 0, "stream": True
        }).encode()
        head = ("POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nX-Conversation: stream\r\n"
                f"Content-Length: {len(body)}\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as connection:
            connection.sendall(head.encode() + body)
            reads = []
            while read := connection.recv(65536):
                reads.append(read)
        text = b"".join(reads).decode()
        if " 200 " not in text.splitlines()[0]:
            raise SystemExit(f"FAILED: a stream: {text[:200]}")
        events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
        return reads, "".join(
            event["choices"][0]["delta"].get("content") or "" for event in events if event.get("choices"))


def bytes_with_first_words(reads):
    """That had arrived when the first words were there, after the header."""
    text = b""
    for read in reads:
        text += read
        if b'"content":"' in text.replace(b'"content":""', b""):
            break
    return len(text.partition(b"\r\n\r\n")[2])


def account_for(binary):
    """Root's tests give up their rights, where others can start the program."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    try:
        subprocess.run([binary, "--version"], check=True, stdout=subprocess.DEVNULL, **account)
    except (OSError, subprocess.CalledProcessError):
        return {}
    return account


def start_nginx(nginx, folder, port, account):
    text = EXAMPLE.read_text(encoding="utf-8")
    expect(FOLDER_THERE in text and ADDRESS_THERE in text,
           "the example has the folder and the address that this test puts its own for")
    config = folder / "nginx.conf"
    config.write_text(text.replace(FOLDER_THERE, str(folder)).replace(ADDRESS_THERE, f"127.0.0.1:{port}"),
                      encoding="utf-8")
    config.chmod(0o644)
    rights = "" if account or os.geteuid() != 0 else "user root;"
    return subprocess.Popen(
        [nginx, "-c", config, "-p", folder, "-e", folder / "nginx-error.log", "-g", "daemon off;" + rights], **account)


def check(proxy, backends):
    print("streams")
    # Held back, it would come by thousands of bytes. On a busy computer several pieces may be there before this test
    # looks.
    tries = [proxy.stream() for _ in range(8)]
    streamed = tries[0][1]
    least = min(bytes_with_first_words(reads) for reads, _ in tries)
    expect(least < 1000, f"the first words of a stream come by themselves ({least} bytes)")
    most = max(len(reads) for reads, _ in tries)
    expect(most >= 8, f"and so do others ({most} reads)")
    status, whole = proxy.ask("stream", WHOLE)
    expect(status == 200 and whole == streamed and len(whole) > 20,
           f"it has the same words as the answer in one go: {whole[:60]!r}")

    print("who may ask")
    status, _ = proxy.ask("", headers={"Host": "elsewhere.example"})
    expect(status == 403, "another host's name is refused")
    status, _ = proxy.ask("", headers={"Origin": "http://elsewhere.example"})
    expect(status == 403, "a page of another site is refused")
    status, _ = proxy.ask("", headers={"Origin": f"http://127.0.0.1:{proxy.connect().port}"})
    expect(status == 200, "the server's own page may ask")

    print("conversations")
    homes = {}
    for number in range(CONVERSATIONS):
        name = f"conversation {number}"
        for _ in range(2):
            before = [backend.requests() for backend in backends]
            status, _ = proxy.ask(name)
            if status != 200:
                raise SystemExit(f"FAILED: {name}: status {status}")
            asked = [backend.requests() - count for backend, count in zip(backends, before)]
            if sorted(asked) != [0, 1] or homes.setdefault(name, asked.index(1)) != asked.index(1):
                raise SystemExit(f"FAILED: {name}: asked were {asked}, before it was {homes.get(name)}")
    numbers = [list(homes.values()).count(at) for at in range(len(backends))]
    expect(min(numbers) > 0, f"each stays where it began, {numbers[0]} on one and {numbers[1]} on the other")
    before = [backend.requests() for backend in backends]
    for _ in range(CONVERSATIONS):
        proxy.ask("")
    expect(all(backend.requests() > count for backend, count in zip(backends, before)),
           "those without a name are spread")

    print("a server is killed")
    backends[0].kill()
    before = backends[1].requests()
    for name in homes:
        status, words = proxy.ask(name)
        if status != 200 or not whole.startswith(words.strip()[:8]):
            raise SystemExit(f"FAILED: {name}: status {status}, {words[:80]!r}")
    expect(backends[1].requests() - before == len(homes),
           "the other one answers all conversations, and none has an error")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    model = options.bin / "../share/inglenook/guide.gguf"
    if nginx is None or not model.exists():
        print("nginx or the guide is missing")
        sys.exit(SKIPPED)
    binary = options.bin / "ingle-serve"
    account = account_for(binary)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        if account:
            shutil.chown(folder, account["user"], account["group"])
        backends = [Backend(binary, model.resolve(), folder, number, account) for number in (1, 2)]
        for backend in backends:
            stack.callback(backend.stop)
        port = free_port()
        process = start_nginx(nginx, folder, port, account)
        stack.callback(process.wait, 10)
        stack.callback(process.terminate)
        for backend in backends:
            wait_until(backend.is_up, "a server is there")
        proxy = Proxy(port)

        def is_up():
            with contextlib.suppress(OSError), contextlib.closing(proxy.connect()) as connection:
                connection.connect()
                return True
            return False
        wait_until(is_up, "nginx is there")
        check(proxy, backends)


if __name__ == "__main__":
    main()
