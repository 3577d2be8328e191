"""A call of a traced function that hits: one tensor in, one addition, one tensor out."""
import bench


def hit():
    import footlight as tf
    f, x = tf.function(lambda x: x + 1.0), tf.constant(2.0)
    f(x)
    return 'f(x)', {'f': f, 'x': x}


def floor():
    import _floor
    return 'f(x)', {'f': _floor.same, 'x': _floor.Box()}


ROWS = [bench.Row('traced call, hit', hit, floor, 'a C function that returns its argument', 150e-9, 15e-9)]
TRACED = [ROWS[0].name]


def peers(library):
    if library == 'torch':
        import torch
        x = torch.tensor(2.0)
        f = bench.compiled_by_torch(lambda x: x + 1.0, x)
    elif library == 'jax':
        import jax
        f, x = jax.jit(lambda x: x + 1.0), jax.numpy.float32(2.0) + 0
    else:
        import tensorflow as tf
        f, x = tf.function(lambda x: x + 1.0), tf.constant(2.0)
    f(x)
    return {'traced call, hit': ('f(x)', {'f': f, 'x': x})}


if __name__ == '__main__':
    bench.main()
