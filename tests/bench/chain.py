"""Six ops of elements over 16 million floats, one by one and as one traced function."""
import bench

N = 1000 if bench.QUICK else 16 << 20


def chain(sqrt, square, relu, x):
    return sqrt(square(relu(x * 2.0 - 1.0)) + 3.0)


def ours(tf):
    x = tf.range(N, dtype=tf.float32) / float(N)
    return (lambda x: chain(tf.sqrt, tf.square, tf.nn.relu, x)), x


def eager():
    import footlight as tf
    f, x = ours(tf)
    return lambda: f(x)


def traced():
    import footlight as tf
    f, x = ours(tf)
    f = tf.function(f)
    return lambda: f(x)


def floor():
    import _floor
    return _floor.Arrays(N).chain


FLOOR = 'the six in one C loop, in one thread'
ROWS = [
    bench.Row('chain of 6 ops on 16M floats, eager', eager, floor, FLOOR),
    bench.Row('chain of 6 ops on 16M floats, traced', traced, floor, FLOOR),
]
TRACED = [ROWS[1].name]


def peers(library):
    if library == 'torch':
        import torch
        x = torch.arange(N, dtype=torch.float32) / N
        f = lambda x: chain(torch.sqrt, torch.square, torch.relu, x)
        one_by_one = lambda: f(x)
        graph = bench.compiled_by_torch(f, x)
        together = lambda: graph(x)
    elif library == 'jax':
        import jax
        import jax.numpy as jnp
        x = jnp.arange(N, dtype=jnp.float32) / N
        f = lambda x: chain(jnp.sqrt, jnp.square, lambda x: jnp.maximum(x, 0.0), x)
        graph = jax.jit(f)
        one_by_one = lambda: f(x).block_until_ready()
        together = lambda: graph(x).block_until_ready()
    else:
        import tensorflow as tf
        f, x = ours(tf)
        graph = tf.function(f)
        one_by_one = lambda: f(x)
        together = lambda: graph(x)
    return dict(zip((row.name for row in ROWS), (one_by_one, together)))


if __name__ == '__main__':
    bench.main()
