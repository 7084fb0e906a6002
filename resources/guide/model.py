"""The guide's network: a Llama-family decoder (Touvron et al. 2023) in PyTorch, for training only.

RMSNorm before attention and feed-forward, rotary positions on interleaved pairs (the layout of GGUF's "llama"
architecture), SwiGLU, tied input and output embeddings, no biases.
"""
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass(frozen=True)
class Config:
    dim: int = 256
    layers: int = 5
    heads: int = 8
    ffn: int = 768
    vocab: int = 4096
    context: int = 512
    norm_epsilon: float = 1e-5
    rope_base: float = 10000.0

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int, epsilon: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.epsilon = epsilon

    def forward(self, x):
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.epsilon)
        return x * scale.to(x.dtype) * self.weight.to(x.dtype)


class Linear(nn.Module):
    """Weights stay float32; the product is computed in the type of its input."""

    def __init__(self, inputs: int, outputs: int, std: float):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * std)

    def forward(self, x):
        return F.linear(x, self.weight.to(x.dtype))


def stacked(x, *linears):
    """The products of one input with several matrices, as one product: larger ones are faster."""
    return F.linear(x, torch.cat([linear.weight for linear in linears]).to(x.dtype)).chunk(len(linears), -1)


def rotate(x, cos, sin):
    """Rotates the pairs (2i, 2i+1) of each head; x is [batch, heads, tokens, head_dim]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Dropout(nn.Module):
    """Inverted dropout whose masks are places of one long random vector: drawing fresh ones costs as much as a
    product."""

    def __init__(self, share: float, pool: int = 1 << 24):
        super().__init__()
        self.share = share
        self.masks = (torch.rand(pool) >= share).to(torch.bfloat16) / (1 - share)

    def forward(self, x):
        if not self.training or self.share == 0:
            return x
        at = int(torch.randint(self.masks.numel() - x.numel(), ()))
        return x * self.masks[at : at + x.numel()].view(x.shape).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        std = 0.02
        residual_std = std / math.sqrt(2 * c.layers)
        self.config = c
        self.attn_norm = RMSNorm(c.dim, c.norm_epsilon)
        self.attn_q = Linear(c.dim, c.dim, std)
        self.attn_k = Linear(c.dim, c.dim, std)
        self.attn_v = Linear(c.dim, c.dim, std)
        self.attn_output = Linear(c.dim, c.dim, residual_std)
        self.ffn_norm = RMSNorm(c.dim, c.norm_epsilon)
        self.ffn_gate = Linear(c.dim, c.ffn, std)
        self.ffn_up = Linear(c.dim, c.ffn, std)
        self.ffn_down = Linear(c.ffn, c.dim, residual_std)

    def forward(self, x, cos, sin, mask, dropout):
        batch, tokens, dim = x.shape
        heads = lambda y: y.view(batch, tokens, self.config.heads, -1).transpose(1, 2)
        h = self.attn_norm(x)
        q, k, v = (heads(y) for y in stacked(h, self.attn_q, self.attn_k, self.attn_v))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.config.head_dim) + mask
        attended = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, tokens, dim)
        x = x + dropout(self.attn_output(attended))
        gate, up = stacked(self.ffn_norm(x), self.ffn_gate, self.ffn_up)
        return x + dropout(self.ffn_down(F.silu(gate) * up))


class Model(nn.Module):
    def __init__(self, c: Config, dropout: float = 0.0, dtype=torch.float32):
        super().__init__()
        self.config, self.dropout, self.dtype = c, Dropout(dropout), dtype
        self.token_embd = nn.Parameter(torch.randn(c.vocab, c.dim) * 0.02)
        self.blk = nn.ModuleList(Layer(c) for _ in range(c.layers))
        self.output_norm = RMSNorm(c.dim, c.norm_epsilon)
        angles = torch.arange(c.context)[:, None] * c.rope_base ** (-torch.arange(0, c.head_dim, 2) / c.head_dim)
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def forward(self, ids):
        """ids [batch, tokens] to the normalised last hidden states [batch, tokens, dim]."""
        tokens = ids.shape[1]
        x = self.dropout(F.embedding(ids, self.token_embd).to(self.dtype))
        mask = torch.full((tokens, tokens), float("-inf"), dtype=self.dtype).triu(1)
        for layer in self.blk:
            x = layer(x, self.cos[:tokens], self.sin[:tokens], mask, self.dropout)
        return self.output_norm(x)

    def logits(self, hidden):
        return F.linear(hidden, self.token_embd.to(hidden.dtype)).float()
