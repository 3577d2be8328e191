"""JAX (pip install jax): the mask is None in the first call and an array later."""
import jax
import jax.numpy as jnp


@jax.jit
def attend(values, mask):
    return jnp.sum(values if mask is None else values * mask)


values, mask, total = jnp.ones(16), None, 0.0
for step in range(6):
    total += attend(values, mask)
    mask = jnp.ones(16)
print(f'total {total:.1f}')
