"""power(x, 100): a hundred int32 10x10 products, traced into one graph and run one by one from a Python loop."""
import bench


def power(library, x, n):
    result = library.eye(10, dtype=library.int32)
    for _ in range(n):
        result = library.matmul(x, result)
    return result


def traced():
    import footlight as tf
    f, x = tf.function(lambda x, n: power(tf, x, n)), tf.eye(10, dtype=tf.int32)
    f(x, 100)
    return 'f(x, 100)', {'f': f, 'x': x}


def traced_floor():
    import _floor
    return 'f(x)', {'f': _floor.power, 'x': _floor.Matrix()}


def eager():
    import footlight as tf
    x = tf.eye(10, dtype=tf.int32)
    return lambda: power(tf, x, 100)


def eager_floor():
    import _floor
    x = _floor.Matrix()

    def run():
        result = x
        for _ in range(100):
            result = x @ result
        return result
    return run


ROWS = [
    bench.Row('power(x, 100), traced', traced, traced_floor, 'the products in one C function', 10e-6, 5.3e-6),
    bench.Row('power(x, 100), eager', eager, eager_floor, 'a Python loop over a C product', 20e-6, 6.9e-6),
]
TRACED = [ROWS[0].name]


def peers(library):
    if library == 'torch':
        import torch
        x = torch.eye(10, dtype=torch.int32)
        f = bench.compiled_by_torch(lambda x: power(torch, x, 100), x)
        run = lambda: f(x)
        eager_run = lambda: power(torch, x, 100)
    elif library == 'jax':
        import jax
        import jax.numpy as jnp
        x = jnp.eye(10, dtype=jnp.int32)
        f = jax.jit(lambda x: power(jnp, x, 100))
        run = lambda: f(x).block_until_ready()
        eager_run = lambda: power(jnp, x, 100).block_until_ready()
    else:
        import tensorflow as tf
        x = tf.eye(10, dtype=tf.int32)
        f = tf.function(lambda x, n: power(tf, x, n))
        run = lambda: f(x, 100)
        eager_run = lambda: power(tf, x, 100)
    run()
    return {'power(x, 100), traced': run, 'power(x, 100), eager': eager_run}


if __name__ == '__main__':
    bench.main()
