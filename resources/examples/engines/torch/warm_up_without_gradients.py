"""PyTorch (pip install torch): the warm-up runs without gradients, and what it compiled is of no use to the training."""
import torch


@torch.compile(backend="eager")
def forward(weights, values):
    return torch.tanh(values @ weights).sum()


torch.manual_seed(0)
weights, values = torch.randn(4, 3), torch.randn(5, 4)
with torch.no_grad():
    forward(weights, values)
for step in range(6):
    total = forward(weights, values).item()
print(f"total {total:.3f}")
