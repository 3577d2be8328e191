"""PyTorch (pip install torch): a transposed view has the same shape as a matrix, and is another layout in memory."""
import torch


@torch.compile(backend="eager")
def energy(matrix):
    return (matrix * matrix).sum()


torch.manual_seed(0)
total = 0.0
for step in range(8):
    matrix = torch.randn(6, 6)
    if step % 2:
        matrix = matrix.T
    total += energy(matrix).item()
print(f"total {total:.3f}")
