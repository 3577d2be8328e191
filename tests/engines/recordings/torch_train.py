"""A small training run under PyTorch, with three habits that cost graphs, traces or calls that run eagerly."""
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 2)

    def forward(self, x):
        hidden = torch.tanh(self.inner(x))
        if hidden.sum() > 0:
            hidden = hidden * 0.5
        return hidden


@torch.compile(backend="eager")
def score(x, name):
    return x.mean() if name == "none" else x.abs().mean() + len(name)


@torch.compile(backend="eager", dynamic=False)
def width(x):
    return (x * 2).sum()


def main():
    torch.manual_seed(0)
    model = torch.compile(Net(), backend="eager")
    with torch.no_grad():
        for step in range(12):
            model(torch.ones(8, 4))
            score(torch.ones(8), f"batch {step % 6}")
            width(torch.ones(2 + step % 5, 3))


main()
