"""JAX (pip install jax): the step size is a Python number at first and an array later, which is two traces."""
import jax
import jax.numpy as jnp


def step_size(step):
    if step < 5:
        return 0.01 * (step + 1)
    return 0.05 * jnp.exp(-0.1 * jnp.float32(step))


@jax.jit
def descend(weights, size):
    return weights - size * jax.grad(lambda w: jnp.sum((w - 1.0) ** 2))(weights)


weights = jnp.zeros(8)
for step in range(20):
    weights = descend(weights, step_size(step))
print(f'weights {weights[0]:.4f}')
