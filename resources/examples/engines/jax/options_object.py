"""JAX (pip install jax): static options without __eq__ are other options in each call."""
import functools

import jax
import jax.numpy as jnp


class Options:
    def __init__(self, rate):
        self.rate = rate


@functools.partial(jax.jit, static_argnames=('options',))
def update(weights, options):
    return weights * (1.0 - options.rate)


weights = jnp.ones(16)
for step in range(6):
    weights = update(weights, options=Options(0.1))
print(f'weights {weights[0]:.4f}')
