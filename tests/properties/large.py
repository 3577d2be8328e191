#!/usr/bin/env python3
"""Products, decompositions and windows, at sizes where kernels use blocks, parts and all cores, against NumPy."""
import os
import sys

os.environ['OPENBLAS_NUM_THREADS'] = '1'  # the thread sanitizer cannot follow NumPy's threads
try:
    import numpy as np
except ImportError:
    print('NumPy is not installed')
    sys.exit(77)
import footlight as tf

FLOATS = np.float32, np.float64
draw = np.random.default_rng(7)
failures = 0


def drawn(shape, dtype):
    x = draw.standard_normal(shape)
    return (x + 1j * draw.standard_normal(shape)).astype(dtype) if np.dtype(dtype).kind == 'c' else x.astype(dtype)


def near(what, got, want, scale=1.0):
    global failures
    got, want = np.asarray(got), np.asarray(want)
    digits = 2e-5 if want.dtype in (np.float32, np.complex64) else 1e-12
    error = np.max(np.abs(got - want), initial=0)
    if got.shape != want.shape or got.dtype != want.dtype or not error <= digits * scale:
        failures += 1
        print(f'{what}: {got.dtype} {got.shape} is {error:g} away from {want.dtype} {want.shape}')


def products():
    for dtype in (*FLOATS, np.complex64, np.complex128):
        for m, depth, n in ((40, 50, 60), (257, 130, 33), (300, 1500, 70), (1, 70, 900), (700, 300, 1), (5, 2000, 3),
                            (50, 600, 1300), (14, 90, 300), (20, 40, 1111)):
            a, b = drawn((m, depth), dtype), drawn((depth, n), dtype)
            for flip_a in (False, True):
                for flip_b in (False, True):
                    got = tf.matmul(a.T.copy() if flip_a else a, b.T.copy() if flip_b else b, flip_a, flip_b)
                    near(f'product {m} {depth} {n}', got, a @ b, depth)
        x, y = drawn(200000, dtype), drawn(200000, dtype)
        near('dot', tf.tensordot(x, y, 1), np.sum(x * y), 2000)
    for dtype in (np.int32, np.int64):
        for m, depth, n in ((3, 5, 7), (10, 10, 10), (16, 16, 16), (17, 40, 70)):
            a, b = (draw.integers(-2**31, 2**31, shape).astype(dtype) for shape in ((m, depth), (depth, n)))
            near('integer product', tf.matmul(a, b), a @ b, 0)


def decompositions():
    for dtype in FLOATS:
        for n in (31, 70, 257):
            a = drawn((n, n), dtype) + n * np.eye(n, dtype=dtype)
            positive = a @ a.T
            b = drawn((n, 5), dtype)
            near('inverse', tf.linalg.inv(a), np.linalg.inv(a))
            near('solution', tf.linalg.solve(a, b), np.linalg.solve(a, b))
            near('adjoint solution', tf.linalg.solve(a, b, adjoint=True), np.linalg.solve(a.T, b))
            near('log of the determinant', tf.linalg.slogdet(a)[1], np.linalg.slogdet(a)[1], n)
            near('Cholesky', tf.linalg.cholesky(positive), np.linalg.cholesky(positive), n)
            near('triangle', tf.linalg.triangular_solve(a, b), np.linalg.solve(np.tril(a), b))
            lu, order = (x.numpy() for x in tf.linalg.lu(a))
            near('LU', (np.tril(lu, -1) + np.eye(n, dtype=dtype)) @ np.triu(lu), a[order], n)
            q, r = tf.linalg.qr(a)
            near('QR', q @ r, a, n)
            near('Q', tf.matmul(q, q, transpose_a=True), np.eye(n, dtype=dtype))
            s, u, v = tf.linalg.svd(a)
            near('singular values', s, np.linalg.svd(a, compute_uv=False), n)
            near('SVD', tf.matmul(u * s, v, transpose_b=True), a, n)
            e, vectors = tf.linalg.eigh(positive)
            near('eigenvalues', e, np.linalg.eigvalsh(positive), n * n)
            near('eigenvectors', tf.matmul(vectors * e, vectors, transpose_b=True), positive, n * n)
            values, basis = np.linalg.eigh((a + a.T) / dtype(8 * n))
            near('exponential', tf.linalg.expm((a + a.T) / dtype(8 * n)), (basis * np.exp(values)) @ basis.T, 10)


def largest_gradient(x, arriving, size, stride, padding):
    """Each window's gradient at its largest place."""
    wanted = np.zeros_like(x)
    for n, y, column, c in np.ndindex(arriving.shape):
        low = []
        for axis, at in ((1, y), (2, column)):
            extra = (arriving.shape[axis] - 1) * stride + size - x.shape[axis] if padding == 'SAME' else 0
            low.append(at * stride - max(0, extra) // 2)
        rows, columns = (slice(max(0, start), max(0, start + size)) for start in low)
        part = x[n, rows, columns, c]
        wanted[n, rows, columns, c][np.unravel_index(part.argmax(), part.shape)] += arriving[n, y, column, c]
    return wanted


def windows():
    for size, stride in ((2, 2), (4, 4), (3, 1), (2, 3)):
        for padding in ('VALID', 'SAME'):
            for channels in (3, 16, 32):
                x = tf.constant(drawn((2, 9, 11, channels), np.float32))
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.nn.max_pool2d(x, size, stride, padding)
                g = drawn(y.shape, np.float32)
                near(f'gradient of the largest of {size} at {stride}, {padding}', tape.gradient(y, x, g),
                     largest_gradient(x.numpy(), g, size, stride, padding))
    for channels in (1, 3, 4, 8, 12, 20, 36):
        x = drawn((2, 9, 11, channels), np.float32)
        near('largest', tf.nn.max_pool2d(x, 3, 1, 'VALID'),
             np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2)).max((-1, -2)))
        near('average', tf.nn.avg_pool2d(x, 3, 1, 'VALID'),
             np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2)).mean((-1, -2)))
        f = drawn((3, 3, channels, 1), np.float32)
        near('by depth', tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], 'VALID'),
             np.einsum('nyxcij,ijc->nyxc', np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2)), f[..., 0]), 9)


for part in (products, decompositions, windows):
    part()
print(f'{failures} differences')
sys.exit(failures > 0)
