"""PyTorch (pip install torch): a Python loop over the length makes it a constant again, so each length is a trace."""
import torch


@torch.compile(backend="eager")
def smooth(series):
    mean = series[0]
    for at in range(1, len(series)):
        mean = 0.9 * mean + 0.1 * series[at]
    return mean


total = 0.0
for length in range(4, 11):
    total += smooth(torch.ones(length)).item()
print(f"total {total:.3f}")
