"""Operators of tf.linalg against numbers of TensorFlow, and eigenvalues of any matrices with their gradients."""
import unittest

import footlight as tf

L = tf.linalg
A = [[4., 1., -1.], [2., 5., .5], [0., 1., 3.]]


def numbers(t):
    return tf.reshape(tf.math.real(t), [-1]).numpy().tolist()


class Close(unittest.TestCase):
    def close(self, t, wanted, places=4):
        got = numbers(t)
        self.assertEqual(len(got), len(wanted))
        for g, w in zip(got, wanted):
            self.assertAlmostEqual(g, w, places, (got, wanted))


class Operators(Close):
    def test_numbers(self):
        full = L.LinearOperatorFullMatrix([[2., 1.], [0., 3.]])
        for operator, product, by_adjoint, solution, determinant in (
                (L.LinearOperatorToeplitz([4., 1., .5], [4., -1., 2.]), [8, 6, 14.5], [7.5, 10, 12],
                 [0.11348, 0.61702, 0.58156], 70.5),
                (L.LinearOperatorCirculant([6., 1., 2.]), [10.5, 12, 13.5], [10.5, 12, 13.5],
                 [-0.41667, 0.33333, 1.08333], 12),
                (L.LinearOperatorKronecker([full, L.LinearOperatorDiag([1., 2.])]), [5, 16, 9, 24], [2, 8, 10, 28],
                 [0, 0.16667, 1, 0.66667], 144),
                (L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([3., 4., 5.]), [[1.], [2.], [0.]], diag_update=[2.],
                                               v=[[1.], [0.], [1.]]), [11, 24, 15], [13, 8, 25], [-.04, -.06, .6], 100),
                (L.LinearOperatorHouseholder([1., 2., 2.]), [-1.44444, -2.88889, -1.88889], [-1.44444, -2.88889, -1.88889],
                 [-1.44444, -2.88889, -1.88889], -1),
                (L.LinearOperatorTridiag([[1., 2., 0.], [4., 5., 6.], [0., 1., 3.]]), [6, 17, 24], [6, 20, 22],
                 [.2, .2, .4], 90),
                (L.LinearOperatorBlockDiag([full, L.LinearOperatorScaledIdentity(1, 4.)]), [4, 6, 12], [2, 7, 12],
                 [.16667, .66667, .75], 24),
                (L.LinearOperatorComposition([L.LinearOperatorFullMatrix(A), L.LinearOperatorLowerTriangular(A)]),
                 [17, 73.5, 45], [60, 79, 27], [.115, -.022, .32733], 3000),
                (L.LinearOperatorPermutation([2, 0, 1]), [3, 1, 2], [2, 3, 1], [2, 3, 1], 1)):
            size = operator.shape[-1]
            x = tf.cast(tf.reshape(tf.range(1., size + 1), [size, 1]), operator.dtype)
            with self.subTest(operator.name):
                self.close(operator.matmul(x), product)
                self.close(operator.matmul(x, adjoint=True), by_adjoint)
                self.close(operator.solve(x), solution)
                self.close(operator.determinant(), [determinant], 3)
                self.close(operator.inverse().matmul(x), solution)
                self.close(operator.adjoint().matmul(x), by_adjoint)
                self.close(tf.linalg.diag_part(operator.to_dense()), numbers(operator.diag_part()))
                self.close(tf.linalg.matvec(operator.to_dense(), x[:, 0]), product)
                self.close(operator.log_abs_determinant(), [tf.math.log(abs(float(determinant))).numpy()])

    def test_batches_and_kinds(self):
        batch = L.LinearOperatorKronecker([L.LinearOperatorFullMatrix([[[1., 2.]], [[3., 4.]]]), L.LinearOperatorIdentity(2)])
        self.assertEqual(batch.shape, [2, 2, 4])
        self.close(batch.matmul(tf.reshape(tf.range(4.), [4, 1])), [4, 7, 8, 15])
        self.assertEqual(batch.matmul(tf.ones([3, 1, 4, 2])).shape, [3, 2, 2, 2])
        diag = L.LinearOperatorDiag([1., 2.], is_positive_definite=True)
        for made, kind in ((diag.matmul(diag), 'Diag'), (diag.inverse(), 'Diag'), (diag.cholesky(), 'Diag'),
                           (L.LinearOperatorIdentity(2).matmul(diag), 'Diag'), (diag @ L.LinearOperatorZeros(2), 'Composition'),
                           (L.LinearOperatorLowerTriangular([[1., 9.], [2., 3.]]) @ diag, 'LowerTriangular'),
                           (L.LinearOperatorFullMatrix([[1., 2.], [3., 4.]]).H, 'Adjoint')):
            self.assertEqual(type(made).__name__, 'LinearOperator' + kind)
        blocks = L.LinearOperatorBlockDiag([diag, L.LinearOperatorIdentity(1)])
        self.assertEqual([p.numpy().tolist() for p in blocks.matvec([tf.ones([2]), tf.ones([1])])], [[1, 2], [1]])

    def test_variables_and_gradients(self):
        held = tf.Variable([1., 2.])
        operator = L.LinearOperatorDiag(held)
        self.assertEqual(len(operator.trainable_variables), 1)

        @tf.function
        def loss(x):
            return tf.reduce_sum(operator.solve(x) ** 2)
        with tf.GradientTape() as tape:
            value = loss(tf.ones([2, 1]))
        self.close(tape.gradient(value, held), [-2, -0.25])

    def test_refusals(self):
        full = L.LinearOperatorFullMatrix
        for call, error in ((lambda: full([1.]), ValueError), (lambda: full([[1, 2]]), TypeError),
                            (lambda: full([[1., 2.]]).solve([[1.]]), NotImplementedError),
                            (lambda: full([[1., 2.]]).determinant(), NotImplementedError),
                            (lambda: full(A).cholesky(), ValueError), (lambda: full(A).matvec([1., 2.]), ValueError),
                            (lambda: full(A).eigvals(), NotImplementedError),
                            (lambda: full(A).matmul(tf.ones([3, 1], tf.float64)), TypeError),
                            (lambda: full(A, is_positive_definite=True, is_non_singular=False), ValueError),
                            (lambda: L.LinearOperatorPermutation([1, 1, 2]), ValueError),
                            (lambda: L.LinearOperatorComposition([]), ValueError),
                            (lambda: L.LinearOperatorZeros(2).inverse(), ValueError),
                            (lambda: L.LinearOperatorDiag([0., 1.]).assert_non_singular(), tf.errors.InvalidArgumentError)):
            self.assertRaises(error, call)


class EigenValues(Close):
    def test_gradients(self):
        for matrix, power, wanted in (([[1., 2.], [3., 4.]], 2, [1.93372, 5.93958, 3.974, 8.06628]),
                                      ([[0., 1.], [-4., .5]], 3, [3, 23.78534, -6.05367, 0])):
            a = tf.constant(matrix, tf.float64)
            with tf.GradientTape() as tape:
                tape.watch(a)
                e, v = tf.linalg.eig(a)
                loss = tf.reduce_sum(tf.abs(e) ** power) + tf.reduce_sum(tf.abs(v) ** 3)
            self.close(tape.gradient(loss, a), wanted)
            self.close(tf.cast(a, e.dtype) @ v - v * e, [0] * 4)

    def test_edges(self):
        self.assertEqual(tf.linalg.eigvals(tf.zeros([2, 0, 0])).shape, [2, 0])
        self.assertEqual(tf.eig(tf.constant([[2.]]))[0].dtype, tf.complex64)
        self.assertEqual(tf.eigvals(tf.constant([[2.]], tf.complex128)).dtype, tf.complex128)
        for bad in (tf.ones([2, 3]), tf.constant([[float('nan'), 1.], [1., 2.]])):
            self.assertRaises(tf.errors.InvalidArgumentError, tf.linalg.eig, bad)


class Factors(Close):
    def test_lu(self):
        a = tf.constant([[[1., 2.], [3., 4.]], [[0., 1.], [5., 2.]]])
        lu, order = tf.linalg.lu(a)
        self.close(tf.linalg.lu_reconstruct(lu, order), numbers(a))
        self.close(tf.linalg.lu_matrix_inverse(lu, order), [-2, 1, 1.5, -.5, -.4, .2, 1, 0])
        self.close(tf.linalg.lu_solve(lu, order, [[1.], [2.]]), [0, .5, 0, 1])
        self.assertRaises(ValueError, tf.linalg.lu_solve, lu, order, [1., 2.])

    def test_tridiagonal(self):
        bands = [[1., 2., 9.], [4., 5., 6.], [9., 1., 3.]]
        for given, form in ((bands, 'compact'), (bands, 'sequence'), ([[4., 1., 0.], [1., 5., 2.], [0., 3., 6.]], 'matrix')):
            self.close(tf.linalg.tridiagonal_matmul(given, [[1.], [2.], [3.]], form), [6, 17, 24])
        self.assertRaises(ValueError, tf.linalg.tridiagonal_matmul, bands, [[1.]], 'other')


if __name__ == '__main__':
    unittest.main()
