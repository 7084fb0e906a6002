"""Moves the border between answering and declining, after training.

A question that is declined by mistake costs a second try; one that is answered by mistake misleads. Training weighs
both alike. So the vectors of the topics that decline are made longer, which makes their logits larger, as far as the
questions that never train tell that this costs little.
"""
import torch

from model import Model

FACTORS = [1 + 0.05 * step for step in range(11)]
MOST_LOST = 0.0125  # of the questions to answer, that is


@torch.no_grad()
def prefer_declining(model: Model, dev: list[tuple[list[int], int]], declines: list[int]) -> float:
    """Scales the embeddings of the topics `declines` by the largest factor that loses at most MOST_LOST of the other
    topics of `dev` (ids, and where the topic is in them); returns the factor."""
    model.eval()
    rows = [(model.logits(model(torch.tensor([ids[:start]]))[0, -1:])[0].float(), ids[start]) for ids, start in dev]

    def answered(factor: float) -> float:
        scale = torch.ones_like(rows[0][0])
        scale[declines] = factor
        right = [(logits * scale).argmax().item() == topic for logits, topic in rows if topic not in declines]
        return sum(right) / len(right)

    least = answered(1) - MOST_LOST
    best = max(factor for factor in FACTORS if answered(factor) >= least)
    model.token_embd[declines] *= best
    return best
