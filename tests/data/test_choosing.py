"""Datasets chosen from several, elements left out by their class, and what the rows of elements of several tensors are."""
import gzip
import unittest
import zlib

import numpy as np

import footlight as tf
from folder_case import FolderCase

Dataset, v1 = tf.data.Dataset, tf.compat.v1


def numbers(dataset):
    return [int(element) for element in dataset]


class Choosing(unittest.TestCase):
    def test_classes_are_distributed_as_wanted(self):
        drawn = np.random.RandomState(0).randint(5, size=10000)
        for initial in ([0.2] * 5, None):
            kept = Dataset.from_tensor_slices(drawn).shuffle(200, seed=21).map(lambda c: (c, tf.strings.as_string(c))).repeat().rejection_resample(
                lambda c, text: c, [0.9, 0.05, 0.05, 0.0, 0.0], initial, seed=27)
            found = [(int(c), int(pair[1].numpy())) for c, pair in kept.take(2000)]
            self.assertTrue(all(a == b for a, b in found))
            counts = np.bincount([a for a, _ in found], minlength=5) / 2000
            np.testing.assert_allclose(counts, [0.9, 0.05, 0.05, 0, 0], atol=0.03)

    def test_what_is_left_as_it_is(self):
        given = Dataset.range(10)
        kept = given.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5])
        self.assertEqual([(int(a), int(b)) for a, b in kept], [(x % 2, x) for x in range(10)])

    def test_weights_of_zero(self):
        low, high = Dataset.range(3), Dataset.range(10, 14)
        self.assertEqual(numbers(Dataset.sample_from_datasets([low, high], [0.0, 1.0])), [10, 11, 12, 13])
        self.assertEqual(len(Dataset.sample_from_datasets([low, high], [0.0, 1.0])), 4)
        with self.assertRaisesRegex(ValueError, 'At least one of `weights` should be positive'):
            Dataset.sample_from_datasets([low, high], [0.0, 0.0])
        mixed = Dataset.sample_from_datasets([low, high, low], [0.5, 0.0, 0.5], seed=1)
        self.assertEqual(sorted(numbers(mixed)), [0, 0, 1, 1, 2, 2])

    def test_turns_of_interleaved_datasets(self):
        made = Dataset.range(2, 4).interleave(lambda x: Dataset.from_tensors(x).repeat(x), num_parallel_calls=1)
        self.assertEqual(numbers(made), [2, 2, 3, 3, 3])  # one call at once: one dataset after the other


    def test_counts_of_what_is_chosen(self):
        few, endless, numbers_ = Dataset.range(3), Dataset.range(3).repeat(), Dataset.range(2)
        counts = [int(Dataset.choose_from_datasets(pair, numbers_, stop).cardinality())
                  for pair in ([few, few], [few, endless], [endless, endless]) for stop in (True, False)]
        self.assertEqual(counts, [-2, -2, -1, -1, -1, -1])
        self.assertEqual(int(Dataset.range(0).filter(lambda x: x > 0).cardinality()), -2)
        grouped = [int(one.group_by_window(lambda x: x % 2, lambda key, group: group.batch(2), 2).cardinality())
                   for one in (few, endless)]
        self.assertEqual(grouped, [-2, -1])

    def test_functions_do_not_end_a_dataset(self):
        def ends(x):
            raise StopIteration
        for made in (Dataset.range(2).map(lambda x: tf.numpy_function(ends, [x], tf.int64)),
                     Dataset.range(2).map(lambda x: tf.numpy_function(ends, [x], tf.int64), num_parallel_calls=2),
                     Dataset.range(2).scan(0, lambda s, x: (s, tf.numpy_function(ends, [x], tf.int64)))):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Function invocation produced OutOfRangeError'):
                list(made)


class Parts(unittest.TestCase):
    def test_values_of_sparse_and_ragged_tensors(self):
        sparse = v1.SparseTensorValue(np.array([[0, 0], [1, 1]]), np.array([1.0, 2.0]), np.array([2, 3]))
        ragged = v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 1, 3]))
        dataset = Dataset.from_tensors({'a': [1], 'sparse': sparse, 'ragged': ragged})
        self.assertEqual(dataset.element_spec['sparse'], tf.SparseTensorSpec([2, 3], tf.float64))
        found = next(iter(dataset))
        self.assertEqual(tf.sparse.to_dense(found['sparse']).numpy().tolist(), [[1, 0, 0], [0, 2, 0]])
        self.assertEqual(found['ragged'].to_list(), [[1], [2, 3]])
        rows = list(Dataset.from_tensor_slices(sparse))
        self.assertEqual([tf.sparse.to_dense(row).numpy().tolist() for row in rows], [[1, 0, 0], [0, 2, 0]])

    def test_sparse_tensors_of_parts_without_a_shape(self):
        def parts():
            for n in range(1, 8):
                yield {'values': list(range(n)), 'indices': [[k] for k in range(n)], 'dense_shape': (n,)}
        types = {'values': tf.int64, 'indices': tf.int64, 'dense_shape': tf.int64}
        with tf.Graph().as_default(), v1.Session() as session:
            dataset = Dataset.from_generator(parts, types).map(lambda r: tf.SparseTensor(**r))
            dataset = dataset.bucket_by_sequence_length(lambda t: tf.shape(t.values)[0], [4, 7], [2] * 3, no_padding=True)
            element, found = dataset.make_one_shot_iterator().get_next(), []
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(element).dense_shape.tolist())
        self.assertEqual(found, [[2, 2], [2, 5], [1, 3], [1, 6], [1, 7]])

    def test_counts_of_rows(self):
        sparse, ragged = tf.sparse.from_dense([[1, 0], [0, 2]]), tf.ragged.constant([[1], [2, 3]])
        counts = [int(Dataset.from_tensors(one).repeat(2).unbatch().cardinality()) for one in (
            ragged, (sparse, [1, 2]), ([1, 2], ragged), sparse)]
        self.assertEqual(counts, [4, 4, 4, -2])
        endless = Dataset.from_tensors(sparse).repeat()
        self.assertEqual([int(one.cardinality()) for one in (endless.unbatch(), endless.rebatch(3))], [-1, -2])

    def test_padding_to_what_is_longest(self):
        filled = Dataset.range(3).map(lambda x: tf.fill([x], x))
        for shape in ([-1], [None], np.array([-1]), (-1,)):
            batch, = filled.padded_batch(3, shape) if not isinstance(shape, tuple) else filled.padded_batch(3, list(shape))
            self.assertEqual(batch.numpy().tolist(), [[0, 0], [1, 0], [2, 2]])
        with self.assertRaisesRegex(ValueError, 'not compatible'):
            filled.padded_batch(3, tf.constant([-1, -1], tf.int64))

    def test_arrays_of_iterators_cannot_be_written(self):
        array = next(Dataset.from_tensors(np.arange(3.0)).as_numpy_iterator())
        with self.assertRaisesRegex(ValueError, 'read-only'):
            array[0] = 1

    def test_types_of_datasets(self):
        narrow, wide = (tf.data.DatasetSpec(tf.TensorSpec(shape, tf.int32), own) for shape, own in (
            ([1, None], [5, None]), ([None, None], [None, None])))
        self.assertTrue(narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow))
        other = tf.data.DatasetSpec(tf.TensorSpec([2, 3], tf.int32), [4, 3])
        self.assertEqual(narrow.most_specific_common_supertype([other]), wide)
        nothing = tf.data.DatasetSpec({'a': None})
        self.assertEqual(nothing.most_specific_common_supertype([nothing]), nothing)
        self.assertFalse(tf.data.DatasetSpec({'a': tf.TensorSpec([], tf.int32)}).is_subtype_of(
            tf.data.DatasetSpec({'b': tf.TensorSpec([], tf.int32)})))


class Files(FolderCase):
    def test_saving_in_functions_and_graphs(self):
        @tf.function
        def save(count):
            Dataset.range(count).save(self.folder + '/function')
        for count in (5, 3):
            save(tf.constant(count, tf.int64))
            found = Dataset.load(self.folder + '/function')
            self.assertEqual((numbers(found), len(found)), (list(range(count)), count))
        with tf.Graph().as_default(), v1.Session() as session:
            session.run(Dataset.range(7).save(self.folder + '/graph', shard_func=lambda x: x % 2))
        found = Dataset.load(self.folder + '/graph')
        self.assertEqual((sorted(numbers(found)), len(found)), (list(range(7)), 7))

    def test_columns_of_compressed_files(self):
        text = b'a,b\n1,x\n2,y\n' + b''.join(b'%d,z\n' % k for k in range(30000))
        for kind, packed in (('GZIP', gzip.compress(text)), ('ZLIB', zlib.compress(text))):
            path = self.path(kind)
            with open(path, 'wb') as file:
                file.write(packed)
            batch = next(iter(tf.data.experimental.make_csv_dataset(
                path, 2, compression_type=kind, shuffle=False, num_epochs=1)))
            self.assertEqual((batch['a'].numpy().tolist(), batch['b'].numpy().tolist()), ([1, 2], [b'x', b'y']))
        with self.assertRaisesRegex(ValueError, 'compression_type must be'):
            tf.data.experimental.make_csv_dataset(path, 2, compression_type='BZ2')
