"""JAX (pip install jax): a function is given to jit again in each round, and nothing is kept from the round before."""
import jax
import jax.numpy as jnp


def run_round(weights, scale):
    @jax.jit
    def update(values):
        return values - 0.1 * scale * values

    for _ in range(3):
        weights = update(weights)
    return weights


weights = jnp.ones(32)
scale = jnp.float32(0.5)
for number in range(5):
    weights = run_round(weights, scale)
print(f'weights {weights[0]:.4f}')
