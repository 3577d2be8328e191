"""PyTorch (pip install torch): an `if` on the data splits the function in each call."""
import torch


@torch.compile(backend="eager")
def clip(gradient, limit):
    norm = gradient.norm()
    if norm > limit:
        gradient = gradient * (limit / norm)
    return gradient


torch.manual_seed(0)
limit, total = torch.tensor(3.0), 0.0
for step in range(16):
    total += clip(torch.randn(10), limit).sum().item()
print(f"total {total:.3f}")
