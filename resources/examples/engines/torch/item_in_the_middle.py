"""PyTorch (pip install torch): the largest value is read in the middle of a model, which splits it into two graphs."""
import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.second = torch.nn.Linear(16, 4)

    def forward(self, values):
        hidden = torch.relu(self.first(values))
        peak = hidden.abs().max().item()
        return self.second(hidden / max(peak, 1.0))


torch.manual_seed(0)
model = torch.compile(Scaled(), backend="aot_eager")
total = 0.0
for step in range(20):
    total += model(torch.randn(4, 8)).sum().item()
print(f"total {total:.3f}")
