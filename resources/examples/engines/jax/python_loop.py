"""JAX (pip install jax): a Python loop of 200 turns puts 200 copies of its body into the graph."""
import jax
import jax.numpy as jnp


@jax.jit
def settle(state, drive):
    for _ in range(200):
        state = 0.9 * state + drive
        state = jnp.tanh(state)
    return state


state = jnp.zeros(16)
for _ in range(5):
    state = settle(state, jnp.full(16, 0.2))
print("settled at", float(state[0]))
