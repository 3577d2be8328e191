"""PyTorch (pip install torch): the model adds to a list that it keeps, and is traced for each length of it."""
import torch


class Remembers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.history = []

    def forward(self, values):
        self.history.append(values.mean())
        return values - sum(self.history) / len(self.history)


torch.manual_seed(0)
model = torch.compile(Remembers(), backend="eager")
total = 0.0
for step in range(7):
    total += model(torch.randn(5)).sum().item()
print(f"total {total:.3f}")
