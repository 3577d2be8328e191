"""JAX (pip install jax): weights that were put on a device by name are compiled for again, without a new trace."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def update(weights):
    return weights * 0.9


weights = jnp.ones(64)
for step in range(12):
    if step == 6:
        weights = jax.device_put(np.asarray(weights), jax.devices()[0])
    weights = update(weights)
print(f'weights {weights[0]:.4f}')
