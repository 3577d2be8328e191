"""Ragged and sparse elements; the expected values were recorded from TensorFlow 2.21."""
import unittest

import footlight as tf

RAGGED = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6]]])
SPARSE = tf.sparse.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])


def lists(dataset):
    return [plain(element) for element in dataset]


def plain(element):
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tf.RaggedTensor):
        return element.to_list()
    if isinstance(element, tf.SparseTensor):
        return tf.sparse.to_dense(element).numpy().tolist()
    return element.numpy().tolist()


class Ragged(unittest.TestCase):
    def test_rows(self):
        rows = tf.data.Dataset.from_tensor_slices(RAGGED)
        self.assertEqual(len(rows), 3)
        self.assertEqual(repr(rows.element_spec), 'RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)')
        self.assertEqual(lists(rows), [[[1], [2, 3]], [], [[4, 5, 6]]])
        flat = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [3], []]))
        self.assertEqual(repr(flat.element_spec), 'RaggedTensorSpec(TensorShape([None]), tf.int32, 0, tf.int64)')
        self.assertTrue(all(isinstance(row, tf.Tensor) for row in flat))
        self.assertEqual(lists(flat), [[1, 2], [3], []])
        self.assertEqual(lists(flat.batch(2)), [[[1, 2], [3]], [[]]])

    def test_there_and_back(self):
        rows = tf.data.Dataset.from_tensors(RAGGED).unbatch()
        self.assertEqual(lists(rows.batch(2)), [[[[1], [2, 3]], []], [[[4, 5, 6]]]])
        self.assertEqual(lists(rows.batch(2, drop_remainder=True)), [[[[1], [2, 3]], []]])
        self.assertEqual(lists(rows.unbatch().batch(4)), [[[1], [2, 3], [4, 5, 6]]])

    def test_in_a_structure(self):
        rows = tf.data.Dataset.from_tensor_slices({'a': RAGGED, 'b': [1, 2, 3], 'c': SPARSE})
        self.assertEqual(lists(rows.batch(2)), [{'a': [[[1], [2, 3]], []], 'b': [1, 2], 'c': [[0, 5], [0, 0]]},
                                                {'a': [[[4, 5, 6]]], 'b': [3], 'c': [[6, 0]]}])
        with self.assertRaises(ValueError):
            tf.data.Dataset.from_tensor_slices((RAGGED, [1, 2]))

    def test_batches_of_dense_elements(self):
        for shape, wanted in (([None], '[None, None]), tf.int32, 1'), ([None, 3], '[None, None, 3]), tf.int32, 1'),
                              ([3, None], '[None, 3, None]), tf.int32, 2'),
                              ([None, None], '[None, None, None]), tf.int32, 2')):
            dataset = tf.data.Dataset.from_generator(lambda: iter([]), output_signature=tf.TensorSpec(shape, tf.int32))
            self.assertEqual(repr(dataset.ragged_batch(2).element_spec),
                             f'RaggedTensorSpec(TensorShape({wanted}, tf.int64)')
        growing = tf.data.Dataset.range(4).map(tf.range)
        self.assertEqual(lists(growing.ragged_batch(2)), [[[], [0]], [[0, 1], [0, 1, 2]]])
        self.assertEqual(lists(growing.apply(tf.data.experimental.dense_to_ragged_batch(3, True))), [[[], [0], [0, 1]]])
        pairs = tf.data.Dataset.range(1, 4).map(lambda i: tf.reshape(tf.range(i * 2), [2, i]))
        self.assertEqual(lists(pairs.ragged_batch(2)), [[[[0], [1]], [[0, 1], [2, 3]]], [[[0, 1, 2], [3, 4, 5]]]])
        self.assertEqual(lists(tf.data.Dataset.range(3).ragged_batch(2)), [[0, 1], [2]])


class Sparse(unittest.TestCase):
    def test_rows_and_batches(self):
        rows = tf.data.Dataset.from_tensor_slices(SPARSE)
        self.assertEqual(repr(rows.element_spec), 'SparseTensorSpec(TensorShape([2]), tf.int32)')
        self.assertEqual(lists(rows), [[0, 5], [0, 0], [6, 0]])
        self.assertEqual(lists(rows.batch(2)), [[[0, 5], [0, 0]], [[6, 0]]])
        self.assertEqual(lists(tf.data.Dataset.from_tensors(SPARSE).unbatch()), [[0, 5], [0, 0], [6, 0]])

    def test_the_largest_shape_counts(self):
        given = [tf.sparse.SparseTensor([[0]], [1], [2]), tf.sparse.SparseTensor([[0]], [1], [3])]
        dataset = tf.data.Dataset.from_generator(lambda: iter(given),
                                                 output_signature=tf.SparseTensorSpec([None], tf.int32))
        self.assertEqual(lists(dataset.batch(2)), [[[1, 0, 0], [1, 0, 0]]])

    def test_of_dense_elements(self):
        dense = tf.data.Dataset.from_tensor_slices([[0, 5], [6, 0]])
        made, = dense.sparse_batch(2, [3])
        self.assertEqual(made.indices.numpy().tolist(), [[0, 0], [0, 1], [1, 0], [1, 1]])
        self.assertEqual(made.values.numpy().tolist(), [0, 5, 6, 0])
        self.assertEqual(made.dense_shape.numpy().tolist(), [2, 3])
        with self.assertRaisesRegex(tf.errors.OpError, 'larger than the row shape'):
            list(dense.sparse_batch(2, [1]))


class Resampled(unittest.TestCase):
    def test_classes_as_wanted(self):
        given = tf.data.Dataset.from_tensor_slices([0] * 9 + [1]).repeat(200)
        for initial in (None, [0.9, 0.1]):
            kept = given.rejection_resample(lambda x: x, [0.5, 0.5], initial_dist=initial, seed=1)
            pairs = [(int(found), int(x)) for found, x in kept.take(300)]
            self.assertTrue(all(found == x for found, x in pairs))
            self.assertTrue(0.4 < sum(x for _, x in pairs) / len(pairs) < 0.6)
