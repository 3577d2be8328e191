"""PyTorch (pip install torch): at first both arguments are the same tensor, which is a trace of its own."""
import torch


@torch.compile(backend="eager")
def difference(now, before):
    return (now - before).abs().sum()


torch.manual_seed(0)
now = torch.randn(6)
before = now
total = 0.0
for step in range(6):
    total += difference(now, before).item()
    before, now = now, torch.randn(6)
print(f"total {total:.3f}")
