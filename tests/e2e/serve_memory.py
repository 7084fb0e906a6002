#!/usr/bin/env python3
"""Many clients for long, while the engine is killed again and again and long requests come in crowds: the server
lives, answers `/health`, and gives its memory back."""
import argparse
import contextlib
import os
import pathlib
import signal
import socket
import threading
import time

from driver import expect
from serve_driver import GUIDE, Server, chat_body, new_folder, resident_kb, text_of

BODY = b'{"model":"%s","messages":[{"role":"user","content":"%s"}]}' % (GUIDE.encode(), b"x" * ((8 << 20) - 200))
CROWD = 20  # long requests that come at once
MOST_KEPT_KB = 50 << 10
MOST_PEAK_KB = 700 << 10
SETTLED_SECONDS = 20
MOST_HEALTH_SECONDS = 5  # beside clients that have the processor to themselves
# What may be said while engines die and others ask for much.
STATUSES = {200, 400, 429, 500, 503}


class Crowd:
    def __init__(self, server, clients, seconds, kills, bodies):
        self._server, self._until = server, time.monotonic() + seconds
        self._seconds, self._kills, self._bodies = seconds, kills, bodies
        self._lock = threading.Lock()
        self.statuses, self.failures, self.killed, self.sent, self.peak_kb, self.slowest = {}, [], 0, 0, 0, 0.0
        works = [self._asks] * clients + [self._kills_engines, self._sends_long, self._looks]
        self._threads = [threading.Thread(target=self._guarded, args=(work,), daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def join(self):
        for thread in self._threads:
            thread.join()

    def _is_over(self):
        return time.monotonic() > self._until or self.failures

    def _guarded(self, work):
        try:
            work()
        except Exception as error:
            self.failures.append(f"{work.__name__.strip('_')}: {error!r}")

    def _count(self, status):
        with self._lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1
        expect(status in STATUSES, f"status {status}")

    def _asks(self):
        while not self._is_over():
            self._count(self._server.post("/v1/chat/completions", chat_body(max_tokens=40)).status)

    def _kills_engines(self):
        for _ in range(self._kills):
            if self._is_over():
                return
            for pid in self._server.engines():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed += 1
            time.sleep(self._seconds / self._kills * 0.9)

    def _sends_long(self):
        crowds = max(self._bodies // CROWD, 1)
        for _ in range(crowds):
            if self._is_over():
                return
            threads = [threading.Thread(target=self._guarded, args=(self._send_long,)) for _ in range(CROWD)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            time.sleep(self._seconds / crowds / 2)

    def _send_long(self):
        try:
            self._count(self._server.post("/v1/chat/completions", BODY).status)
            self.sent += 1
        except (ConnectionError, socket.timeout) as error:
            raise AssertionError(f"a long request ends with {error!r}") from error

    def _looks(self):
        while not self._is_over():
            began = time.monotonic()
            expect(self._server.get("/health").status == 200, "not well")
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.peak_kb = max(self.peak_kb, resident_kb(self._server.pid))
            time.sleep(0.2)


def check(bin_dir, folder, clients, seconds, kills, bodies):
    """Returns what was seen, in a sentence."""
    with Server(bin_dir, folder, arguments=["--max-answers", str(clients + CROWD)]) as server:
        expected = text_of(server.chat())
        begun_kb = resident_kb(server.pid)
        crowd = Crowd(server, clients, seconds, kills, bodies)
        crowd.join()
        expect(not crowd.failures, "; ".join(crowd.failures[:3]))
        expect(server.is_running(), "the server has ended")
        server.wait_until_idle()
        expect(text_of(server.chat()) == expected, "an ordinary request is answered otherwise")
        ended = time.monotonic() + SETTLED_SECONDS
        while (ended_kb := resident_kb(server.pid)) > begun_kb + MOST_KEPT_KB and time.monotonic() < ended:
            time.sleep(0.5)
        seen = (f"{clients} clients, {crowd.killed} kills and {crowd.sent} long requests in {seconds} s: statuses "
                f"{dict(sorted(crowd.statuses.items()))}; ingle-serve had {begun_kb / 1024:.0f} MB, at most "
                f"{crowd.peak_kb / 1024:.0f} MB, at the end {ended_kb / 1024:.0f} MB; /health took "
                f"{crowd.slowest:.2f} s at most")
        expect(ended_kb <= begun_kb + MOST_KEPT_KB and crowd.peak_kb <= MOST_PEAK_KB, seen)
        expect(crowd.slowest <= MOST_HEALTH_SECONDS, seen)
        expect(crowd.killed >= kills // 2 and crowd.sent >= bodies, f"too little was done: {seen}")
        server.stop()
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--bodies", type=int, default=100)
    options = parser.parse_args()
    with new_folder() as folder:
        print(check(options.bin, folder, options.clients, options.seconds, options.kills, options.bodies))


if __name__ == "__main__":
    main()
