"""PyTorch (pip install torch): a local function with another text in its closure is traced for each text."""
import torch


@torch.compile(backend="eager")
def apply(change, values):
    return change(values).sum()


def named(word):
    def change(values):
        return values if word == "raw" else values.abs()
    return change


torch.manual_seed(0)
values, total = torch.randn(6), 0.0
for word in ("one", "two", "three", "four", "five", "six"):
    total += apply(named(word), values).item()
print(f"total {total:.3f}")
