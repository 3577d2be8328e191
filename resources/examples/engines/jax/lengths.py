"""JAX (pip install jax): every length of a text is a trace and a compilation of its own."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(tokens, table):
    return jnp.mean(table[tokens], axis=0).sum()


table = jnp.ones((50, 4))
total = 0.0
for length in range(17, 33):
    total += float(score(np.arange(length) % 50, table))
print(f'total {total:.1f}')
