"""PyTorch (pip install torch): every other call passes a tensor with a gradient, and each kind has its own trace."""
import torch


@torch.compile(backend="eager")
def penalty(values):
    return (values * values).mean()


torch.manual_seed(0)
total = 0.0
for step in range(8):
    values = torch.randn(6)
    if step % 2:
        values.requires_grad_()
    total += penalty(values).item()
print(f"total {total:.3f}")
