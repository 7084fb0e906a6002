"""Trains the guide: corpus -> vocabulary -> network -> GGUF in float32. `./dev guide` calls this and quantises the result.

Everything random follows --seed. On 2 cores with bfloat16 instructions it takes about an hour and a half.
"""
import argparse
import json
import math
import pathlib
import random
import time

import sentencepiece
import torch
import torch.nn.functional as F

import corpus
import facts as facts_of_program
import gguf
from calibrate import prefer_declining
from model import Config, Model
from vocabulary import Vocabulary, train as train_vocabulary

VOCABULARY_SIZE = 4096
VOCABULARY_DIALOGUES = 40000  # to learn the vocabulary from
DROPOUT = 0.1
BATCH_TOKENS = 4096
STEPS = 3200
WARMUP, COOLING = 60, 0.6  # the rate climbs for so many steps, stays, and falls to 0 over the last share of them
REPORT = 100             # steps
POOL = 4096              # dialogues that are sorted by length together
SPLIT = 0.05             # BPE dropout of questions, in a third of them
TOPIC_SHARE = 0.85       # of the dialogues end with the topic: understanding a question is harder than the words that answer it
QUESTION_SHARE = 0.2     # of the questions' tokens are predicted too, which teaches what words go together


def fastest_type() -> torch.dtype:
    """bfloat16 where the processor has instructions for it."""
    instructions = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    return torch.bfloat16 if instructions & {"avx512_bf16", "amx_bf16", "bf16"} else torch.float32


def batches(sampler: corpus.Sampler, vocabulary: Vocabulary, rng: random.Random):
    """Yields (ids [batch, tokens], weights [batch, tokens - 1]) of about BATCH_TOKENS tokens, padded at the end."""
    while True:
        rows = []
        for _ in range(POOL):
            dialogue = sampler.draw()
            ids, start = vocabulary.dialogue(dialogue.messages, dialogue.intent, SPLIT if rng.random() < 0.33 else 0.0)
            if rng.random() < TOPIC_SHARE:
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
                weights[row, : start - 1] = (torch.rand(start - 1) < QUESTION_SHARE).float()
                weights[row, start - 1 : len(tokens) - 1] = 1.0
            made.append((ids, weights))
        rng.shuffle(made)
        yield from made


def loss_of(model: Model, ids, weights) -> torch.Tensor:
    """Weighted mean cross-entropy, in nats a token."""
    keep = weights.flatten() > 0
    hidden = model(ids[:, :-1]).flatten(0, 1)[keep]
    losses = F.cross_entropy(model.logits(hidden), ids[:, 1:].flatten()[keep], reduction="none")
    weights = weights.flatten()[keep]
    return (losses * weights).sum() / weights.sum()


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
        losses = F.cross_entropy(logits := model.logits(model(torch.tensor([ids[:-1]]))[0, start - 1 :]), torch.tensor(ids[start:]))
        total += losses.item()
        right += logits[0].argmax().item() == ids[start]
    model.train()
    return total / len(rows), right / len(rows)


def rates(steps: int) -> list[float]:
    """Share of the peak learning rate at every step."""
    return [min(1.0, (step + 1) / WARMUP, (steps - step) / (COOLING * steps)) for step in range(steps)]


def train(model: Model, stream, dev: list[tuple[list[int], int]], schedule: list[float]) -> dict:
    """Trains in place; returns what the model card tells."""
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and n != "token_embd"]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or n == "token_embd"]
    optimizers = [Muon(matrices, lr=0.02, decay=0.05), torch.optim.AdamW(others, lr=3e-3, betas=(0.9, 0.95), weight_decay=0.01)]
    peaks = [o.param_groups[0]["lr"] for o in optimizers]
    started = time.time()
    seen, average = 0, math.log(model.config.vocab)
    for step, rate in enumerate(schedule, 1):
        for optimizer, peak in zip(optimizers, peaks):
            optimizer.param_groups[0]["lr"] = peak * rate
        ids, weights = next(stream)
        loss = loss_of(model, ids, weights)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        model.zero_grad(set_to_none=True)
        seen += ids.numel()
        average += 0.03 * (loss.item() - average)
        if step % REPORT == 0 or step == len(schedule):
            dev_loss, dev_right = dev_report(model, dev)
            spent = time.time() - started
            print(f"step {step} loss {average:.3f} dev {dev_loss:.3f} right {dev_right:.3f} {seen / spent:.0f} tok/s {spent:.0f} s", flush=True)
    return {"steps": len(schedule), "tokens": seen, "seconds": round(spent), "type": str(model.dtype), "loss": round(average, 4),
            "devLoss": round(dev_loss, 4), "devRight": round(dev_right, 4)}


def tensor_name(parameter: str) -> str:
    """GGUF's name of a parameter."""
    return parameter if parameter.endswith(".weight") else parameter + ".weight"


def export(model: Model, vocabulary: Vocabulary, path: pathlib.Path) -> None:
    c = model.config
    metadata = {
        "general.architecture": "llama", "general.name": "Inglenook guide", "general.license": "mit",
        "general.description": "Answers questions about Inglenook, and nothing else.",
        "llama.context_length": c.context, "llama.embedding_length": c.dim, "llama.block_count": c.layers,
        "llama.feed_forward_length": c.ffn, "llama.attention.head_count": c.heads, "llama.attention.head_count_kv": c.heads,
        "llama.attention.layer_norm_rms_epsilon": c.norm_epsilon, "llama.rope.dimension_count": c.head_dim,
        "llama.rope.freq_base": c.rope_base, "llama.vocab_size": c.vocab,
        **vocabulary.metadata(),
    }
    gguf.write(path, metadata, {tensor_name(name): value.float().numpy() for name, value in model.state_dict().items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for vocabulary, weights and figures")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    sentencepiece.set_random_generator_seed(args.seed)

    facts = facts_of_program.collect()
    by_language = corpus.load(facts)
    print({language: f"{len(intents)} intents, {sum(len(i.questions) for i in intents)} questions" for language, intents in by_language.items()}, flush=True)
    sampler = corpus.Sampler(by_language, args.seed)
    names = [intent.name for intents in by_language.values() for intent in intents]
    texts = [text for _ in range(VOCABULARY_DIALOGUES) for text in sampler.draw().messages]
    train_vocabulary(texts, names, args.out / "vocabulary", VOCABULARY_SIZE)
    vocabulary = Vocabulary(args.out / "vocabulary.model")
    dev = [vocabulary.dialogue(dialogue.messages, dialogue.intent) for dialogue in corpus.dev_dialogues(by_language)]
    model = Model(Config(vocab=len(vocabulary)), DROPOUT, fastest_type())
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters, {model.dtype}", flush=True)
    figures = train(model, batches(sampler, vocabulary, random.Random(args.seed)), dev, rates(STEPS))
    declines = [vocabulary.topic_id(name) for name in names if name.endswith(corpus.OUT_OF_SCOPE)]
    figures["declineFactor"] = round(prefer_declining(model, dev, declines), 2)
    export(model, vocabulary, args.out / "guide-f32.gguf")
    (args.out / "training.json").write_text(json.dumps({"seed": args.seed, **figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
