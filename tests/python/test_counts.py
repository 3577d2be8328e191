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

class RawCounts(unittest.TestCase):
    """Recorded from TensorFlow 2.21."""

    def check(self, op, wanted, **arguments):
        for call in (getattr(tf.raw_ops, op), lambda **named: tf.function(getattr(tf.raw_ops, op))(**named)):
            found = call(**arguments)
            found = list(found) if isinstance(found, tuple) else [found]
            self.assertEqual([(part.dtype, part.numpy().tolist()) for part in found], wanted)

    def test_whole(self):
        at = dict(indices=[[0, 1], [0, 2], [2, 0]], values=[1, 1, 2], dense_shape=[3, 4], size=3)
        self.check('SparseBincount', [(tf.float32, [[0, 2, 0], [0, 0, 0], [0, 0, 1]])], weights=[], **at)
        self.check('SparseBincount', [(tf.float32, [[0, 3.5, 0], [0, 0, 0], [0, 0, 3]])], weights=[1.5, 2, 3], **at)
        self.check('SparseBincount', [(tf.float32, [[0, 1, 0], [0, 0, 0], [0, 0, 1]])], weights=[], binary_output=True, **at)
        self.check('SparseBincount', [(tf.int32, [0, 2, 0])], indices=[[0], [2]], values=[1, 4], dense_shape=[3], size=3,
                   weights=[2, 3])
        rows = dict(splits=[0, 0, 2, 3], size=4)
        self.check('RaggedBincount', [(tf.float32, [[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0]])], values=[1, 1, 2], weights=[],
                   **rows)
        self.check('RaggedBincount', [(tf.float64, [[0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]])], values=[1, 1, 5],
                   weights=tf.constant([1., 2., 3.], tf.float64), **rows)

    def test_sparse(self):
        self.check('DenseCountSparseOutput', [(tf.int64, [[1], [3]]), (tf.int64, [2, 1]), (tf.int64, [4])], values=[1, 1, 3],
                   weights=tf.constant([], tf.int64), binary_output=False)
        self.check('DenseCountSparseOutput', [(tf.int64, [[0, 1], [1, 0]]), (tf.float32, [3, 3]), (tf.int64, [2, 3])],
                   values=[[1, 1], [0, 3]], weights=[[1., 2.], [3., 4.]], binary_output=False, maxlength=3)
        self.check('DenseCountSparseOutput', [(tf.int64, [[0, 1], [1, 0], [1, 3]]), (tf.int32, [2, 1, 1]), (tf.int64, [2, 6])],
                   values=[[1, 1], [0, 3]], weights=tf.constant([], tf.int32), binary_output=False, minlength=6)
        self.check('DenseCountSparseOutput', [(tf.int64, []), (tf.float32, []), (tf.int64, [1])], weights=[],
                   values=tf.zeros([0], tf.int32), binary_output=False)
        self.check('SparseCountSparseOutput', [(tf.int64, [[0, 1], [1, 1], [1, 10]]), (tf.int32, [3, 4, 6]), (tf.int64, [2, 11])],
                   indices=[[0, 0], [0, 1], [1, 0], [1, 2]], values=[1, 1, 1, 10], dense_shape=[2, 3], weights=[1, 2, 4, 6],
                   binary_output=False)
        self.check('RaggedCountSparseOutput', [(tf.int64, [[0, 1], [0, 2], [1, 2]]), (tf.float32, [1, 1, 1]), (tf.int64, [2, 5])],
                   splits=[0, 4, 7], values=[1, 1, 2, 1, 2, 10, 5], weights=[], binary_output=True, maxlength=5)

    def test_refused(self):
        raw, refused = tf.raw_ops, tf.errors.InvalidArgumentError
        for words, call in (
                ('out of bounds', lambda: raw.SparseBincount(indices=[[-2]], values=[1], dense_shape=[3], size=3, weights=[])),
                ('size must be non-neg', lambda: raw.SparseBincount(indices=[[0]], values=[1], dense_shape=[3], size=-1, weights=[])),
                ('must be non-empty', lambda: raw.RaggedBincount(splits=[], values=[1], size=4, weights=[])),
                ('must start with 0', lambda: raw.RaggedBincount(splits=[1, 1], values=[1], size=4, weights=[])),
                ('must end with the number', lambda: raw.RaggedBincount(splits=[0, 5], values=[1], size=4, weights=[])),
                ('must all be non-neg', lambda: raw.DenseCountSparseOutput(values=[-1], weights=[], binary_output=False)),
                ('same shape', lambda: raw.DenseCountSparseOutput(values=[1, 2], weights=[1.], binary_output=False)),
                ('at least 2 elements', lambda: raw.RaggedCountSparseOutput(splits=[], values=[1], binary_output=True))):
            with self.assertRaisesRegex(refused, words):
                call()

    def test_index_shuffle(self):
        shuffled = [[int(tf.random.experimental.index_shuffle(i, (1, 2), n - 1)) for i in range(min(n, 8))]
                    for n in (1, 2, 5, 10, 100, 1000)]
        self.assertEqual(shuffled, [[0], [1, 0], [2, 0, 1, 4, 3], [5, 0, 1, 4, 3, 6, 9, 8], [29, 49, 41, 81, 33, 48, 54, 65],
                                    [440, 997, 41, 719, 533, 140, 437, 634]])
        rounds = [[int(tf.raw_ops.RandomIndexShuffle(index=i, seed=[7, 8, 9], max_index=49, rounds=r)) for i in range(4)]
                  for r in (4, 8, 12)]
        self.assertEqual(rounds, [[34, 15, 31, 7], [6, 22, 27, 44], [18, 40, 9, 10]])
