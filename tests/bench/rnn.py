"""A while loop of 50 steps, each two products of a row of 32 numbers with a 32x32 matrix, and tanh."""
import bench

STEPS = 50


def matrices():
    import random
    numbers = random.Random(3)
    matrix = lambda rows: [[numbers.uniform(-0.2, 0.2) for _ in range(32)] for _ in range(rows)]
    return matrix(1), matrix(32), matrix(32)


def step(matmul, tanh, h, w, u):
    return tanh(matmul(matmul(h, w), u))


def ours(tf):
    h, w, u = (tf.constant(m, tf.float32) for m in matrices())

    @tf.function
    def f(h, w, u):
        return tf.while_loop(lambda i, h: i < STEPS, lambda i, h: (i + 1, step(tf.matmul, tf.tanh, h, w, u)),
                             (tf.constant(0), h))[1]

    f(h, w, u)
    return 'f(h, w, u)', {'f': f, 'h': h, 'w': w, 'u': u}


def footlight():
    import footlight as tf
    return ours(tf)


NAME = 'while RNN of 50 steps'
ROWS = [bench.Row(NAME, footlight)]
TRACED = [NAME]
PEERS_ARE_MADE = True


def with_torch():
    import torch
    h, w, u = (torch.tensor(m) for m in matrices())

    def f(h, w, u):
        for _ in range(STEPS):
            h = step(torch.matmul, torch.tanh, h, w, u)
        return h
    f = bench.compiled_by_torch(f, h, w, u)  # unrolled
    return 'f(h, w, u)', {'f': f, 'h': h, 'w': w, 'u': u}


def with_jax():
    import jax
    import jax.numpy as jnp
    h, w, u = (jnp.array(m, jnp.float32) for m in matrices())

    @jax.jit
    def f(h, w, u):
        return jax.lax.while_loop(lambda s: s[0] < STEPS, lambda s: (s[0] + 1, step(jnp.matmul, jnp.tanh, s[1], w, u)),
                                  (jnp.int32(0), h))[1]
    f(h, w, u)
    return 'f(h, w, u).block_until_ready()', {'f': f, 'h': h, 'w': w, 'u': u}


def with_tensorflow():
    import tensorflow as tf
    return ours(tf)


def peers(library):
    return {NAME: {'torch': with_torch, 'jax': with_jax, 'tensorflow': with_tensorflow}[library]}


if __name__ == '__main__':
    bench.main()
