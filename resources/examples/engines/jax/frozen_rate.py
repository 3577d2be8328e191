"""JAX (pip install jax): the rate that a jitted function reads is changed later, and the function does not notice."""
import jax
import jax.numpy as jnp

rate = 0.5


@jax.jit
def shrink(x):
    return x * (1.0 - rate)


def main():
    global rate
    x = jnp.linspace(0.0, 1.0, 16)
    for epoch in range(8):
        x = shrink(x)
        if epoch == 3:
            rate = 0.05
    print("left", float(x.sum()))


main()
