"""Operators and indexing with NumPy's rules: on from the first test, because they can not be turned off."""
import unittest

import footlight as tf

try:
    import numpy as np
except ImportError:
    np = None


@unittest.skipIf(np is None, 'NumPy is not installed')
class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tf.experimental.numpy.experimental_enable_numpy_behavior()

    def check(self, got, dtype, wanted):
        self.assertEqual((got.dtype, got.numpy().tolist()), (dtype, wanted))

    def test_promotion(self):
        a = tf.constant([1, 2])
        self.check(a + 1.5, tf.float64, [2.5, 3.5])
        self.check(1.5 - a, tf.float64, [.5, -.5])
        self.check(a * True, tf.int32, [1, 2])
        self.check(tf.ones([2]) + a, tf.float64, [2, 3])
        self.check(tf.constant(1) + tf.constant(2, tf.int64), tf.int64, 3)
        self.check(tf.constant(1, tf.float16) * tf.constant(2, tf.float32), tf.float32, 2)
        self.check(tf.Variable([1, 2]) ** 2., tf.float64, [1, 4])
        self.check(a < 1.5, tf.bool, [True, False])
        self.check(a == 1., tf.bool, [True, False])
        self.check(a @ a, tf.int32, 5)
        self.assertIs(a == None, False)  # noqa: E711  (no tensor)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            a + 'text'
        traced = tf.function(lambda x: x / 2 + tf.constant(1., tf.float64))
        self.check(traced(a), tf.float64, [1.5, 2])

    def test_indexing(self):
        n = np.arange(24).reshape(2, 3, 4)
        x = tf.constant(n)
        mask = np.array([[True, False, True], [False, True, False]])
        for key in ([0, 1], ([0, 1], [2, 0]), (slice(None), [2, 0]), ([1, -1], slice(None), [3, 0]), (Ellipsis, [0, 3]),
                    (0, slice(None), [1, 2]), (slice(None), None, [[0], [1]]), mask, (mask, 2), (slice(None), [True, False, True]),
                    ([],), (1, 2, 3), (slice(1), slice(None, None, 2))):
            self.assertEqual(x[key].numpy().tolist(), n[key].tolist(), key)
        self.check(x[tf.constant([1, 0]), 2, 1], tf.int64, [21, 9])
        with self.assertRaises(IndexError):
            x[[0], [0], [0], [0]]

    def test_modes(self):
        enable = tf.experimental.numpy.experimental_enable_numpy_behavior
        self.assertRaises(ValueError, enable, dtype_conversion_mode='some')
        enable(dtype_conversion_mode='off')
        try:
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.constant(1) + tf.constant(1.)
        finally:
            enable()
