"""Tridiagonal eigenvalues and systems, roots and logarithms of matrices, erosion, approximate top k; results recorded
from TensorFlow.
"""
import unittest

import footlight as tf

DIAGONALS = [[1., 2, 0], [4, 5, 6], [0, 7, 8]]


class MatrixFunctions(unittest.TestCase):
    def close(self, got, wanted):
        wanted = tf.constant(wanted, got.dtype)
        self.assertEqual(got.shape, wanted.shape)
        self.assertLess(float(tf.reduce_max(tf.abs(got - wanted))), 2e-5)

    def test_tridiagonal_eigenvalues(self):
        solve, main, beside = tf.linalg.eigh_tridiagonal, tf.constant([1., 2, 3]), tf.constant([.5, .25])
        self.close(solve(main, beside), [.7886824, 2.1451888, 3.0661283])
        self.close(tf.function(solve)(main, beside), [.7886824, 2.1451888, 3.0661283])
        self.close(solve(main, beside, select='i', select_range=(0, 1)), [.7886824, 2.1451888])
        values, vectors = solve(main, beside, eigvals_only=False, select='v', select_range=(.5, 2.5))
        self.close(values, [.7886824, 2.1451888])
        self.close(tf.abs(vectors), [[.9202224, .38649154], [.38891828, .8852117], [.04396907, .25889108]])
        values = solve(tf.cast(main, tf.complex64), tf.constant([.5j, .25 + 1j], tf.complex64))
        self.close(values, [.70118034, 1.6260324, 3.672787])
        with tf.GradientTape() as tape:
            tape.watch(main)
            total = tf.reduce_sum(solve(main, beside))
        self.close(tape.gradient(total, main), [1., 1, 1])  # the trace
        for words, error, arguments in (('same type', ValueError, {'beta': tf.constant([1., 2], tf.float64)}),
                                        ('select must', ValueError, {'select': 'x'}),
                                        ('needs select_range', ValueError, {'select': 'v'}),
                                        ('empty index range', tf.errors.InvalidArgumentError,
                                         {'select': 'i', 'select_range': (2, 1)})):
            with self.assertRaisesRegex(error, words):
                solve(**{'alpha': main, 'beta': beside, **arguments})

    def test_tridiagonal_solve(self):
        solve, rhs = tf.linalg.tridiagonal_solve, tf.ones([3])
        wanted = [.71428573, -1.8571428, 2.642857]
        self.close(solve(tf.constant(DIAGONALS), rhs), wanted)
        self.close(tf.function(solve)(tf.constant(DIAGONALS), rhs), wanted)
        self.close(solve(([1., 2], [4., 5, 6], [7., 8]), rhs, diagonals_format='sequence'), wanted)
        self.close(solve(tf.constant([[4., 1, 0], [7, 5, 2], [0, 8, 6]]), rhs, 'matrix'), wanted)
        self.close(solve(tf.constant(DIAGONALS), tf.ones([2, 3]), transpose_rhs=True), [[x, x] for x in wanted])
        self.close(solve(tf.constant(DIAGONALS), rhs, partial_pivoting=False), wanted)
        turned = solve(tf.constant(DIAGONALS, tf.complex64), tf.complex(0., 1.) * tf.ones([3], tf.complex64), conjugate_rhs=True)
        self.close(tf.math.imag(turned), [-x for x in wanted])
        batch = solve(tf.constant([DIAGONALS, DIAGONALS]), tf.stack([rhs, 2 * rhs]))
        self.close(batch, [wanted, [2 * x for x in wanted]])
        for words, arguments in (('partial_pivoting must', {'partial_pivoting': False, 'perturb_singular': True}),
                                 ('Unrecognized', {'diagonals_format': 'other'}), ('cannot be transposed', {'transpose_rhs': True})):
            with self.assertRaisesRegex(ValueError, words):
                solve(tf.constant(DIAGONALS), rhs, **arguments)
        with self.assertRaisesRegex(ValueError, 'rank of rhs'):
            solve(tf.ones([2, 3, 3]), rhs)

    def test_roots_that_are_not_real(self):
        for matrix in ([[-4.]], [[-1., 2], [0, 4]], [[4., 1, 0], [0, -1, 1], [0, 0, 9]]):
            for dtype in (tf.float32, tf.float64):
                root = tf.linalg.sqrtm(tf.constant(matrix, dtype))
                self.assertTrue(bool(tf.reduce_all(tf.math.is_nan(root))), matrix)
        self.close(tf.linalg.sqrtm(tf.constant([[0., 1], [-1, 0]])), [[.70710677, .70710677], [-.70710677, .70710677]])
        self.assertEqual(tf.linalg.sqrtm(tf.zeros([2, 0, 0])).shape, [2, 0, 0])
        self.assertEqual(tf.linalg.logm(tf.zeros([2, 0, 0], tf.complex64)).shape, [2, 0, 0])

    def test_roots_and_logarithms(self):
        matrix = tf.constant([[4., 1], [0, 9]])
        self.close(tf.linalg.sqrtm(matrix), [[2, .2], [0, 3]])
        self.close(tf.linalg.sqrtm([[0., 1], [-1, 0]]), [[.70710677, .70710677], [-.70710677, .70710677]])
        complex_matrix = tf.constant([[4, 1], [0, -9]], tf.complex64)
        self.close(tf.linalg.logm(complex_matrix), [[1.3862944, -.06237925 - .24166098j], [0, 2.1972246 + 3.1415927j]])
        again = tf.linalg.expm(tf.linalg.logm(complex_matrix))
        self.assertLess(float(tf.reduce_max(tf.abs(again - complex_matrix))), 1e-4)
        singular = tf.linalg.logm(tf.zeros([3, 3], tf.complex128))
        self.assertTrue(bool(tf.reduce_all(tf.math.is_nan(tf.math.real(singular)))))

    def test_approximate_top(self):
        x = tf.constant([[1., 3, 2, 3], [4, 5, 6, -1]])
        found = tf.math.approx_max_k(x, 2)
        self.close(found.values, [[3., 3], [6, 5]])
        self.close(found.indices, [[1, 3], [2, 1]])
        self.close(tf.nn.approx_min_k(x, 1, 0).values, [[1., 3, 2, -1]])
        for axis, wanted in ((-1, [[0, 2, 0, 3], [0, 3, 2, 0]]), (0, [[0, 0, 0, 2], [2, 3, 2, 0]])):
            with tf.GradientTape() as tape:
                tape.watch(x)
                factors = [[2., 3]] if axis else [[2., 3, 2, 2]]
                total = tf.reduce_sum(tf.math.approx_max_k(x, 2 if axis else 1, axis)[0] * factors)
            self.close(tape.gradient(total, x), wanted)

    def test_banded_triangular_solve(self):
        solve, rhs = tf.linalg.banded_triangular_solve, tf.constant([[1.], [2], [3]])
        lower, upper = tf.constant([[2., 3, 4], [0, 1, 5]]), tf.constant([[7., 5, 0], [2, 3, 4]])
        self.close(solve(lower, rhs), [[.5], [.5], [.125]])
        self.close(solve(lower, rhs, adjoint=True), [[.7916667], [-.5833333], [.75]])
        self.close(solve(upper, rhs, lower=False), [[2.5416667], [-.5833333], [.75]])
        self.close(solve(upper, rhs, lower=False, adjoint=True), [[.5], [-.5], [1.375]])
        unknown = tf.function(solve, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
        self.close(unknown(lower, rhs), [[.5], [.5], [.125]])
        self.close(unknown(lower[:1], rhs), [[.5], [.6666667], [.75]])
        self.close(unknown([[2.]], [[3.]]), [[1.5]])
        self.close(solve(lower[:1], rhs), [[.5], [.6666667], [.75]])
        self.close(solve(tf.stack([lower, lower * 2]), rhs)[1], [[.25], [.25], [.0625]])
        for words, call in (('two dimensions', lambda: solve(lower[0], rhs)), ('more than', lambda: solve(tf.ones([4, 3]), rhs)),
                            ('number of rows', lambda: solve(lower, rhs[:2]))):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_conjugate_gradient(self):
        solve = tf.linalg.experimental.conjugate_gradient
        matrix = tf.constant([[4., 1, 0], [1, 3, 1], [0, 1, 2]])
        operator = tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)
        rhs = tf.constant([1., 2, 3])
        wanted = [.2222222, .1111111, 1.4444444]
        self.close(solve(operator, rhs).x, wanted)
        self.close(solve(operator, rhs, x=tf.constant([1., 0, 0])).x, wanted)
        first = solve(operator, rhs, max_iter=1)
        self.assertEqual(int(first.i), 1)
        self.close(first.x, [.28, .56, .84])
        self.close(first.gamma, 1.68)
        inverse = tf.linalg.LinearOperatorDiag([.25, 1 / 3, .5], is_self_adjoint=True, is_positive_definite=True)
        both = tf.function(lambda r: solve(operator, r, inverse))(tf.stack([rhs, [1., 0, 0]]))
        self.close(both.x, [wanted, [.2777778, -.1111111, .0555556]])
        with self.assertRaisesRegex(ValueError, 'positive definite'):
            solve(tf.linalg.LinearOperatorFullMatrix(matrix), rhs)

    def test_erosion(self):
        x, kernel = tf.reshape(tf.range(16.), [1, 4, 4, 1]), tf.constant([[[.5], [1]], [[2], [.1]]])
        erode = tf.nn.erosion2d
        self.close(erode(x, kernel, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])[0, :, :, 0],
                   [[-1, 0, 1, 2.9], [3, 4, 5, 6.9], [7, 8, 9, 10.9], [11, 12, 13, 14.9]])
        self.close(erode(x, kernel, [1, 2, 1, 1], 'VALID', 'NHWC', [1, 1, 2, 1])[0, :, :, 0], [[-.1, .9], [7.9, 8.9]])
        with self.assertRaisesRegex(ValueError, 'NHWC'):
            erode(x, kernel, [1, 1, 1, 1], 'SAME', 'NCHW', [1, 1, 1, 1])

    def test_index_shuffle(self):
        self.assertEqual(sorted(int(tf.random_index_shuffle(i, [1, 2, 3], 6)) for i in range(7)), list(range(7)))
