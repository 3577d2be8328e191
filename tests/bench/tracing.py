"""Tracing a function of a thousand additions, conversion by AutoGraph left out."""
import bench


def thousand(x):
    y = x
    for _ in range(1000):
        y = y + x
    return y


def trace():
    import footlight as tf
    x = tf.constant(1.0)
    return lambda: tf.function(thousand, autograph=False).get_concrete_function(x)


def floor():
    import footlight as tf
    x = tf.constant(1.0)
    return lambda: thousand(x)


ROWS = [bench.Row('tracing 1000 adds', trace, floor, 'the same body run eagerly', 2e-3)]


def peers(library):
    if library == 'torch':
        import torch
        return {'tracing 1000 adds': lambda: torch.fx.symbolic_trace(thousand)}
    if library == 'jax':
        import jax
        x = jax.numpy.float32(1.0) + 0
        return {'tracing 1000 adds': lambda: jax.jit(lambda x: thousand(x)).trace(x)}
    import tensorflow as tf
    x = tf.constant(1.0)
    return {'tracing 1000 adds': lambda: tf.function(thousand, autograph=False).get_concrete_function(x)}


if __name__ == '__main__':
    bench.main()
