#!/usr/bin/env python3
"""How many people one `ingle-serve` carries: step times are measured, and the server is simulated from them.

scale.py measure FILE --url http://127.0.0.1:8080/v1       measures a server that has nothing else to do
scale.py simulate FILE --rate R …                          what the load generator would print
scale.py check FILE --url U --rate R --seconds S …         both, side by side; exit status 1 when a median is off by
more than 25 % scale.py users FILE [--minutes 1 5 15]                     people who ask every so many minutes, of
whom 95 % are served well

Options of questions and answers are those of `ingle-serve --bench`. How it works is told in docs/scale.md.
"""
import argparse
import contextlib
import http.client
import json
import math
import random
import re
import statistics
import string
import subprocess
import sys
import time
import urllib.parse

import scale_simulation as simulation

TOLERANCE = 0.25
WORDS = ["river", "lamp", "stone", "garden", "letter", "winter", "bread", "road", "field",
         "song"]  # the load generator's
WRITERS = (1, 2, 4, 8)
BESIDE = (1, 3, 7)
PROMPT_WORDS = (1, 6, 11, 21, 41, 81)  # the first one is no word of the load generator
SHORT_WORDS, BESIDE_WORDS = 1, 31
WRITTEN_TOKENS = 40  # of each answer whose pace is measured


class Stream:
    """An answer as it comes."""

    def __init__(self, url, model, words, max_tokens):
        parts = urllib.parse.urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.netloc, timeout=120)
        body = {
            "model": model, "messages": [{"role": "user", "content": words}], "max_tokens": max_tokens, "stream": True,
            "stream_options": {"include_usage": True}
        }
        self.begin = time.monotonic()
        self._connection.request("POST", parts.path + "/chat/completions", json.dumps(body),
                                 {"Content-Type": "application/json"})
        self._response = self._connection.getresponse()
        if self._response.status != 200:
            raise OSError(f"status {self._response.status}: {self._response.read(300).decode(errors='replace')}")
        self.times = []  # of the pieces
        self.usage = {}

    def next_piece(self):
        """False at the end."""
        for line in self._response:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            if event.get("error"):
                raise OSError(event["error"].get("message"))
            self.usage = event.get("usage") or self.usage
            if event.get("choices") and (event["choices"][0]["delta"].get("content")
                                         or event["choices"][0]["delta"].get("reasoning_content")):
                self.times.append(time.monotonic())
                return True
        return False

    def read(self):
        while self.next_piece():
            pass
        return self

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self._connection.close()


class Measurement:
    """Questions of which no two begin alike, so that nothing but the template's beginning has been read before."""

    def __init__(self, url, model):
        self._url = url
        self._model = model or self._first_model()
        self._asked = 0

    def _first_model(self):
        parts = urllib.parse.urlsplit(self._url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection.request("GET", parts.path + "/models")
        return json.loads(connection.getresponse().read())["data"][0]["id"]

    def ask(self, num_words, max_tokens):
        letters = string.ascii_letters
        first = letters[self._asked % len(letters)] + letters[self._asked // len(letters) % len(letters)]
        self._asked += 1
        words = [first]
        while len(words) < num_words:
            words += random.sample(WORDS, min(len(WORDS), num_words - len(words)))
        return Stream(self._url, self._model, " ".join(words) + " ", max_tokens)

    def prompts_alone(self, rounds):
        """(words, tokens, tokens known already, seconds to the first piece) of each length, the median of `rounds`."""
        rows = []
        for words in PROMPT_WORDS:
            found = []
            for _ in range(rounds):
                try:
                    with self.ask(words, 1) as stream:
                        stream.read()
                except OSError as error:
                    print(f"{words} words: left out, since {error}", file=sys.stderr)
                    break
                if not stream.times or not stream.usage:
                    continue
                seconds = stream.times[0] - stream.begin
                cached = (stream.usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
                found.append((words, stream.usage["prompt_tokens"], cached, seconds))
            if found:
                rows.append(sorted(found, key=lambda row: row[3])[len(found) // 2])
        return rows

    def pace(self, writers, tokens):
        """Median seconds between pieces while so many answers are written."""
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(self.ask(SHORT_WORDS, tokens + 8 * writers)) for _ in range(writers)]
            for stream in streams:
                stream.next_piece()
            for _ in range(tokens):
                for stream in streams:
                    stream.next_piece()
            last_began = max(stream.times[0] for stream in streams)
            gaps = [later - earlier for stream in streams for earlier, later in zip(stream.times, stream.times[1:])
                    if earlier >= last_began]
        return statistics.median(gaps)

    def beside(self, writers, delay, plain):
        """Seconds of a step with a full piece of a prompt, while so many answers are written."""
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(self.ask(SHORT_WORDS, 400)) for _ in range(writers)]
            for stream in streams:
                stream.next_piece()
            with self.ask(BESIDE_WORDS, 1) as prompt:
                prompt.read()
        cached = (prompt.usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        pieces = (prompt.usage["prompt_tokens"] - cached) / simulation.PIECE_BESIDE
        # On average it comes in the middle of a step. The last piece is a part of one: the rest of that step is the
        # plain one.
        seconds = prompt.times[0] - prompt.begin - delay - plain / 2 - plain * (math.ceil(pieces) - pieces)
        return seconds / pieces


def line_through(points):
    """(at 0, slope), by least squares."""
    mean_x, mean_y = (statistics.fmean(values) for values in zip(*points))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return mean_y - slope * mean_x, slope


def reading_times(rows, one_token):
    """(seconds of a request beside its steps, seconds of a full piece): the line through what prompts took less their
    share of plain steps."""
    points = []
    for _, tokens, cached, seconds in rows:
        unread = tokens - cached
        pieces = [simulation.PIECE_ALONE] * (unread // simulation.PIECE_ALONE)
        pieces += [unread % simulation.PIECE_ALONE] if unread % simulation.PIECE_ALONE else []
        full = sum((piece - 1) / (simulation.PIECE_ALONE - 1) for piece in pieces)
        points.append((full, seconds - one_token * (len(pieces) - full)))
    delay, piece = line_through(points)
    if delay < 0:  # lost in the noise
        delay, piece = 0, sum(x * y for x, y in points) / sum(x * x for x, _ in points)
    return delay, piece


def measure(options):
    measurement = Measurement(options.url, options.model)
    measurement.prompts_alone(1)  # the model is loaded, its file is in memory
    paces = {n: [] for n in WRITERS}
    for _ in range(options.rounds):
        for n in WRITERS:
            paces[n].append(measurement.pace(n, WRITTEN_TOKENS))
    plain = {str(n): statistics.median(values) for n, values in paces.items()}
    rows = measurement.prompts_alone(options.rounds)
    template, per_word = line_through([(words - 1, tokens) for words, tokens, _, _ in rows])
    delay, piece = reading_times(rows, plain["1"])
    times = simulation.StepTimes(
        {"step_seconds": plain, "step_with_piece_seconds": plain, "piece_alone_seconds": piece})
    beside = {
        str(n): statistics.median(measurement.beside(n, delay, times.step(n, 0)) for _ in range(options.rounds))
        for n in BESIDE
    }
    found = {
        "url": options.url, "when": time.strftime("%Y-%m-%d %H:%M"), "step_seconds": plain,
        "step_with_piece_seconds": beside, "piece_alone_seconds": piece, "request_seconds": delay,
        "tokens_per_word": per_word, "template_tokens": template - 1,
        "head_tokens": min(cached for _, _, cached, _ in rows), "kept_tokens": options.kept_tokens, "prompts": rows
    }
    with open(options.file, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
    print(json.dumps(found, indent=1))
    return 0


def load_of(options):
    return simulation.Load(options.rate, options.clients, options.seconds, options.prompt_words, options.answer_tokens,
                           options.shared_words, options.bench_seed, options.good_first, options.good_token)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def simulate(options):
    load = load_of(options)
    print(simulation.report_text(simulation.simulate(read(options.file), load), load), end="")
    return 0


def medians(text):
    """Of a report, by the names of its lines, in milliseconds."""
    return {name.strip(): float(p50) for name, p50 in re.findall(r"^(.+?) p50 +([\d.]+) ", text, re.MULTILINE)}


def differences(measured, simulated, tolerance=TOLERANCE):
    """(name, measured, simulated, share by which it is off, whether that is little) of what is judged."""
    rows = []
    ours, theirs = medians(simulated), medians(measured)
    for name in ("to the first words", "per token of an answer"):
        off = ours[name] / theirs[name] - 1 if theirs.get(name) else math.inf
        rows.append((name, theirs.get(name, 0), ours[name], off, abs(off) <= tolerance))
    return rows


def check(options):
    load = load_of(options)
    command = [options.serve, "--bench", options.url, *load.arguments()]
    if options.model:
        command += ["--bench-model", options.model]
    print(" ".join(command), flush=True)
    measured = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    simulated = simulation.report_text(simulation.simulate(read(options.file), load), load)
    print(f"measured:\n{measured}simulated:\n{simulated}", end="")
    rows = differences(measured, simulated)
    for name, real, model, off, fits in rows:
        print(
            f"{name:<22} measured {real:8.1f}   simulated {model:8.1f} ms   {100 * off:+5.0f} "
            f"%{'' if fits else '   too far off'}"
        )
    return 0 if all(row[-1] for row in rows) else 1


def users(options):
    measured = read(options.file)
    for minutes in options.minutes:
        people = simulation.users(measured, load_of(options), minutes)
        print(
            f"one question every {minutes:g} minutes: {people} people ({people / minutes / 60:.3f} questions a second)")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(name, function, *needs):
        added = commands.add_parser(name)
        added.set_defaults(function=function)
        added.add_argument("file", help="the JSON of what was measured")
        if "url" in needs:
            added.add_argument("--url", required=True, help="up to its /v1")
            added.add_argument("--model", default="", help="(default: the first one that the server names)")
        if "load" in needs:
            added.add_argument("--rate",
                               type=float,
                               default=0.0,
                               help="arrivals a second; without it clients ask again and again")
            added.add_argument("--clients", type=int, default=8)
            added.add_argument("--prompt-words", type=float, default=100)
            added.add_argument("--shared-words", type=int, default=0)
            added.add_argument("--answer-tokens", type=float, default=100)
            added.add_argument("--bench-seed", type=int, default=1)
            added.add_argument("--good-first", type=float, default=2)
            added.add_argument("--good-token", type=float, default=0.2)
            added.add_argument("--seconds", type=int, default=30)
        return added

    added = command("measure", measure, "url")
    added.add_argument("--rounds", type=int, default=3)
    added.add_argument("--kept-tokens",
                       type=int,
                       default=4096,
                       help="context of the model: so much of what was read is kept for others")
    command("simulate", simulate, "load")
    command("check", check, "url", "load").add_argument("--serve", default="ingle-serve", help="the program")
    added = command("users", users, "load")
    added.add_argument("--minutes", type=float, nargs="+", default=[1, 5, 15], help="between two questions of a person")
    added.set_defaults(seconds=7200, clients=72)
    options = parser.parse_args()
    sys.exit(options.function(options))


if __name__ == "__main__":
    main()
