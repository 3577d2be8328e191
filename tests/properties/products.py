"""Products, linear algebra and tensors made from nothing, against NumPy."""
import numpy as np

from drawing import (ALL, COMPLEX, FLOATS, HALVES, NUMBERS, TOLERANCE, Case, Property, array, broadcastable, find,
                     prop, shape, wide)


@prop('linalg.matmul')
def _(random):
    dtype = random.choice(FLOATS + HALVES + ('int32', 'int64') + COMPLEX)
    m, k, n = (random.choice([0, 1, 2, 3, 5, 8, 17] if random.random() < 0.3 else [1, 2, 4, 9]) for _ in range(3))
    batch = shape(random, 0, 2)
    flip_x, flip_y = random.random() < 0.3, random.random() < 0.3
    x = array(random, dtype, batch + ((k, m) if flip_x else (m, k)), -1.0, 1.0)
    y = array(random, dtype, broadcastable(random, batch) + ((n, k) if flip_y else (k, n)), -1.0, 1.0)

    def expected():
        a = np.swapaxes(x, -1, -2) if flip_x else x
        b = np.swapaxes(y, -1, -2) if flip_y else y
        return (wide(a) @ wide(b)).astype(dtype)
    return Case('linalg.matmul', [x, y], lambda tf, a, b: tf.linalg.matmul(a, b, transpose_a=flip_x, transpose_b=flip_y),
                expected, f'transpose_a={flip_x}, transpose_b={flip_y}', 4 * TOLERANCE.get(dtype, 0.0))


@prop('tensordot')
def _(random):
    dtype, axes = random.choice(FLOATS), random.randint(0, 2)
    shared = shape(random, axes, axes, False)
    x, y = array(random, dtype, shape(random, 0, 2) + shared), array(random, dtype, shared + shape(random, 0, 2))
    return Case('tensordot', [x, y], lambda tf, a, b: tf.tensordot(a, b, axes), lambda: np.asarray(np.tensordot(x, y, axes)),
                f'axes={axes}', 1e-4)


@prop('einsum')
def _(random):
    sizes = {c: random.randint(1, 4) for c in 'abcd'}
    equation = random.choice(['ab,bc->ac', 'ab,cb->ac', 'abc,abd->acd', 'ab,ab->', 'abc->cab', 'ab->b',
                              'a,b->ab', 'abc,c->ab', 'abc,acd->abd', 'abcd,ad->bc'])
    left = equation.partition('->')[0].split(',')
    arrays = [array(random, random.choice(FLOATS) if i == 0 else 'float32', tuple(sizes[c] for c in part))
              for i, part in enumerate(left)]
    arrays = [a.astype(arrays[0].dtype) for a in arrays]
    return Case('einsum', arrays, lambda tf, *ts: tf.einsum(equation, *ts), lambda: np.asarray(np.einsum(equation, *arrays)),
                equation, 1e-4)


def square(name, answer, symmetric=False):
    def make(random):
        n = random.randint(1, 5)
        x = array(random, random.choice(FLOATS), shape(random, 0, 2) + (n, n), -1.0, 1.0)
        x = (x @ np.swapaxes(x, -1, -2) if symmetric else x) + (3 * np.eye(n)).astype(x.dtype)
        return Case(name, [x], lambda tf, t: find(tf, name)(t), lambda: np.asarray(answer(x)), '', 1e-3 if x.dtype == np.float32 else 1e-8)
    ALL.append(Property(name, make))


square('linalg.det', np.linalg.det)
square('linalg.inv', np.linalg.inv)
square('linalg.cholesky', np.linalg.cholesky, True)
square('linalg.trace', lambda x: np.trace(x, axis1=-2, axis2=-1))


@prop('linalg.solve')
def _(random):
    n, dtype, batch = random.randint(1, 5), random.choice(FLOATS), shape(random, 0, 2)
    a = array(random, dtype, batch + (n, n), -1.0, 1.0) + (3 * np.eye(n)).astype(dtype)
    b = array(random, dtype, batch + (n, random.randint(1, 4)))
    return Case('linalg.solve', [a, b], lambda tf, x, y: tf.linalg.solve(x, y), lambda: np.linalg.solve(a, b), '',
                1e-3 if dtype == 'float32' else 1e-8)


@prop('range')
def _(random):
    start, stop, step = random.randint(-9, 9), random.randint(-9, 9), random.choice([-3, -2, -1, 1, 2, 3])
    dtype = random.choice(('int32', 'int64') + FLOATS)
    if (stop - start) * step < 0:
        start, stop = stop, start  # the wrong order is an error
    return Case('range', [np.array(start, dtype)], lambda tf, t: tf.range(t, tf.constant(stop, dtype), tf.constant(step, dtype)),
                lambda: np.arange(start, stop, step).astype(dtype), f'{stop}, {step}')


@prop('eye')
def _(random):
    rows, columns = random.randint(0, 5), random.choice([None, random.randint(0, 5)])
    dtype = random.choice(FLOATS + ('int32', 'bool') + COMPLEX)
    return Case('eye', [], lambda tf: tf.eye(rows, columns, dtype=dtype), lambda: np.eye(rows, columns, dtype=dtype),
                f"{rows}, {columns}, '{dtype}'")


@prop('fill')
def _(random):
    dims, value = shape(random), array(random, random.choice(NUMBERS + ('bool',)), ())
    return Case('fill', [value], lambda tf, v: tf.fill(dims, v), lambda: np.full(dims, value), str(dims))


@prop('linspace')
def _(random):
    n, dtype = random.randint(1, 9), random.choice(FLOATS)
    a, b = array(random, dtype, ()), array(random, dtype, ())
    return Case('linspace', [a, b], lambda tf, x, y: tf.linspace(x, y, n), lambda: np.linspace(a, b, n).astype(dtype), str(n))
