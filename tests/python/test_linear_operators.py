"""Operators of tf.linalg against numbers of TensorFlow, and eigenvalues of any matrices with their gradients."""
import unittest

import numpy as np

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

    def test_lists_of_operators_are_refused(self):
        operators = [L.LinearOperatorIdentity(2)] * 2
        for function in (L.trace, L.det, lambda x: L.matmul(x, tf.eye(2)), lambda x: L.solve(x, tf.eye(2))):
            with self.assertRaises((TypeError, ValueError)):
                function(operators)

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


class BlockLowerTriangular(unittest.TestCase):
    """Beside the matrix that is written out."""

    def setUp(self):
        kinds, rows = tf.linalg, np.random.RandomState(0)

        def matrix(*shape):
            return rows.rand(*shape) + 2 * np.eye(*shape[-2:])
        whole = kinds.LinearOperatorFullMatrix
        a, c = whole(matrix(2, 3, 3), is_non_singular=True), kinds.LinearOperatorLowerTriangular(matrix(2, 2), is_non_singular=True)
        f = kinds.LinearOperatorDiag(np.array([2.5]), is_non_singular=True)
        self.rows = [[a], [whole(matrix(2, 3)), c], [whole(matrix(1, 3)), whole(matrix(2, 1, 2)), f]]
        self.operator = kinds.LinearOperatorBlockLowerTriangular(self.rows)
        self.dense = np.zeros([2, 6, 6])
        for at, row in zip((0, 3, 5), self.rows):
            for below, one in zip((0, 3, 5), row):
                size = one.shape[-2:]
                self.dense[:, at:at + size[0], below:below + size[1]] = one.to_dense().numpy()
        self.x = rows.rand(2, 6, 4)

    def parts(self, x, axis=1):
        return [tf.constant(part) for part in np.split(x, [3, 5], axis)]

    def test_products_and_solutions(self):
        for turned in (False, True):
            dense = self.dense.swapaxes(1, 2) if turned else self.dense
            product, solved = dense @ self.x, np.linalg.solve(dense, self.x)
            for found, wanted in ((self.operator.matmul(self.x, adjoint=turned), product),
                                  (self.operator.matmul(self.x.swapaxes(1, 2), adjoint=turned, adjoint_arg=True), product),
                                  (self.operator.solve(self.x, adjoint=turned), solved),
                                  (self.operator.matvec(self.x[..., 0], adjoint=turned), product[..., 0]),
                                  (self.operator.solvevec(self.x[..., 0], adjoint=turned), solved[..., 0])):
                np.testing.assert_allclose(found, wanted, rtol=1e-10)
            for what, wanted in (('matmul', product), ('solve', solved)):
                for found, part in zip(getattr(self.operator, what)(self.parts(self.x), adjoint=turned), self.parts(wanted)):
                    np.testing.assert_allclose(found, part, rtol=1e-10)
            for what, wanted in (('matvec', product), ('solvevec', solved)):
                found = getattr(self.operator, what)(self.parts(self.x[..., 0]), adjoint=turned)
                for one, part in zip(found, self.parts(wanted[..., 0])):
                    np.testing.assert_allclose(one, part, rtol=1e-10)

    def test_what_the_diagonal_says(self):
        operator = self.operator
        self.assertEqual((operator.shape, operator.is_square, operator.is_non_singular), ([2, 6, 6], True, True))
        self.assertEqual(operator.shape_tensor().numpy().tolist(), [2, 6, 6])
        np.testing.assert_allclose(operator.to_dense(), self.dense)
        np.testing.assert_allclose(operator.determinant(), np.linalg.det(self.dense))
        np.testing.assert_allclose(operator.log_abs_determinant(), np.linalg.slogdet(self.dense)[1])
        np.testing.assert_allclose(operator.diag_part(), self.dense.diagonal(axis1=1, axis2=2))
        np.testing.assert_allclose(operator.trace(), self.dense.trace(axis1=1, axis2=2))
        np.testing.assert_allclose(operator.inverse().to_dense(), np.linalg.inv(self.dense), atol=1e-12)
        operator.assert_non_singular()

    def test_as_an_argument_and_in_gradients(self):
        found = tf.function(lambda operator, x: operator.matmul(x))(self.operator, tf.constant(self.x))
        np.testing.assert_allclose(found, self.dense @ self.x)
        with tf.GradientTape() as tape:
            diag = tf.Variable([2.])
            operator = tf.linalg.LinearOperatorBlockLowerTriangular([[tf.linalg.LinearOperatorDiag(diag)]])
            value = operator.solvevec(tf.constant([6.]))
        self.assertEqual(tape.gradient(value, diag).numpy().tolist(), [-1.5])

    def test_refuses_what_does_not_fit(self):
        (a,), (b, c), _ = self.rows
        for rows, kind, words in (([[a], [b]], ValueError, 'row 1 .* 2 operators. Found: 1'), ([], ValueError, 'non-empty'),
                                  ([[a], [c, c]], ValueError, r'block \(1, 0\) has 2 columns'), ([[b]], ValueError, 'square'),
                                  ([[a], [b, tf.linalg.LinearOperatorDiag([1., 2.])]], TypeError, 'same dtype')):
            with self.assertRaisesRegex(kind, words):
                tf.linalg.LinearOperatorBlockLowerTriangular(rows)
        with self.assertRaisesRegex(ValueError, 'if and only if'):
            tf.linalg.LinearOperatorBlockLowerTriangular([[a]], is_non_singular=False)
