"""tf.math.bincount and tf.sparse.bincount of sparse and ragged tensors; results recorded from TensorFlow."""
import unittest

import footlight as tf


def _sparse(counts):
    return counts.indices.numpy().tolist(), counts.values.numpy().tolist(), counts.dense_shape.numpy().tolist()


class Counts(unittest.TestCase):
    def setUp(self):
        self.sparse = tf.sparse.from_dense([[1, 1, 3, 0], [2, 5, 2, 1]])
        self.weights = self.sparse.with_values(tf.range(7.) + .5)
        self.ragged = tf.ragged.constant([[1, 1, 3], [], [2, 5]])
        self.ragged_weights = tf.ragged.constant([[1., 2, 3], [], [4, 5]])

    def check(self, wanted, dtype, *args, **kwargs):
        for count in (tf.math.bincount, tf.function(tf.math.bincount)):
            got = count(*args, **kwargs)
            self.assertEqual((got.dtype, got.numpy().tolist()), (dtype, wanted))

    def test_all(self):
        self.check([0, 3, 2, 1, 0, 1], tf.int32, self.sparse)
        self.check([0, 8.5, 9, 2.5, 0, 4.5], tf.float32, self.sparse, self.weights)
        self.assertEqual(tf.math.bincount(self.ragged, dtype=tf.int64).dtype, tf.int64)
        self.check([0, 3, 4], tf.float32, self.ragged, self.ragged_weights, maxlength=3)
        self.check([0, 1, 1, 1, 0, 1, 0, 0], tf.int32, self.ragged, minlength=8, binary_output=True)

    def test_rows(self):
        self.check([[0, 2, 0, 1, 0, 0], [0, 1, 2, 0, 0, 1]], tf.int32, self.sparse, axis=-1)
        self.check([[0, 2, 0], [0, 6.5, 9]], tf.float32, self.sparse, self.weights, axis=-1, maxlength=3)
        self.check([[0, 1, 0, 1, 0, 0], [0] * 6, [0, 0, 1, 0, 0, 1]], tf.int32, self.ragged, axis=-1, binary_output=True)
        self.check([[0, 3, 0, 3, 0, 0], [0] * 6, [0, 0, 4, 0, 0, 5]], tf.float32, self.ragged, self.ragged_weights, axis=-1)
        self.check([[], []], tf.int32, tf.sparse.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0], tf.int32), [2, 3]), axis=-1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'non-negative'):
            tf.math.bincount(tf.ragged.constant([[-1], [2]]), axis=-1)

    def test_sparse_result(self):
        count = tf.sparse.bincount
        self.assertEqual(_sparse(count(self.sparse, axis=-1)),
                         ([[0, 1], [0, 3], [1, 1], [1, 2], [1, 5]], [2, 1, 1, 2, 1], [2, 6]))
        self.assertEqual(_sparse(count(self.ragged, axis=-1, maxlength=9)),
                         ([[0, 1], [0, 3], [2, 2], [2, 5]], [2, 1, 1, 1], [3, 9]))
        empty = tf.sparse.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0], tf.int32), [2, 3])
        self.assertEqual(_sparse(count(empty)), ([], [], [1]))

    def test_refusals(self):
        for count in (tf.math.bincount, tf.sparse.bincount):
            for numbers, weights in ((self.sparse, self.weights), (self.ragged, self.ragged_weights)):
                with self.assertRaisesRegex(ValueError, 'mutually exclusive'):
                    count(numbers, weights, binary_output=True)
                with self.assertRaisesRegex(ValueError, 'axis=1'):
                    count(numbers, axis=1)
                with self.assertRaisesRegex(ValueError, '`weights` must be a'):
                    count(numbers, tf.ones([5]))


if __name__ == '__main__':
    unittest.main()
