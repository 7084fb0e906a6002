"""Trains the guide: corpus -> vocabulary -> network -> GGUF in float32. `./dev guide` calls this and quantises the
result.

Everything random follows --seed. The state of the training is kept every few steps; --resume goes on from there, to
the same weights as without the break, or with what the corpus got in between. --from starts with the weights of an
earlier guide instead of random ones, and stays near what that one understands: new answers are learned in a fraction
of the steps. On 2 cores with bfloat16 instructions 1,000 steps take about 27 minutes.
"""
import argparse
import copy
import dataclasses
import functools
import json
import math
import os
import pathlib
import random
import time
from collections.abc import Callable

import numpy
import sentencepiece
import torch
import torch.nn.functional as F

import corpus
import facts as facts_of_program
import gguf
import shipped
import vocabulary as vocabularies
from calibrate import prefer_declining
from model import Config, Model
from vocabulary import Vocabulary

VOCABULARY_SIZE = 3744         # before intents and facts come in
VOCABULARY_DIALOGUES = 40000   # to learn the vocabulary from
DROPOUT = 0.1
BATCH_TOKENS = 4096
STEPS, STEPS_ON = 3200, 800       # from random weights, and from those of an earlier guide
WARMUP, COOLING = 60, 0.6      # the rate climbs for so many steps, stays, and falls to 0 over the last share of them
PEAK, PEAK_ON = 1.0, 0.3  # of the learning rates; the weights of an earlier guide would be forgotten at the full ones
REPORT = 100             # steps
KEEP = 25                # steps from one checkpoint to the next
POOL = 4096              # dialogues that are sorted by length together
SPLIT = 0.05             # BPE dropout of questions, in a third of them
# Of the dialogues end with the topic, but of answers that are new: understanding a question is harder than the words.
TOPIC_SHARE = 0.8
QUESTION_SHARE = 0.2     # of the questions' tokens are predicted too, which teaches what words go together


def fastest_type() -> torch.dtype:
    """bfloat16 where the processor has instructions for it."""
    instructions = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    return torch.bfloat16 if instructions & {"avx512_bf16", "amx_bf16", "bf16"} else torch.float32


class Stream:
    """Batches without end: (ids [batch, tokens], weights [batch, tokens - 1], places [batch] of the topics in ids) of
    about BATCH_TOKENS tokens, padded at the end. Where it stands is two numbers, so that a training can go on."""

    def __init__(self,
                 by_language,
                 facts: dict[str, str],
                 vocabulary: Vocabulary,
                 new: set[str],
                 seed: int,
                 pool: int = 0,
                 used: int = 0):
        """`new`: the intents whose answers an earlier guide says otherwise, or not at all."""
        self.by_language, self.facts, self.vocabulary, self.new, self.seed = by_language, facts, vocabulary, new, seed
        self.pool, self.used = pool, used
        self.batches = self.fresh()

    def place(self) -> dict:
        return {"pool": self.pool, "used": self.used}

    def next(self):
        if self.used == len(self.batches):
            self.pool, self.used = self.pool + 1, 0
            self.batches = self.fresh()
        self.used += 1
        return self.batches[self.used - 1]

    def fresh(self) -> list:
        """The batches of the pool, which follow from seed and number alone (but for SentencePiece's dropout)."""
        sampler = corpus.Sampler(self.by_language, self.facts, f"{self.seed} {self.pool}")
        rng = sampler.rng
        sentencepiece.set_random_generator_seed(self.seed + self.pool)
        drawn = torch.Generator().manual_seed(self.seed + self.pool)
        rows = []
        for _ in range(POOL):
            dialogue = sampler.draw()
            ids, start = self.vocabulary.dialogue(dialogue.messages, dialogue.intent,
                                                  SPLIT if rng.random() < 0.33 else 0.0)
            if rng.random() < TOPIC_SHARE and dialogue.intent not in self.new:
                ids = ids[: start + 1]
            rows.append((ids, start))
        rows.sort(key=lambda row: len(row[0]))
        made = []
        while rows:
            width = len(rows[-1][0])
            count = max(1, BATCH_TOKENS // width)
            chunk, rows = rows[-count:], rows[:-count]
            ids = torch.zeros(len(chunk), width, dtype=torch.long)
            weights = torch.zeros(len(chunk), width - 1)
            for row, (tokens, start) in enumerate(chunk):
                ids[row, : len(tokens)] = torch.tensor(tokens)
                weights[row, : start - 1] = (torch.rand(start - 1, generator=drawn) < QUESTION_SHARE).float()
                weights[row, start - 1 : len(tokens) - 1] = 1.0
            made.append((ids, weights, torch.tensor([start for _, start in chunk])))
        rng.shuffle(made)
        return made


def loss_of(model: Model, ids, weights, places, earlier: Model | None) -> torch.Tensor:
    """Weighted mean cross-entropy, in nats a token; and, with an earlier guide, how far the topics' probabilities
    went from its own (Kullback-Leibler divergence, Li and Hoiem 2016), of the questions that it understood."""
    hidden = model(ids[:, :-1])
    keep = weights.flatten() > 0
    losses = F.cross_entropy(model.logits(hidden.flatten(0, 1)[keep]), ids[:, 1:].flatten()[keep], reduction="none")
    kept_weights = weights.flatten()[keep]
    loss = (losses * kept_weights).sum() / kept_weights.sum()
    if earlier is None:
        return loss
    rows = torch.arange(len(ids))
    with torch.no_grad():
        known = earlier.logits(earlier(ids[:, : int(places.max())])[rows, places - 1])
    understood = known.argmax(-1) == ids[rows, places]
    now = model.logits(hidden[rows, places - 1]).log_softmax(-1)
    return loss + F.kl_div(now[understood], known[understood].log_softmax(-1), log_target=True,
                           reduction="sum") / len(ids)


class Muon(torch.optim.Optimizer):
    """Momentum orthogonalised by Newton-Schulz steps (Jordan et al. 2024), for matrices inside the network."""

    def __init__(self, params, lr: float, momentum: float = 0.95, decay: float = 0.0):
        super().__init__(params, {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 1 - group["momentum"])
                update = self.orthogonalised(p.grad.lerp(momentum, group["momentum"]))
                p.mul_(1 - group["lr"] * group["decay"])
                p.add_(update, alpha=-group["lr"] * max(1.0, p.shape[0] / p.shape[1]) ** 0.5)

    @staticmethod
    def orthogonalised(g):
        tall = g.shape[0] > g.shape[1]
        x = (g.T if tall else g).to(torch.bfloat16)
        x = x / (x.norm() + 1e-7)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        x = x.float()
        return x.T if tall else x


@torch.no_grad()
def dev_report(model: Model, rows: list[tuple[list[int], int]]) -> tuple[float, float]:
    """Mean loss on topics and answers, in nats a token, and the share of questions whose likeliest topic is right."""
    model.eval()
    total = 0.0
    right = 0
    for ids, start in rows:
        losses = F.cross_entropy(logits := model.logits(model(torch.tensor([ids[:-1]]))[0, start - 1:]),
                                 torch.tensor(ids[start:]))
        total += losses.item()
        right += logits[0].argmax().item() == ids[start]
    model.train()
    return total / len(rows), right / len(rows)


def rates(steps: int, peak: float) -> list[float]:
    """Share of the learning rates at every step."""
    return [peak * min(1.0, (step + 1) / WARMUP, (steps - step) / (COOLING * steps)) for step in range(steps)]


def optimizers_of(model: Model) -> list[torch.optim.Optimizer]:
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and n != "token_embd"]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or n == "token_embd"]
    return [
        Muon(matrices, lr=0.02, decay=0.05),
        torch.optim.AdamW(others, lr=3e-3, betas=(0.9, 0.95), weight_decay=0.01)
    ]


@dataclasses.dataclass
class Progress:
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = 0.0
    place: dict = dataclasses.field(default_factory=dict)  # of the stream


def keep(path: pathlib.Path, vocabulary: Vocabulary, model: Model, optimizers, schedule: list[float],
         earlier: str | None, progress: Progress) -> None:
    """Replaces the checkpoint whole, so that one can be read whenever the training is killed."""
    unfinished = path.with_suffix(".part")
    torch.save(
        {
            "pieces": [
                (piece.text, piece.score, int(piece.kind)) for piece in vocabulary.pieces
            ], "model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers], "schedule": schedule,
            "earlier": earlier, "progress": dataclasses.asdict(progress), "random": torch.get_rng_state()
        }, unfinished)
    os.replace(unfinished, path)


def train(model: Model, earlier: Model | None, optimizers, stream: Stream, dev: list[tuple[list[int], int]],
          schedule: list[float], progress: Progress, save: Callable[[Progress], None]) -> dict:
    """Trains in place from where `progress` stands; returns what the model card tells."""
    peaks = [o.defaults["lr"] for o in optimizers]
    before, started = progress.seconds, time.time()
    for step in range(progress.step + 1, len(schedule) + 1):
        for optimizer, peak in zip(optimizers, peaks):
            optimizer.param_groups[0]["lr"] = peak * schedule[step - 1]
        ids, weights, places = stream.next()
        loss = loss_of(model, ids, weights, places, earlier)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        model.zero_grad(set_to_none=True)
        smoothing = 0.03 if step > 1 else 1.0
        progress = Progress(step, progress.tokens + ids.numel(), before + time.time() - started,
                            progress.loss + smoothing * (loss.item() - progress.loss), stream.place())
        if step % KEEP == 0 or step == len(schedule):
            save(progress)
        if step % REPORT == 0 or step == len(schedule):
            dev_loss, dev_right = dev_report(model, dev)
            print(
                f"step {step} of {len(schedule)} loss {progress.loss:.3f} dev {dev_loss:.3f} right {dev_right:.3f} "
                f"{progress.tokens / progress.seconds:.0f} tok/s {progress.seconds:.0f} s",
                flush=True)
    dev_loss, dev_right = dev_report(model, dev)
    return {
        "steps": len(schedule), "tokens": progress.tokens, "seconds": round(progress.seconds), "type": str(model.dtype),
        "loss": round(progress.loss, 4), "devLoss": round(dev_loss, 4), "devRight": round(dev_right, 4)
    }


def tensor_name(parameter: str) -> str:
    """GGUF's name of a parameter."""
    return parameter if parameter.endswith(".weight") else parameter + ".weight"


def numbers(tensor: gguf.Tensor) -> torch.Tensor:
    """Q8_0: blocks of 32, a scale in half precision and a byte for each number."""
    if tensor.type == gguf.Q8_0:
        blocks = numpy.frombuffer(tensor.data, [("scale", "<f2"), ("values", "i1", 32)])
        values = blocks["scale"].astype(numpy.float32)[:, None] * blocks["values"]
    else:
        values = numpy.frombuffer(tensor.data, {gguf.F32: "<f4", gguf.F16: "<f2"}[tensor.type]).astype(numpy.float32)
    return torch.tensor(values.reshape(tensor.shape))


@torch.no_grad()
def take_over(model: Model, tensors: dict[str, gguf.Tensor]) -> None:
    """The weights of an earlier guide; the pieces that it lacks keep their random vectors."""
    for name, parameter in model.named_parameters():
        known = numbers(tensors[tensor_name(name)])
        parameter[: len(known)] = known


@torch.no_grad()
def go_on(model: Model, optimizers: list[torch.optim.Optimizer], kept: dict) -> None:
    """The state of a checkpoint; pieces that came into the corpus since start with random vectors and without
    momentum."""
    for name, parameter in model.named_parameters():
        known = kept["model"][name]
        parameter[: len(known)] = known
    for optimizer, state in zip(optimizers, kept["optimizers"]):
        optimizer.load_state_dict(state)
        for parameter, moments in optimizer.state.items():
            for name, value in moments.items():
                if value.dim() == parameter.dim():
                    moments[name] = F.pad(value, (0, 0) * (value.dim() - 1) + (0, len(parameter) - len(value)))


def export(model: Model, vocabulary: Vocabulary, path: pathlib.Path) -> None:
    c = model.config
    metadata = {
        "general.architecture": "llama",
        "general.name": "Inglenook guide",
        "general.license": "mit",
        "general.description": "Answers questions about Inglenook, and nothing else.",
        "llama.context_length": c.context,
        "llama.embedding_length": c.dim,
        "llama.block_count": c.layers,
        "llama.feed_forward_length": c.ffn,
        "llama.attention.head_count": c.heads,
        "llama.attention.head_count_kv": c.heads,
        "llama.attention.layer_norm_rms_epsilon": c.norm_epsilon,
        "llama.rope.dimension_count": c.head_dim,
        "llama.rope.freq_base": c.rope_base,
        "llama.vocab_size": c.vocab,
        **vocabulary.metadata(),
    }
    gguf.write(
        path, metadata, {
            tensor_name(name): gguf.Tensor(
                tuple(value.shape), gguf.F32,
                value.float().numpy().tobytes()) for name, value in model.state_dict().items()
        })


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for checkpoint, weights and figures")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume",
                       action="store_true",
                       help="go on from the checkpoint in that folder, if there is one")
    start.add_argument("--from",
                       dest="earlier",
                       type=pathlib.Path,
                       metavar="GGUF",
                       help="start with the weights of this guide")
    parser.add_argument("--steps",
                        type=int,
                        help=f"{STEPS} by default, {STEPS_ON} with --from; with --resume another end than planned")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    sentencepiece.set_random_generator_seed(args.seed)

    facts = facts_of_program.collect()
    by_language = corpus.load()
    print(
        {
            language: f"{len(intents)} intents, {sum(len(i.questions) for i in intents)} questions"
            for language, intents in by_language.items()
        },
        flush=True)
    intents = [intent for of_language in by_language.values() for intent in of_language]
    names = [intent.name for intent in intents]
    told = sorted({name for intent in intents for answer in intent.answers for name in facts_of_program.places(answer)})

    checkpoint = args.out / "checkpoint.pt"
    kept = torch.load(checkpoint) if args.resume and checkpoint.exists() else None
    start = kept["earlier"] if kept else args.earlier and str(args.earlier)
    metadata, tensors = gguf.read(pathlib.Path(start)) if start else (None, None)
    if kept:
        pieces = [vocabularies.Piece(text, score, vocabularies.Kind(kind)) for text, score, kind in kept["pieces"]]
    elif start:
        pieces = vocabularies.of_gguf(metadata)
    else:
        sampler = corpus.Sampler(by_language, facts, args.seed)
        texts = [
            facts_of_program.PLACE.sub(" ", text)
            for _ in range(VOCABULARY_DIALOGUES)
            for text in sampler.draw().messages
        ]
        pieces = vocabularies.learn(texts, args.out / "vocabulary", VOCABULARY_SIZE)
    vocabulary = Vocabulary(vocabularies.grown(pieces, names, told))

    dev = [
        vocabulary.dialogue(dialogue.messages, dialogue.intent)
        for dialogue in corpus.dev_dialogues(by_language, facts)
    ]
    model = Model(Config(vocab=len(vocabulary)), DROPOUT, fastest_type())
    optimizers = optimizers_of(model)
    earlier, new = None, set()
    if start:
        take_over(model, tensors)
        earlier, new = copy.deepcopy(model).eval(), shipped.corrected()
    schedule, progress = rates(args.steps or (STEPS_ON if start else STEPS), PEAK_ON if start else PEAK), Progress()
    if kept:
        go_on(model, optimizers, kept)
        progress = Progress(**kept["progress"])
        schedule = schedule if args.steps else kept["schedule"]
        torch.set_rng_state(kept["random"])
    stream = Stream(by_language, facts, vocabulary, new, args.seed, **progress.place)
    print(
        f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters, {len(vocabulary)} pieces, "
        f"{model.dtype}, from step {progress.step}",
        flush=True)
    save = functools.partial(keep, checkpoint, vocabulary, model, optimizers, schedule, start)
    figures = train(model, earlier, optimizers, stream, dev, schedule, progress, save)
    declines = [vocabulary.topic_id(name) for name in names if name.endswith(corpus.OUT_OF_SCOPE)]
    figures["declineFactor"] = round(prefer_declining(model, dev, declines), 2)
    export(model, vocabulary, args.out / "guide-f32.gguf")
    (args.out / "training.json").write_text(json.dumps({"seed": args.seed, **figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
