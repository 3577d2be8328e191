"""Eager ops called from Python: the sum of two scalars, and an int32 10x10 product."""
import bench


def add():
    import footlight as tf
    return 'a + b', {'a': tf.constant(1.5), 'b': tf.constant(2.5)}


def add_floor():
    import _floor
    return 'a + b', {'a': _floor.Box(), 'b': _floor.Box()}


def product():
    import footlight as tf
    return 'matmul(x, x)', {'matmul': tf.matmul, 'x': tf.eye(10, dtype=tf.int32)}


def product_floor():
    import _floor
    return 'x @ x', {'x': _floor.Matrix()}


ROWS = [
    bench.Row('eager add', add, add_floor, 'boxed C floats with a free list', 100e-9, 14.5e-9),
    bench.Row('eager int32 10x10 product', product, product_floor, 'a C loop on boxed arrays', 200e-9, 70e-9),
]


def peers(library):
    if library == 'torch':
        import torch
        names = {'a': torch.tensor(1.5), 'b': torch.tensor(2.5), 'x': torch.eye(10, dtype=torch.int32)}
        statements = 'a + b', 'x @ x'
    elif library == 'jax':
        import jax.numpy as jnp
        names = {'a': jnp.float32(1.5) + 0, 'b': jnp.float32(2.5) + 0, 'x': jnp.eye(10, dtype=jnp.int32)}
        statements = '(a + b).block_until_ready()', '(x @ x).block_until_ready()'
    else:
        import tensorflow as tf
        names = {'a': tf.constant(1.5), 'b': tf.constant(2.5), 'x': tf.eye(10, dtype=tf.int32), 'matmul': tf.matmul}
        statements = 'a + b', 'matmul(x, x)'
    return {row.name: (statement, names) for row, statement in zip(ROWS, statements)}


if __name__ == '__main__':
    bench.main()
