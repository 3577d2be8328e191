"""JAX (pip install jax): a list of arrays grows, and with it the number of inputs of the traced function."""
import jax
import jax.numpy as jnp


@jax.jit
def smooth(history):
    return sum(history) / len(history)


history = []
for step in range(8):
    history.append(jnp.full(4, float(step)))
    mean = smooth(history)
print(f'mean {mean[0]:.2f}')
