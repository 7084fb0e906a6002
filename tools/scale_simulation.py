"""A model of `ingle-serve` in steps, and of the load generator that asks it; tools/scale.py is its command line.

The server (engine/session/conversations/scheduler.cpp): in each step every answer being written gets a token, and one
prompt is read by a piece, in turns; eight are under way at most, the others wait in order. What a step takes is
measured (StepTimes). The load generator (app/serve/bench/load.cpp): the same arrivals, words and lengths for the same
seed. Times are in seconds.
"""
import bisect
import collections
import math
import random

MOST_RUNNING = 8  # Model::kMaxDecoding
MOST_KEPT = 8  # SequenceCache::kMaxSequences: whose beginnings others need not read
PIECE_ALONE = 64  # Model::kPrefillTokens
PIECE_BESIDE = 16  # backend::Backend::kPromptRows / kSharedPrefillShare
WORTH_WAITING = 32  # kWorthFetching: who shares more than this with a prompt being read waits for it
NUM_WORDS = 10  # that the load generator's questions consist of


class MersenneTwister64:
    """std::mt19937_64."""

    SIZE, SHIFT = 312, 156

    def __init__(self, seed):
        mask = 2**64 - 1
        self._state = [seed & mask]
        for i in range(1, self.SIZE):
            last = self._state[-1]
            self._state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & mask)
        self._next = self.SIZE

    def __call__(self):
        if self._next == self.SIZE:
            self._twist()
        x = self._state[self._next]
        self._next += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def _twist(self):
        state = self._state
        for i in range(self.SIZE):
            x = (state[i] & 0xFFFFFFFF80000000) | (state[(i + 1) % self.SIZE] & 0x7FFFFFFF)
            state[i] = state[(i + self.SHIFT) % self.SIZE] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self._next = 0

    def share(self):
        """std::generate_canonical<double, 53>."""
        return min(self() / 2**64, math.nextafter(1, 0))


Question = collections.namedtuple("Question", "words answer_tokens")  # words: their numbers


class Questions:
    """What the load generator draws, in its order. The distributions are those of libstdc++."""

    def __init__(self, load):
        self._load = load
        self._random = MersenneTwister64(load.seed)
        self._shared = self._words(load.shared_words, MersenneTwister64(0))

    def gap(self):
        return -math.log(1 - self._random.share()) / self._load.rate

    def question(self):
        words = self._shared + self._words(self._length(self._load.prompt_words), self._random)
        answer_tokens = self._length(self._load.answer_tokens)
        self._random()  # the request's seed
        return Question(words, answer_tokens)

    def _length(self, mean):
        share = self._random.share()
        return 1 if mean <= 1 else 1 + int(math.log(1 - share) / math.log(1 - 1 / mean))

    @staticmethod
    def _words(count, draw):
        return tuple(draw() % NUM_WORDS for _ in range(count))


class StepTimes:
    """What steps take. `measured` is the JSON that `scale.py measure` writes."""

    def __init__(self, measured):
        self._plain = self._table(measured["step_seconds"])
        self._beside = self._table(measured["step_with_piece_seconds"])
        self._alone = measured["piece_alone_seconds"]

    def step(self, answers, piece):
        """Of so many answers that get a token, beside a piece of a prompt of so many tokens."""
        if answers == 0:
            one = self._at(self._plain, 1)
            return one + (self._alone - one) * (piece - 1) / (PIECE_ALONE - 1)
        plain = self._at(self._plain, answers)
        if piece == 0:
            return plain
        return plain + max(self._at(self._beside, answers) - plain, 0) * piece / PIECE_BESIDE

    @staticmethod
    def _table(values):
        return sorted((int(answers), seconds) for answers, seconds in values.items())

    @staticmethod
    def _at(table, answers):
        """Between what was measured: the line between the neighbours; outside: the line of the last two."""
        if len(table) == 1:
            return table[0][1]
        at = min(max(bisect.bisect_left(table, (answers, 0)), 1), len(table) - 1)
        (low, first), (high, second) = table[at - 1], table[at]
        return first + (second - first) * (answers - low) / (high - low)


class Job:
    def __init__(self, asked, question, prompt_tokens):
        self.asked = asked
        self.words = question.words
        self.prompt_tokens = prompt_tokens
        self.answer_tokens = question.answer_tokens
        self.unread = prompt_tokens
        self.written = 0
        self.first = self.last = None


def common_beginning(one, other):
    count = 0
    for a, b in zip(one, other):
        if a != b:
            break
        count += 1
    return count


class Server:
    """Jobs are handed to it by `arrive`; `step` does one step and returns who is done."""

    def __init__(self, measured, most_running=MOST_RUNNING):
        self._times = StepTimes(measured)
        self._head = measured.get("head_tokens", 0)
        self._template = measured.get("template_tokens", 0)
        self._per_word = measured.get("tokens_per_word", 1)
        self._kept_most = measured.get("kept_tokens", 0)
        self._most_running = most_running
        self._waiting = []
        self._running = []
        self._kept = []  # jobs that ended, the oldest first
        self.now = 0.0
        self.gaps = []  # between two tokens of an answer
        self.most_seen = 0

    def prompt_tokens(self, question):
        return max(round(self._template + self._per_word * len(question.words)), 1)

    def arrive(self, job):
        self._waiting.append(job)

    def is_idle(self):
        return not self._waiting and not self._running

    def step(self, arrivals=lambda now: None):
        """`arrivals` is told when the step ends, and hands over who came meanwhile."""
        self._admit()
        writing = [job for job in self._running if job.unread == 0]
        reader = next((job for job in self._running if job.unread > 0), None)
        piece = min(reader.unread, PIECE_BESIDE if writing else PIECE_ALONE) if reader else 0
        self.now += self._times.step(len(writing), piece)
        arrivals(self.now)
        if reader:
            self._running.remove(reader)
            self._running.append(reader)  # another prompt's turn comes next
            reader.unread -= piece
            if reader.unread == 0:
                writing.append(reader)
        for job in writing:
            self._write(job)
        done = [job for job in writing if job.written == job.answer_tokens]
        for job in done:
            self._running.remove(job)
            self._keep(job)
        return done

    def _write(self, job):
        job.written += 1
        if job.first is None:
            job.first = self.now
        else:
            self.gaps.append(self.now - job.last)
        job.last = self.now

    def _admit(self):
        for job in list(self._waiting):
            if len(self._running) >= self._most_running:
                return
            if self._shares_what_is_being_read(job):
                continue
            self._waiting.remove(job)
            self._begin(job)
            self._running.append(job)
            self.most_seen = max(self.most_seen, len(self._running))

    def _common(self, job, other):
        """Tokens that both begin with, and `other` has read."""
        words = common_beginning(job.words, other.words)
        return min(self._head + int(self._per_word * words), other.prompt_tokens - other.unread, job.prompt_tokens - 1)

    def _longest(self, job):
        """Tokens of this prompt's beginning that are in memory."""
        return max(
            (self._common(job, other) for other in self._kept + self._running), default=0) if self._kept_most else 0

    def _shares_what_is_being_read(self, job):
        if not self._kept_most:
            return False
        have = self._longest(job)
        return any(other.unread > 0 and self._per_word * common_beginning(job.words, other.words) + self._head > have +
                   WORTH_WAITING for other in self._running)

    def _begin(self, job):
        job.unread = job.prompt_tokens - self._longest(job)

    def _keep(self, job):
        self._kept.append(job)
        total = sum(kept.prompt_tokens + kept.answer_tokens for kept in self._kept)
        while len(self._kept) > MOST_KEPT or (self._kept and total > self._kept_most):
            oldest = self._kept.pop(0)
            total -= oldest.prompt_tokens + oldest.answer_tokens


class Load:
    """Options of the load generator, and what came of them."""

    def __init__(self, rate=0.0, clients=8, seconds=30, prompt_words=100.0, answer_tokens=100.0, shared_words=0, seed=1,
                 good_first=2.0, good_token=0.2):
        self.rate, self.clients, self.seconds, self.seed = rate, clients, seconds, seed
        self.prompt_words, self.answer_tokens, self.shared_words = prompt_words, answer_tokens, shared_words
        self.good_first, self.good_token = good_first, good_token

    def arguments(self):
        """As `ingle-serve --bench URL` takes them."""
        named = {
            "clients": self.clients, "seconds": self.seconds, "prompt-words": self.prompt_words,
            "shared-words": self.shared_words, "answer-tokens": self.answer_tokens, "bench-seed": self.seed,
            "good-first": self.good_first, "good-token": self.good_token
        }
        if self.rate > 0:
            named["rate"] = self.rate
        return [word for name, value in named.items() for word in (f"--{name}", f"{value:g}")]


Report = collections.namedtuple("Report", "answers seconds tokens firsts gaps per_tokens good asked not_begun")


def simulate(measured, load, questions=None, most_running=MOST_RUNNING):
    questions = questions or Questions(load)
    server = Server(measured, most_running)
    delay = measured.get("request_seconds", 0)  # from the client to the scheduler
    on_the_way = collections.deque()  # jobs, in order
    done, under_way, not_begun = [], 0, 0
    next_arrival = questions.gap() if load.rate > 0 else math.inf

    def ask(now):
        nonlocal under_way
        question = questions.question()
        on_the_way.append(Job(now, question, server.prompt_tokens(question)))
        under_way += 1

    def arrivals(now):
        nonlocal next_arrival, not_begun
        while next_arrival <= now and next_arrival < load.seconds:
            if under_way >= load.clients:
                not_begun += 1
            else:
                ask(next_arrival)
            next_arrival += questions.gap()
        while on_the_way and on_the_way[0].asked + delay <= now:
            server.arrive(on_the_way.popleft())

    if load.rate <= 0:
        for _ in range(load.clients):
            ask(0.0)
    while True:
        if server.is_idle():
            coming = on_the_way[0].asked + delay if on_the_way else math.inf
            if next_arrival < load.seconds:
                coming = min(coming, next_arrival)
            if coming == math.inf:
                break
            server.now = max(server.now, coming)
            arrivals(server.now)
            continue
        for job in server.step(arrivals):
            done.append(job)
            under_way -= 1
            if load.rate <= 0 and server.now < load.seconds:
                ask(server.now)
        arrivals(server.now)
    return report_of(done, server, load, not_begun)


def report_of(jobs, server, load, not_begun):
    firsts = [job.first - job.asked for job in jobs]
    per_tokens, good = [], 0
    for job, first in zip(jobs, firsts):
        per_token = (job.last - job.first) / (job.answer_tokens - 1) if job.answer_tokens > 1 else 0
        if job.answer_tokens > 1:
            per_tokens.append(per_token)
        good += first <= load.good_first and per_token <= load.good_token
    return Report(len(jobs), server.now, sum(job.answer_tokens for job in jobs), firsts, server.gaps, per_tokens, good,
                  len(jobs), not_begun)


def percentile(values, share):
    """Nearest rank; 0 of none."""
    if not values:
        return 0
    return sorted(values)[min(max(math.ceil(share * len(values)), 1), len(values)) - 1]


def report_text(report, load):
    """As the load generator prints it."""
    def line(name, values):
        p50, p90, p99 = (1000 * percentile(values, share) for share in (0.5, 0.9, 0.99))
        return f"{name:<22} p50 {p50:8.1f}   p90 {p90:8.1f}   p99 {p99:8.1f} ms\n"
    seconds = report.seconds or 1
    text = (f"{report.answers} answers in {report.seconds:.1f} s: {report.answers / seconds:.2f} a second, "
            f"{report.tokens / seconds:.1f} tokens a second\n")
    text += line("to the first words", report.firsts)
    text += line("between pieces", report.gaps)
    text += line("per token of an answer", report.per_tokens)
    text += (
        f"good (first words ≤ {load.good_first:g} s, {load.good_token:g} s per token): {report.good} of "
        f"{report.asked}, "
        f"{report.good / seconds:.2f} a second\n")
    if report.not_begun:
        text += f"did not begin, as all clients were busy: {report.not_begun}\n"
    return text


def users(measured, load, minutes, least_good=0.95, most=100_000):
    """How many people, each of whom asks every `minutes` on average, get a good answer so often. Who comes while as
    many answers are under way as `load.clients` counts as not good."""
    def is_good(people):
        load.rate = people / (60 * minutes)
        report = simulate(measured, load)
        return report.good >= least_good * (report.asked + report.not_begun)
    if not is_good(1):
        return 0
    low, high = 1, 2
    while high < most and is_good(high):
        low, high = high, 2 * high
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (middle, high) if is_good(middle) else (low, middle)
    return low


def constant_questions(rate, words, answer_tokens, seed=1):
    """Arrivals as of a Poisson process, all questions alike."""
    source = random.Random(seed)

    class Constant:
        @staticmethod
        def gap():
            return source.expovariate(rate)

        @staticmethod
        def question():
            return Question((0,) * words, answer_tokens)
    return Constant()
