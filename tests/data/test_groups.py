"""tf.data: stages that group, split and choose elements. The expected values are TensorFlow's."""
import os
import tempfile
import unittest

import footlight as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [x.tolist() if hasattr(x, 'tolist') else x for x in dataset.as_numpy_iterator()]


def ragged(*lengths):
    def rows():
        for n in lengths:
            yield [n] * n
    return Dataset.from_generator(rows, output_signature=tf.TensorSpec([None], tf.int32))


class Groups(unittest.TestCase):
    def test_interleave(self):
        def several(x):
            return Dataset.from_tensors(x).repeat(x + 1)
        wanted = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
        self.assertEqual(values(Dataset.range(4).interleave(several, cycle_length=2, block_length=2)), wanted)
        self.assertEqual(values(Dataset.range(4).interleave(several, cycle_length=2, block_length=2,
                                                            num_parallel_calls=2)), wanted)

    def test_padded_batch(self):
        rows = Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
        self.assertEqual(values(rows.padded_batch(2)), [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]])
        pairs = Dataset.range(1, 3).map(lambda x: (tf.fill([x, 2], x), x))
        batch, numbers = next(pairs.padded_batch(2, ([3, None], []), (tf.constant(-1, tf.int64), None)
                                                 ).as_numpy_iterator())
        self.assertEqual(batch.tolist(), [[[1, 1], [-1, -1], [-1, -1]], [[2, 2], [2, 2], [-1, -1]]])
        self.assertEqual(numbers.tolist(), [1, 2])
        with self.assertRaisesRegex(tf.errors.DataLossError, 'smaller size'):
            list(rows.padded_batch(4, [2]))

    def test_unbatch_and_rebatch(self):
        self.assertEqual(values(Dataset.range(7).batch(3).unbatch()), list(range(7)))
        self.assertEqual(values(Dataset.range(7).batch(3).rebatch(2)), [[0, 1], [2, 3], [4, 5], [6]])
        self.assertEqual(values(Dataset.range(7).batch(3).rebatch(2, drop_remainder=True)), [[0, 1], [2, 3], [4, 5]])
        self.assertEqual(values(Dataset.range(10).batch(4).rebatch([2, 1])),
                         [[0, 1], [2], [3, 4], [5], [6, 7], [8], [9]])

    def test_window(self):
        def windows(*args, **more):
            return [values(w) for w in Dataset.range(7).window(*args, **more)]
        self.assertEqual(windows(3, 2), [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6]])
        self.assertEqual(windows(3, shift=1, stride=2, drop_remainder=True), [[0, 2, 4], [1, 3, 5], [2, 4, 6]])
        flat = Dataset.range(4).window(2, 1, drop_remainder=True).flat_map(lambda w: w.batch(2))
        self.assertEqual(values(flat), [[0, 1], [1, 2], [2, 3]])
        pairs = Dataset.zip((Dataset.range(3), Dataset.range(5, 8))).window(2)
        self.assertEqual([(values(a), values(b)) for a, b in pairs], [([0, 1], [5, 6]), ([2], [7])])

    def test_windows_of_sources(self):
        x = tf.range(7)
        windows = Dataset.from_tensor_slices(x).window(3)
        self.assertEqual([values(w) for w in windows], [[0, 1, 2], [3, 4, 5], [6]])
        self.assertEqual(values(windows.flat_map(lambda w: w.batch(3))), [[0, 1, 2], [3, 4, 5], [6]])
        self.assertEqual([values(w) for w in Dataset.from_tensors(x).window(2)], [[[0, 1, 2, 3, 4, 5, 6]]])
        pairs = Dataset.from_tensor_slices(([1, 2, 3], {'k': ['a', 'b', 'c']})).window(2)
        self.assertEqual([(values(a), values(b['k'])) for a, b in pairs], [([1, 2], [b'a', b'b']), ([3], [b'c'])])

    def test_windows_of_composites(self):
        rows = Dataset.from_tensor_slices((tf.ragged.constant([[[1]], [[], [2, 3]], [[4]]]), [7, 8, 9])).window(2)
        found = [([r.to_list() for r in a], values(b)) for a, b in rows]
        self.assertEqual(found, [([[[1]], [[], [2, 3]]], [7, 8]), ([[[4]]], [9])])
        batches = rows.flat_map(lambda a, b: Dataset.zip((a, b)).batch(2))
        self.assertEqual([(a.to_list(), b.numpy().tolist()) for a, b in batches],
                         [([[[1]], [[], [2, 3]]], [7, 8]), ([[[4]]], [9])])
        sparse = Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0], [3, 4]])).window(2)
        self.assertEqual([[tf.sparse.to_dense(s).numpy().tolist() for s in w] for w in sparse],
                         [[[0, 1], [2, 0]], [[3, 4]]])

    def test_remainder_of_other_shapes(self):
        batches = Dataset.range(5).batch(2, num_parallel_calls=2).batch(2)
        self.assertEqual(values(batches.take(1)), [[[0, 1], [2, 3]]])
        self.assertEqual(values(Dataset.range(3).batch(2).batch(3, drop_remainder=True)), [])

    def test_cardinality_of_unknown_inputs(self):
        unknown, endless = Dataset.range(5).filter(lambda x: x > 2), Dataset.range(5).repeat()
        made = unknown.repeat(), unknown.take(0), unknown.skip(-1), endless.skip(-1), endless.take(0)
        self.assertEqual([int(d.cardinality()) for d in made], [-1, -2, -2, -1, 0])
        woven = [endless.interleave(Dataset.range, num_parallel_calls=threads) for threads in (None, 2)]
        self.assertEqual([int(d.cardinality()) for d in woven], [-2, -1])

    def test_group_by_window_and_buckets(self):
        grouped = Dataset.range(10).group_by_window(lambda x: x % 2, lambda key, d: d.batch(3), window_size=3)
        self.assertEqual(values(grouped), [[0, 2, 4], [1, 3, 5], [6, 8], [7, 9]])
        rows = ragged(1, 2, 3, 4, 5, 6, 2)
        found = rows.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2, 2])
        self.assertEqual(values(found), [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]],
                                         [[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]], [[2, 2]]])
        wide = ragged(1, 3).bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [1, 1, 1],
                                                      pad_to_bucket_boundary=True)
        self.assertEqual(values(wide), [[[1, 0]], [[3, 3, 3, 0, 0]]])

    def test_take_while_scan_unique_shard(self):
        self.assertEqual(values(Dataset.range(9).take_while(lambda x: x < 3)), [0, 1, 2])
        sums = Dataset.range(5).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        self.assertEqual(values(sums), [0, 1, 3, 6, 10])
        self.assertEqual(values(Dataset.from_tensor_slices(['a', 'b', 'a']).unique()), [b'a', b'b'])
        self.assertEqual(values(Dataset.range(10).shard(3, 1)), [1, 4, 7])
        self.assertEqual(len(Dataset.range(10).shard(3, 0)), 4)
        self.assertEqual(values(Dataset.counter(3, 2).take(3)), [3, 5, 7])

    def test_choices(self):
        zeros, ones = Dataset.from_tensors(0).repeat(3), Dataset.from_tensors(1).repeat(2)
        self.assertEqual(values(Dataset.choose_from_datasets([zeros, ones], Dataset.range(2).repeat(3))),
                         [0, 1, 0, 1, 0])
        tf.random.set_seed(11)
        self.assertEqual(values(Dataset.random(seed=4).take(3)), RANDOM)
        drawn = Dataset.sample_from_datasets([Dataset.from_tensors(i).repeat(10) for i in range(2)], [.3, .7], seed=7)
        self.assertEqual(values(drawn.take(10)), DRAWN)

    def test_single_elements_and_errors(self):
        self.assertEqual(int(Dataset.range(1).get_single_element()), 0)
        for count in (0, 2):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                Dataset.range(count).get_single_element()
        good = Dataset.from_tensor_slices([1., 0., 2.]).map(lambda x: tf.debugging.check_numerics(1. / x, 'no'))
        self.assertEqual(values(good.ignore_errors()), [1., .5])
        with tempfile.TemporaryFile() as said:
            before = os.dup(2)
            os.dup2(said.fileno(), 2)
            try:
                self.assertEqual(values(good.ignore_errors(log_warning=True)), [1., .5])
            finally:
                os.dup2(before, 2)
                os.close(before)
            said.seek(0)
            self.assertIn(b'Left out an element that could not be made', said.read())
        counted = Dataset.range(3).apply(tf.data.experimental.assert_cardinality(4))
        self.assertEqual(len(counted), 4)
        with self.assertRaises(tf.errors.FailedPreconditionError):
            list(counted)
        self.assertEqual([[int(x) for x in window] for window in counted.window(2)], [[0, 1], [2]])  # a window ends there
        short = Dataset.range(3).apply(tf.data.experimental.assert_cardinality(1)).window(2)
        with self.assertRaises(tf.errors.FailedPreconditionError):
            list(short)


RANDOM, DRAWN = [2639692443, 1150983325, 2086880477], [1, 1, 1, 1, 1, 1, 1, 0, 0, 1]
