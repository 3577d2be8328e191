"""JAX (pip install jax): a table of two megabytes is a constant of the graph instead of an argument."""
import jax
import jax.numpy as jnp
import numpy as np

table = np.random.default_rng(0).random((1024, 512), dtype=np.float32)


@jax.jit
def embed(ids):
    return jnp.tanh(jnp.asarray(table)[ids]).mean(axis=0)


for start in range(0, 40, 8):
    vector = embed(jnp.arange(start, start + 8))
print("first", float(vector[0]))
