"""The life of ingle-serve: its socket, its end, the end of its engine, and what it asks of the system."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

from driver import expect, is_running, wait_until
from serve_driver import (QUESTION, Background, Server, ask, chat_body, events, expect_ok, guide_path, joined, text_of,
                          write_library)

SILENT_HOST = pathlib.Path(__file__).with_name("silent_host.py")
SLOW = {"grammar": "root ::= [a-z ]{150}"}
# A head has 10 seconds to come, a body 30; and a busy computer.
HEAD_SECONDS, BODY_SECONDS = (8, 25), (25, 50)


def check_rights(bin_dir, folder):
    old = os.umask(0)  # nothing depends on it
    try:
        with Server(bin_dir, folder, listen=None) as server:
            mode = server.socket_path.stat().st_mode
            expect(stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, f"the socket has {mode:o}")
            expect(stat.S_IMODE(server.socket_path.parent.stat().st_mode) == 0o700, "others may look into its folder")
            expect(server.lines == [f"Listening on {server.socket_path}"], f"it says {server.lines}")
            expect_ok(server.get("/v1/models"))
            server.kill()
            expect(server.socket_path.exists(), "a killed server cleans up?")
        with Server(bin_dir, folder, listen=None) as server:  # what the killed one left is in nobody's way
            expect_ok(server.get("/v1/models"))
            server.stop()
    finally:
        os.umask(old)


def check_end(bin_dir, folder):
    """What is under way when the server is to end comes to its end, streamed or not; nothing new begins."""
    with Server(bin_dir, folder, pace_ms=20) as server:
        whole = text_of(server.chat(**SLOW))
        host = server.host_pid()
        plain = Background(server.chat, **SLOW)
        streamed = server.chat_stream(**SLOW)
        begun = [next(streamed) for _ in range(3)]
        waiting = server.connect()
        expect_ok(ask(waiting, "GET", "/health"))
        wait_until(lambda: server.metrics()["ingle_answers_under_way"] == 2, "both answers")
        server.terminate()
        wait_until(lambda: _is_refused(server), "the end of its listening")
        reply = ask(waiting, "POST", "/v1/chat/completions", chat_body())
        expect(reply.status == 503 and reply.json()["error"]["code"] == "shutting_down",
               f"status {reply.status} while it ends")
        expect(ask(waiting, "GET", "/health").status == 503, "still well")
        waiting.close()
        expect(not plain.is_done(), "the answer had ended before: nothing was tested")
        expect(joined(begun + list(streamed)) == whole and text_of(plain.result()) == whole, "an answer was cut off")
        expect(server.wait() == 0, "the status is not 0")
        expect(not server.socket_path.exists() and not is_running(host), "something is left")
    check_unread(bin_dir, folder)
    # Answers that end while the server does are sent whole.
    for _ in range(4):
        with Server(bin_dir, folder) as server:
            server.chat()
            asked = [Background(_whole_or_refused, server) for _ in range(8)]
            time.sleep(0.15)
            server.terminate()
            told = [each.result() for each in asked]
            expect(server.wait() == 0 and any(told), f"nobody was answered: {told}")
    with Server(bin_dir, folder, pace_ms=50) as server:
        answer = server.chat_stream(**SLOW)
        next(answer)
        server.terminate()
        wait_until(lambda: _is_refused(server), "the end of its listening")
        expect(server.is_running(), "it did not wait")
        began = time.monotonic()
        server.terminate()
        expect(server.wait() == 0 and time.monotonic() - began < 5, "the second signal does not end it at once")
        expect(not server.socket_path.exists(), "the socket is still there")


def check_end_at_start(bin_dir, folder):
    """SIGTERM while it looks at its models, which may take long: it ends, and leaves nothing."""
    log = folder / "asked"
    host = [f"--host={each}" for each in (sys.executable, SILENT_HOST, log)]
    socket_path = folder / "run/serve.sock"
    process = subprocess.Popen(
        [bin_dir / "ingle-serve",
         guide_path(bin_dir), "--socket", socket_path, "--data-dir", folder / "data", *host],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True)
    wait_until(lambda: log.exists() and "inspect" in log.read_text(), "its look at the model")
    process.terminate()
    said, why = process.communicate(timeout=20)
    expect(process.returncode == 1 and not said and "ended before" in why,
           f"status {process.returncode}, {said!r}, {why!r}")
    expect(not socket_path.exists(), "the socket is still there")


def check_gone_embeddings(bin_dir, folder):
    """Who goes while texts are compared gives the place back, and the engine hears of it."""
    log = folder / "asked"
    write_library(folder, {"letters": (guide_path(bin_dir), True)})
    host = [f"--host={each}" for each in (sys.executable, SILENT_HOST, log)]
    with Server(bin_dir, folder, library=True, arguments=host) as server:
        connection = server.connect()
        connection.request("POST", "/v1/embeddings", json.dumps({"model": "letters", "input": "a lamp"}))
        wait_until(lambda: log.exists() and "embed" in log.read_text(), "the question")
        expect(server.metrics()["ingle_answers_under_way"] == 1, "it takes no place")
        connection.close()
        server.wait_until_idle(10)
        number = re.search(r"embed (\d+)", log.read_text())[1]
        wait_until(lambda: f"cancel {number}\n" in log.read_text(), "the engine to hear of it")
        server.stop()


def check_unread(bin_dir, folder):
    """An answer that has ended, and whose client has not read it to its end, is sent whole."""
    with Server(bin_dir, folder, listen=None) as server:
        connection = server.connect()
        # Many bytes of few tokens: who reads nothing for longer than a connection may be idle is cut off.
        body = json.dumps(chat_body(stream=True, n=2, grammar="root ::= [a-z ]{900}", logprobs=True, top_logprobs=20))
        connection.request("POST", "/v1/chat/completions", body)
        wait_until(lambda: server.metrics()["ingle_answers_total"] == 2, "its end")
        server.wait_until_idle()
        server.terminate()
        wait_until(lambda: _is_refused(server), "the end of its listening")
        time.sleep(0.5)
        told = connection.getresponse().read()
        expect(len(told) > 400_000, f"{len(told)} bytes would wait in the socket: nothing was tested")
        expect(told.endswith(b"data: [DONE]\n\n"), f"it ends with {told[-80:]!r}")
        expect(server.wait() == 0, "the status is not 0")


def _is_refused(server):
    try:
        server.raw(1).close()
    except (ConnectionError, FileNotFoundError):  # a reset: it was not taken any more
        return True
    return False


def _whole_or_refused(server):
    """Whether a stream was answered; what was begun must be whole."""
    connection = server.connect()
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(chat_body(stream=True)))
        response = connection.getresponse()
    except (ConnectionError, OSError):
        return False
    if response.status == 503:
        return False
    said = list(events(response))
    expect(said and said[-1] == "[DONE]", f"a stream ends with {said[-1:]}")
    return True


def check_killed_host(bin_dir, folder):
    """The engine's process is killed in the middle of answers: they go on, and are what they would have been."""
    fields = [{"temperature": 0, **SLOW}, {"temperature": 1, "seed": 7, **SLOW}]
    with Server(bin_dir, folder, pace_ms=20) as server:
        expected = [text_of(server.chat(**each)) for each in fields]
        expect(expected[0] != expected[1], "both are the same answer")
        for kill in range(2):
            plain = [Background(server.chat, **each) for each in fields]
            streamed = server.chat_stream(**fields[0], stream_options={"include_usage": True})
            begun = [next(streamed) for _ in range(3 + 5 * kill)]
            host = server.host_pid()
            os.kill(host, signal.SIGKILL)
            rest = list(streamed)
            expect(joined(rest), "the stream had ended before: nothing was tested")
            expect(joined(begun + rest) == expected[0], f"the stream goes on with {joined(rest)!r}")
            expect([text_of(each.result()) for each in plain] == expected,
                   "an answer is another one than without the kill")
            expect(server.host_pid() != host, "it was not killed")
        expect(text_of(server.chat(QUESTION)), "nothing goes on")
        server.stop()


def traced(log):
    """Lines of strace by process: "1234 socket(AF_UNIX, …"."""
    calls = {}
    for line in log.read_text(errors="replace").splitlines():
        process, _, call = line.partition(" ")
        calls.setdefault(process, []).append(call.strip())
    return calls


def check_system_calls(bin_dir, folder):
    """Without --listen there is no internet socket; with it there is the one that was asked for, and none in the
    engine's process."""
    if not shutil.which("strace"):
        return "strace is not installed"
    for listen in (None, "0"):
        log = folder / "trace"
        with Server(bin_dir,
                    folder,
                    listen=listen,
                    wrapper=["strace", "-f", "-qq", "-e", "trace=%network,%process", "-e", "signal=none", "-o",
                             log]) as server:
            expect(text_of(server.chat()), "no answer")
            host, port, pid = server.host_pid(), server.port, server.pid
            server.stop()
        calls = traced(log)
        every = [(process, call) for process, list_ in calls.items() for call in list_]
        own = [call for process, call in every if re.match(r"bind\(", call)]
        expect(any("sun_path" in call for call in own), "strace saw nothing")
        started = [process for process, call in every if call.startswith("execve(") and '/ingle"' in call]
        expect(str(host) in started and str(pid) in calls, f"{host} is not among {started}")
        internet = [(process, call)
                    for process, call in every
                    if re.search(r"AF_INET|PF_INET|AF_PACKET|sin_port|sin6_port", call)]
        threads = _threads_of(calls, host)
        expect(len(threads) > 2 and str(pid) not in threads, f"the threads of the engine are {threads}")
        from_host = [call for process, call in internet if process in threads]
        expect(not from_host, f"the engine has a connection: {from_host[:3]}")
        if listen is None:
            expect(not internet, f"without --listen: {internet[:3]}")
            continue
        binds = [call for _, call in internet if call.startswith("bind(")]
        expect(
            len(binds) == 1 and 'sin_addr=inet_addr("127.0.0.1")' in binds[0] and "sin_port=htons(0)" in binds[0],
            f"it binds {binds}")
        sockets = [call for _, call in internet if call.startswith("socket(")]
        expect(len(sockets) == 1 and port, f"it opens {sockets}")
        connects = [call for _, call in internet if call.startswith(("connect(", "sendto(", "sendmsg("))]
        expect(not [call for call in connects if "sin_addr" in call], f"it connects: {connects[:3]}")
    return None


def _threads_of(calls, process):
    """The process, its threads and whatever it started."""
    found, waiting = set(), [str(process)]
    while waiting:
        each = waiting.pop()
        found.add(each)
        for call in calls.get(each, []):
            started = re.search(r"(?:v?fork|clone3?)(?:\(| resumed>).* = (\d+)$", call)
            if started and started[1] not in found:
                waiting.append(started[1])
    return found


def check_half(server):
    """A request whose client says in its middle that nothing more comes is not waited for."""
    for part in (b"P", b"POST /v1/chat/completions HTTP/1.1\r\nHost: lo",
                 b"POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{",
                 b"POST /tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"):
        with contextlib.closing(server.raw()) as connection:
            connection.sendall(part)
            connection.shutdown(socket.SHUT_WR)
            began = time.monotonic()
            while connection.recv(4096):
                pass
            expect(time.monotonic() - began < 10, f"{part!r} was waited for")


class Slowloris:
    """Connections that send one byte a second: of a request line, of headers, of a body. Each must be cut."""

    HEADS = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 900,
             b"G" * 900,
             b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n" + b"[" * 900)

    def __init__(self, server):
        self._began = time.monotonic()
        self._ends = [Background(self._drip, server.raw(), head) for head in self.HEADS]

    @staticmethod
    def _drip(connection, data):
        """Returns after how many seconds it was cut."""
        began, skipped = time.monotonic(), max(data.rfind(b"\n") - 3, 0)
        with contextlib.closing(connection):
            connection.sendall(data[:skipped])
            connection.settimeout(1)
            for at in range(skipped, len(data)):
                try:
                    connection.send(data[at:at + 1])
                    if connection.recv(4096) == b"":
                        break
                except socket.timeout:
                    continue
                except ConnectionError:
                    break
        return time.monotonic() - began

    def check(self):
        for end, head in zip(self._ends, self.HEADS):
            least, most = BODY_SECONDS if b"\r\n\r\n" in head else HEAD_SECONDS
            seconds = end.result(BODY_SECONDS[1] + 10)
            expect(least < seconds < most,
                   f"{head[-60:]!r} was cut after {seconds:.0f} s")


def check(bin_dir, folder):
    check_end_at_start(bin_dir, folder)
    check_gone_embeddings(bin_dir, folder)
    check_rights(bin_dir, folder)
    check_end(bin_dir, folder)
    check_killed_host(bin_dir, folder)
