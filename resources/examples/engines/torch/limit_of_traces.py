"""PyTorch (pip install torch): twelve sizes in use, each for good, and a limit of eight traces: four sizes run eagerly."""
import torch


@torch.compile(backend="eager", dynamic=False)
def score(block):
    return (block @ block.T).trace()


torch.manual_seed(0)
blocks = [torch.randn(size, 3) for size in range(2, 14)]
total = 0.0
for epoch in range(5):
    for block in blocks:
        total += score(block).item()
print(f"total {total:.3f}")
