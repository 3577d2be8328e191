"""A small training run under JAX, with three habits that cost traces or compilations."""
from functools import partial

import jax
import jax.numpy as jnp


def rate_at(step):
    if step < 3:
        return 0.1 * (step + 1)
    return jnp.exp(-0.1 * jnp.float32(step))


@jax.jit
def update(params, x, y, rate):
    def loss(p):
        return jnp.mean((jnp.tanh(x @ p["w"]) + p["b"] - y) ** 2)

    grads = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


@partial(jax.jit, static_argnames=("power",))
def error(params, x, y, power):
    return jnp.mean(jnp.abs(jnp.tanh(x @ params["w"]) + params["b"] - y) ** power)


def main():
    x, y = jnp.ones((8, 4)), jnp.zeros((8, 2))
    params = {"w": jnp.full((4, 2), 0.5, jnp.float32), "b": jnp.zeros(2)}
    for step in range(6):
        params = update(params, x, y, rate_at(step))
        error(params, x, y, power=1.5 + 0.1 * step)
    moved = jax.device_put(params, jax.devices()[0])
    for step in range(3):
        update(moved, x, y, rate_at(0))


main()
