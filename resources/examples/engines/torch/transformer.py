"""PyTorch (pip install torch): a small transformer that reads a number in each call: two graphs, not one."""
import math

import torch
import torch.nn as nn

WORDS, WIDTH, HEADS, LENGTH = 40, 32, 4, 12


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(), nn.Linear(64, WIDTH))

    def forward(self, values):
        rows, length, _ = values.shape
        q, k, v = (part.view(rows, length, HEADS, -1).transpose(1, 2) for part in self.qkv(self.first(values)).chunk(3, -1))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)).softmax(-1)
        values = values + self.out((weights @ v).transpose(1, 2).reshape(rows, length, WIDTH))
        return values + self.mlp(self.second(values))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        values = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            values = block(values)
        peak = values.abs().amax().item()
        values = values / max(peak / 8.0, 1.0)
        return self.head(values)


def main():
    torch.manual_seed(0)
    net = Transformer()
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    tokens = torch.randint(WORDS, (8, LENGTH + 1))
    for step in range(15):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
