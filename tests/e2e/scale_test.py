#!/usr/bin/env python3
"""tools/scale.py: the simulated server against formulas, and the simulated questions against those of the load
generator."""
import argparse
import contextlib
import http.server
import io
import json
import pathlib
import subprocess
import sys
import threading
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import scale  # noqa: E402
import scale_simulation as simulation  # noqa: E402

# A word is a token, the template none, nothing is kept.
MEASURED = {
    "step_seconds": {"1": 0.04, "2": 0.05, "4": 0.06, "8": 0.08}, "step_with_piece_seconds": {"1": 0.1, "7": 0.2},
    "piece_alone_seconds": 0.3, "tokens_per_word": 1, "template_tokens": 0
}


def expect(is_so, what):
    if not is_so:
        raise SystemExit(f"FAILED: {what}")


def near(value, wanted, share, what):
    expect(abs(value - wanted) <= share * abs(wanted), f"{what}: {value:g}, not {wanted:g}")


def test_random_numbers_are_those_of_the_standard():
    draw = simulation.MersenneTwister64(5489)
    for _ in range(9999):
        draw()
    expect(draw() == 9981545732273789042, "the 10000th number of std::mt19937_64")  # [rand.predef]


def test_one_answer_alone_takes_its_steps():
    report = simulation.simulate(MEASURED, simulation.Load(clients=1, seconds=1),
                                 simulation.constant_questions(1, 100, 11))
    alone = 0.3 + 0.04 + 0.26 * 35 / 63  # 64 tokens and 36
    near(report.firsts[0], alone, 1e-9, "the first words")
    near(report.per_tokens[0], 0.04, 1e-9, "a token")
    near(report.seconds / report.answers, alone + 10 * 0.04, 1e-9, "an answer")


def test_eight_answers_share_a_step_and_a_ninth_waits():
    load = simulation.Load(clients=9, seconds=0)
    report = simulation.simulate(MEASURED, load, simulation.constant_questions(1, 16, 1000))
    near(simulation.percentile(report.gaps, 0.5), 0.08, 1e-9, "a step of eight answers")
    expect(sorted(report.firsts)[7] < 3, "eight begin at once")
    expect(max(report.firsts) > 0.9 * 1000 * 0.08, "the ninth waits until one has ended")


def test_a_prompt_beside_answers_is_read_in_small_pieces():
    server = simulation.Server(MEASURED)
    server.arrive(simulation.Job(0, simulation.Question((1,), 1000), 1))
    server.step()
    server.arrive(simulation.Job(0, simulation.Question((2,), 1), 40))
    before, steps, done = server.now, 0, []
    while not done:
        done = server.step()
        steps += 1
    expect(steps == 3, f"40 tokens are 3 pieces, not {steps}")
    near(server.now - before, 0.1 + 0.1 + 0.04 + 0.06 * 8 / 16, 1e-9, "their time")


def test_what_was_read_before_is_not_read_again():
    measured = MEASURED | {"kept_tokens": 4096}
    server = simulation.Server(measured)
    words = tuple(range(10)) * 10
    for expected in (0.3 + 0.04 + 0.26 * 35 / 63, 0.04):
        before = server.now
        server.arrive(simulation.Job(server.now, simulation.Question(words, 1), 100))
        while not server.is_idle():
            server.step()
        near(server.now - before, expected, 1e-9, "reading")


def test_waiting_agrees_with_the_formula():
    """M/D/1: one at a time, all alike."""
    service = 0.3 + 9 * 0.04
    for load_share in (0.3, 0.6, 0.8):
        load = simulation.Load(rate=load_share / service, clients=10**9, seconds=60000 * service / load_share)
        report = simulation.simulate(MEASURED, load, simulation.constant_questions(load.rate, 64, 10), most_running=1)
        waited = sum(report.firsts) / len(report.firsts) - 0.3
        near(waited, load_share * service / (2 * (1 - load_share)), 0.05, f"waiting at a load of {load_share}")


def test_who_comes_while_all_clients_are_busy_does_not_begin():
    load = simulation.Load(rate=10, clients=2, seconds=20)
    report = simulation.simulate(MEASURED, load, simulation.constant_questions(10, 16, 100))
    expect(report.not_begun > 100 and report.asked + report.not_begun > 150, "most are turned away")


def test_more_people_are_carried_who_ask_less_often():
    load = simulation.Load(clients=72, seconds=1800, prompt_words=20, answer_tokens=20)
    often, seldom = (simulation.users(MEASURED, load, minutes) for minutes in (1, 10))
    expect(often > 5, f"{often} people")
    near(seldom, 10 * often, 0.15, "ten times as many people who ask a tenth as often")
    slow = MEASURED | {"piece_alone_seconds": 30}
    expect(simulation.users(slow, simulation.Load(seconds=1800), 1) == 0, "nobody is served well by a slow machine")


def test_a_median_that_is_far_off_fails():
    load = simulation.Load(rate=1, clients=8, seconds=60, prompt_words=20, answer_tokens=20)
    report = simulation.simulate(MEASURED, load)
    text = simulation.report_text(report, load)
    for factor, fits in ((1.0, True), (1.2, True), (1.3, False), (0.7, False)):
        other = report._replace(firsts=[first * factor for first in report.firsts])
        rows = scale.differences(text, simulation.report_text(other, load))
        expect(all(row[-1] for row in rows) == fits, f"{factor} as long to the first words")


def test_reading_times_are_found_in_what_prompts_took():
    rows = []
    for tokens in (16, 60, 100, 200):
        full, rest = divmod(tokens - 10, 64)
        rows.append((0, tokens, 10, 0.02 + full * 0.3 + (0.04 + 0.26 * (rest - 1) / 63 if rest else 0)))
    delay, piece = scale.reading_times(rows, 0.04)
    near(delay, 0.02, 1e-6, "a request")
    near(piece, 0.3, 1e-6, "a piece")


class FakeServer(http.server.BaseHTTPRequestHandler):
    """Answers each question with three words, and remembers it."""
    protocol_version = "HTTP/1.1"
    bodies = []

    def do_POST(self):  # noqa: N802
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        pieces = [{"choices": [{"index": 0, "delta": {"content": "word "}}]}] * 3 + [{
            "choices": [], "usage": {"completion_tokens": 3}
        }]
        text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def fake_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeServer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_questions_are_those_of_the_load_generator(serve):
    load = simulation.Load(rate=20, clients=200, seconds=2, prompt_words=12, answer_tokens=30, shared_words=3, seed=7)
    FakeServer.bodies.clear()
    with fake_server() as url:
        command = [serve, "--bench", url, "--bench-model", "m", *load.arguments()]
        printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    asked = sorted((body["messages"][0]["content"].split(), body["max_tokens"]) for body in FakeServer.bodies)
    questions, ours, now = simulation.Questions(load), [], 0
    while (now := now + questions.gap()) < load.seconds:
        question = questions.question()
        ours.append(([scale.WORDS[word] for word in question.words], question.answer_tokens))
    expect(
        len(ours) > 20 and sorted(ours) == asked,
        f"{len(ours)} questions of the simulation, {len(asked)} of the load generator")

    simulated = simulation.report_text(simulation.simulate(MEASURED, load), load)
    expect([line[:22] for line in simulated.splitlines()[1:4]] == [line[:22] for line in printed.splitlines()[1:4]],
           f"the same lines:\n{printed}{simulated}")
    expect(
        scale.medians(printed).keys() == scale.medians(simulated).keys() and len(scale.medians(printed)) == 3,
        "three medians")

    # `check` runs both; that server answers at once, which no simulation says.
    with fake_server() as url, contextlib.redirect_stdout(io.StringIO()):
        options = types.SimpleNamespace(**vars(load), bench_seed=load.seed, url=url, serve=serve, model="m", file=None)
        scale.read = lambda _: MEASURED
        expect(scale.check(options) == 1, "check fails")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(*([str(options.bin / "ingle-serve")] if "load_generator" in name else []))
            print(f"  {name[5:].replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
