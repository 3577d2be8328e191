"""PyTorch (pip install torch): a local function with another number in its closure is traced for each number."""
import torch


@torch.compile(backend="eager")
def apply(change, values):
    return change(values).sum()


def shifted(by):
    def change(values):
        return values + by * values.abs()
    return change


torch.manual_seed(0)
values, total = torch.randn(6), 0.0
for word in ("one", "two", "three", "four", "five", "six"):
    total += apply(shifted(len(word) * 0.1), values).item()
print(f"total {total:.3f}")
