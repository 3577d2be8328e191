"""PyTorch (pip install torch): with dynamic=False every length of a text is a trace of its own."""
import torch


@torch.compile(backend="eager", dynamic=False)
def embed(tokens, table):
    return table[tokens].mean(dim=0).sum()


torch.manual_seed(0)
table, total = torch.randn(50, 4), 0.0
for length in range(5, 12):
    total += embed(torch.arange(length), table).item()
print(f"total {total:.3f}")
