"""Many clients at once, among them some who read nothing, vanish or send slowly: nobody else notices."""
import contextlib
import json
import pathlib
import random
import re
import socket
import subprocess
import threading
import time

from driver import Failure, expect
from serve_driver import Server, ask, chat_body, expect_ok, joined, resident_kb, stream, text_of

QUESTIONS = [
    "How do I import a model?", "Which formats can be opened?", "Is my data private?", "How do I search?",
    "What is a context?", "How do I export a chat?", "Can I use a graphics card?", "How do I delete a model?"
]
SLOW_READERS = 3
MOST_HELD = 4  # connections of each that are open and not read
VANISHERS = 2
# What is measured begins when every kind of client has come, and those who read nothing hold all that they will: the
# more there are, the later.
SETTLED_SECONDS = 5
MOST_PAUSE_SECONDS = 8  # before one who reads nothing opens another connection
MOST_GROWTH = 0.05
MOST_UNEVENNESS = 3  # of the times between tokens: the 99th of a hundred by the median
BILLION = [
    "--family", "llama", "--context", "4096", "--dim", "2048", "--ffn", "5632", "--layers", "22", "--heads", "32",
    "--kv-heads", "4", "--vocab", "32000", "--quant", "Q4_0"
]
LONG = {"grammar": "root ::= [a-z ]{1200}"}


class Load:
    def __init__(self, server, clients, seconds):
        self._server, self._until = server, time.monotonic() + seconds
        self._pause = min(MOST_PAUSE_SECONDS, seconds / 25)
        self._lock = threading.Lock()
        self.expected = {question: text_of(server.chat(question)) for question in QUESTIONS}
        self._until = time.monotonic() + seconds
        self.failures, self.answers, self.per_client = [], 0, [0] * clients
        self._threads = [
            threading.Thread(target=self._guarded, args=(self._client, number), daemon=True)
            for number in range(clients)
        ]
        self._threads += [
            threading.Thread(target=self._guarded, args=(self._reads_nothing, number), daemon=True)
            for number in range(SLOW_READERS)
        ]
        self._threads += [
            threading.Thread(target=self._guarded, args=(self._vanishes, number), daemon=True)
            for number in range(VANISHERS)
        ]

    def run(self):
        for thread in self._threads:
            thread.start()

    def join(self):
        for thread in self._threads:
            thread.join()

    def is_over(self):
        return time.monotonic() > self._until or self.failures

    def _guarded(self, work, number):
        try:
            work(number)
        except Exception as error:
            self.failures.append(f"{work.__name__.strip('_')} {number}: {error!r}")

    def _client(self, number):
        """Asks one question after the other, over one connection where it can."""
        source = random.Random(number)
        connection = self._server.connect(on_socket=number % 2 == 0)
        while not self.is_over():
            question, is_streamed = source.choice(QUESTIONS), source.random() < 0.5
            if is_streamed:
                said = joined(stream(connection, "/v1/chat/completions", chat_body(question, stream=True)))
            else:
                said = text_of(expect_ok(ask(connection, "POST", "/v1/chat/completions", chat_body(question))))
            expect(said == self.expected[question],
                   f"{question} was answered with {said!r}, alone with {self.expected[question]!r}")
            with self._lock:
                self.answers += 1
                self.per_client[number] += 1
        connection.close()

    def _begin(self, fields):
        connection = self._server.raw()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = json.dumps(chat_body(stream=True, **fields)).encode()
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b" %
                           (len(body), body))
        return connection

    def _reads_nothing(self, _):
        """Long answers of which it reads no byte until the end."""
        held = []
        while not self.is_over():
            held.append(self._begin(LONG))
            if len(held) > MOST_HELD:
                held.pop(0).close()
            opens_next = time.monotonic() + self._pause
            while time.monotonic() < opens_next and not self.is_over():
                time.sleep(0.1)
        for connection in held:
            connection.close()

    def _vanishes(self, number):
        """Goes in the middle of an answer, without a word or with a reset."""
        source = random.Random(1000 + number)
        while not self.is_over():
            with contextlib.closing(self._begin(LONG)) as connection:
                connection.settimeout(source.uniform(0.05, 1))
                with contextlib.suppress(socket.timeout):
                    connection.recv(source.choice([1, 1000]))
                if source.random() < 0.5:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            time.sleep(0.2)


def check_evenness(bin_dir, folder, clients, seconds):
    """Of the tokens of each client among as many, of a model whose steps take as long as those of models that people
    use: what the clients themselves do on the same processor is little beside them. Needs a computer that does
    nothing else."""
    model = pathlib.Path(folder) / "billion.gguf"
    subprocess.run([pathlib.Path(bin_dir) / "ingle", "synth", *BILLION, "-o", model],
                   check=True,
                   stdout=subprocess.DEVNULL)
    with Server(bin_dir, folder, model, arguments=["--max-answers", str(clients), "--context", "1024"]) as server:
        command = [
            pathlib.Path(bin_dir) / "ingle-serve", "--bench", server.url + "/v1", "--clients", clients, "--seconds",
            seconds, "--prompt-words", 10, "--answer-tokens", 60
        ]
        report = subprocess.run([str(each) for each in command], check=True, capture_output=True,
                                encoding="utf-8").stdout
        server.stop()
    median, late = (
        float(each) for each in re.search(r"between pieces +p50 +([0-9.]+) .* p99 +([0-9.]+) ms", report).groups())
    expect("failed" not in report, report)
    expect(late <= MOST_UNEVENNESS * median,
           f"between tokens passed {median} ms, of one in a hundred more than {late} ms\n{report}")
    return (f"{clients} clients of a model of 1.1 billion weights: "
            f"between tokens {median} ms (99th of a hundred: {late} ms)")


def check(bin_dir, folder, clients, seconds):
    """Returns what was seen, in a sentence."""
    room = ["--max-answers", str(min(clients + SLOW_READERS * (MOST_HELD + 1) + 2 * VANISHERS + 8, 240))]
    with Server(bin_dir, folder, arguments=room) as server:
        load = Load(server, clients, seconds)
        load.run()
        time.sleep(max(SETTLED_SECONDS, seconds / 10))
        settled = most = resident_kb(server.pid)
        while not load.is_over():
            time.sleep(0.5)
            most = max(most, resident_kb(server.pid))
        load.join()
        if load.failures:
            raise Failure("; ".join(load.failures[:3]))
        expect(min(load.per_client) > 0, f"a client had no answer: {load.per_client}")
        server.wait_until_idle()
        expect(most <= settled * (1 + MOST_GROWTH), f"ingle-serve grew from {settled} to {most} kB")
        expect(server.metrics()["ingle_answers_total"] >= load.answers, "answers were not counted")
        server.stop()
    return f"{clients} clients had {load.answers} answers in {seconds} s; ingle-serve has {most / 1024:.1f} MB"
