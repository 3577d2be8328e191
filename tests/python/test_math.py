"""Elementwise mathematics from Python: special values, operands beside tensors, refusals, gradients."""
import math
import unittest

import footlight as tf
from derivatives import gradient

INF, NAN = math.inf, math.nan


def value(t):
    return memoryview(t).tolist()


class Values(unittest.TestCase):

    def check(self, t, wanted, places=5):
        got = value(t)
        self.assertEqual(len(got), len(wanted), got)
        for g, w in zip(got, wanted):
            if math.isnan(w) or math.isinf(w):
                self.assertTrue(math.isnan(g) if math.isnan(w) else g == w, (got, wanted))
            else:
                self.assertAlmostEqual(g, w, places, (got, wanted))

    def test_domains(self):
        m = tf.math
        self.check(m.ndtri(tf.constant([0., 0.5, 1., -0.1, 1.1, NAN])), [-INF, 0, INF, NAN, NAN, NAN])
        self.check(m.erfinv(tf.constant([-1., 0., 1., 1.5, 1e-3], tf.float64)), [-INF, 0, INF, NAN, 0.000886227157])
        self.check(m.erf(tf.constant([-INF, 0., INF, NAN])), [-1, 0, 1, NAN])
        self.check(m.digamma(tf.constant([0., -1., 1., -0.5])), [NAN, NAN, -0.5772157, 0.0364899])
        self.check(m.lgamma(tf.constant([0., -1., 3., INF])), [INF, INF, math.log(2), INF])
        self.check(m.zeta(tf.constant([INF, INF, 1., 2., 2.]), tf.constant([1., 2., 1., INF, 1.])),
                   [1, 0, INF, 0, math.pi**2 / 6])
        self.check(m.polygamma(tf.constant([1., 2., 0.]), tf.constant([INF, INF, 1.])), [0, 0, -0.5772157])
        self.check(m.igamma(tf.constant([1., 1., -1.]), tf.constant([0., INF, 1.])), [0, 1, NAN])
        self.check(m.betainc(2., 3., tf.constant([0., 0.5, 1., 1.5])), [0, 0.6875, 1, NAN])
        self.check(m.xlogy(tf.constant([0., 0., 2.]), tf.constant([0., NAN, 1.])), [0, 0, 0])
        self.check(m.multiply_no_nan(tf.constant([INF, NAN, 2.]), tf.constant([0., 0., 3.])), [0, 0, 6])
        self.check(m.nextafter(tf.constant([1.], tf.float64), 2.), [1 + 2**-52], 20)
        self.check(tf.nn.softplus(tf.constant([-1e30, -200., 0., 200., INF])), [0, 0, math.log(2), 200, INF])
        self.check(tf.nn.elu(tf.constant([-INF, -1., 2., NAN])), [-1, math.exp(-1) - 1, 2, NAN])
        self.check(tf.nn.gelu(tf.constant([-1., 0., 1.])), [-0.1586553, 0, 0.8413447])

    def test_integers(self):
        self.assertEqual(value(tf.truncatediv(tf.constant([7, -7, -2**31]), tf.constant([2, 2, -1]))), [3, -3, -2**31])
        self.assertEqual(value(tf.truncatemod(tf.constant([7, -7]), 3)), [1, -1])
        by = tf.constant([-3, 50], tf.int8)
        self.assertEqual(value(tf.bitwise.left_shift(tf.constant([1, 1], tf.int8), by)), [1, -128])
        self.assertEqual(value(tf.bitwise.right_shift(tf.constant([-128, 64], tf.int8), by)), [-128, 0])
        self.assertEqual(value(tf.truncatemod(tf.zeros([0, 3], tf.int32), tf.constant([1, 0, 2]))), [])

    def test_saturate_cast(self):
        self.assertEqual(value(tf.saturate_cast(tf.constant([-1.5, 300., INF]), tf.uint8)), [0, 255, 255])
        self.assertEqual(value(tf.saturate_cast(tf.constant([2**63, 5], tf.uint64), tf.int64)), [2**63 - 1, 5])
        self.assertLess(value(tf.saturate_cast(tf.constant([1e30]), tf.int64))[0], 2**63)

    def test_clipping(self):
        self.check(tf.clip_by_norm(tf.constant([3., 4.]), 1), [0.6, 0.8])
        self.check(tf.clip_by_norm(tf.zeros([2]), 1.), [0, 0])
        clipped, norm = tf.clip_by_global_norm([tf.constant([3.]), None, tf.constant([4.])], 2)
        self.assertIsNone(clipped[1])
        self.assertAlmostEqual(value(norm), 5, 5)
        self.check(clipped[2], [1.6])
        self.check(tf.clip_by_global_norm([tf.constant([INF])], 1.)[0][0], [NAN])

    def test_growth(self):
        grows = tf.math.is_strictly_increasing
        self.assertEqual([bool(grows(x)) for x in ([1, 2, 3], [1, 1], [[1, 2], [3, 4]], [5], [])],
                         [True, False, True, True, True])


class Operands(unittest.TestCase):

    def test_bools(self):
        b = tf.constant([True, False])
        for product in (b * 2, b * tf.constant([3, 4]), True * b, tf.constant([1, 1]) * b):
            self.assertEqual((product.dtype, value(product)), (tf.bool, [True, False]))
        for call in (lambda: 2 * b, lambda: b & 1, lambda: b == 1, lambda: b - 1, lambda: tf.logical_and(b, 1)):
            self.assertRaises(TypeError, call)
        self.assertRaises(tf.errors.InvalidArgumentError, lambda: tf.multiply(b, b))
        self.assertEqual(value((b ^ True) | (b & ~b)), [False, True])

    def test_numbers_that_do_not_fit(self):
        i = tf.constant([1, 2])
        for f in (tf.multiply, tf.subtract, tf.maximum, tf.less, tf.bitwise.bitwise_and, tf.truncatediv):
            self.assertRaises(TypeError, f, i, 1.5)
        self.assertRaises(tf.errors.InvalidArgumentError, tf.add, i, 1.5)

    def test_python_numbers_out_of_tensors(self):
        self.assertEqual((int(tf.constant(2.7)), float(tf.constant(3 + 1j)), complex(tf.constant(2))), (2, 3.0, 2 + 0j))
        self.assertFalse(tf.constant([]))
        for kind in (int, float, complex):
            self.assertRaises(TypeError, kind, tf.constant([5]))

    def test_refused(self):
        for error, call in [
                (TypeError, lambda: tf.complex(1, 2)), (TypeError, lambda: tf.math.angle(tf.constant([1]))),
                (TypeError, lambda: tf.math.erfcinv(tf.constant([1]))),
                (ValueError, lambda: tf.nn.gelu(tf.constant([1]))),
                (TypeError, lambda: tf.math.conj('a')), (TypeError, lambda: tf.truediv(tf.constant([True]), True)),
                (ValueError, lambda: tf.math.scalar_mul(tf.constant([1.]), tf.constant([1.]))),
                (TypeError, lambda: tf.linalg.global_norm(tf.constant([1.]))),
                (tf.errors.InvalidArgumentError, lambda: tf.constant([7]) % 0),
                (tf.errors.InvalidArgumentError, lambda: -tf.constant([1], tf.uint8)),
                (tf.errors.InvalidArgumentError, lambda: tf.sqrt(4))]:
            self.assertRaises(error, call)


class Gradients(unittest.TestCase):

    def slope(self, f, x):
        return value(gradient(f, tf.constant(x, tf.float64)))

    def test_at_corners(self):
        self.assertEqual(self.slope(tf.math.bessel_i1e, [0.]), [0.5])
        self.assertEqual(self.slope(lambda x: tf.math.xlogy(0. * x, x), [2.]), [0.0])
        self.assertEqual(self.slope(lambda x: tf.clip_by_norm(x, 1.), [0., 0.]), [1.0, 1.0])
        self.assertEqual(self.slope(lambda x: tf.math.nextafter(x, 0. * x), [2.]), [1.0])

    def test_nodes(self):
        @tf.function
        def f(x):
            return tf.gradients([tf.nn.elu(x), tf.nn.softsign(x), tf.sqrt(x)], x)

        kinds = {o.type for o in f.get_concrete_function(tf.TensorSpec([2])).graph.get_operations()}
        self.assertTrue({'Elu', 'EluGrad', 'SoftsignGrad', 'SqrtGrad'} <= kinds, kinds)


class Distinct(unittest.TestCase):
    def test_equal_numbers(self):
        """No NaN equals another, 0 equals -0, as in TensorFlow."""
        nan = float('nan')
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
            x = tf.constant([nan, nan, 1., 0., -0.], dtype)
            for axis in ([], [0]):
                y, places, counts = tf.raw_ops.UniqueWithCountsV2(x=x, axis=tf.constant(axis, tf.int32))
                self.assertEqual((len(y), places.numpy().tolist(), counts.numpy().tolist()), (4, [0, 1, 2, 3, 3], [1, 1, 1, 2]))
        rows = tf.constant([[nan, 1.], [nan, 1.], [0., 1.], [-0., 1.]])
        self.assertEqual(tf.raw_ops.UniqueV2(x=rows, axis=[0])[1].numpy().tolist(), [0, 1, 2, 2])
