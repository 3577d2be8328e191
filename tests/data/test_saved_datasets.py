"""Datasets as attributes of objects: a SavedModel and a checkpoint of such an object."""
import os

import footlight as tf
from folder_case import FolderCase

D = tf.data.Dataset
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'savedmodel')
ZERO = tf.constant(0, tf.int64)


class Sums(tf.Module):
    def __init__(self, dataset):
        super().__init__()
        self.dataset = dataset

    @tf.function(input_signature=[])
    def total(self):
        total = ZERO
        for element in self.dataset:
            total += element
        return total

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def scaled(self, scale):
        return self.dataset.batch(2).map(lambda x: x * scale).reduce(ZERO, lambda a, b: a + tf.reduce_sum(b))


class Saved(FolderCase):
    def loaded(self, obj, name='m'):
        path = os.path.join(self.folder, name)
        tf.saved_model.save(obj, path)
        return tf.saved_model.load(path)

    def test_pipelines(self):
        two = D.range(5), D.range(3, 9)
        for dataset, total in (
                (D.range(5).map(lambda x: x * 2), 20),
                (D.range(5).shuffle(3).cache().repeat(2).prefetch(2), 20),
                (D.from_tensor_slices(tf.constant([1, 2, 3], tf.int64)).interleave(D.range, num_parallel_calls=2), 4),
                (D.zip(two).map(lambda a, b: a * b).filter(lambda x: x > 5).take(2), 28),
                (D.range(9).window(2).flat_map(lambda w: w.batch(2)).map(tf.reduce_sum), 36),
                (two[0].concatenate(two[0]).padded_batch(3).unbatch().skip(1), 20),
                (D.range(5).scan(ZERO, lambda s, x: (s + x, s + x)).take_while(lambda x: x < 8), 10)):
            first = self.loaded(Sums(dataset))
            again = self.loaded(first, 'again')
            self.assertEqual([int(m.total()) for m in (first, again)], [total] * 2)
            self.assertEqual([int(m.scaled(ZERO + 3)) for m in (first, again)], [3 * total] * 2)
            self.assertTrue(hasattr(again, 'dataset'))

    def test_functions_that_use_variables_and_tables(self):
        scale = tf.Variable(3, dtype=tf.int64)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
            tf.constant([0, 1], tf.int64), tf.constant([5, 6], tf.int64)), -1)
        saved = Sums(D.range(3).map(lambda x: table.lookup(x) * scale))
        with self.assertRaisesRegex(AssertionError, 'untracked'):
            self.loaded(saved)
        saved.scale, saved.table = scale, table
        loaded = self.loaded(saved)
        self.assertEqual(int(loaded.total()), 30)
        loaded.scale.assign(1)
        self.assertEqual((int(loaded.total()), int(saved.total())), (10, 30))

    def test_a_generator_is_refused(self):
        dataset = D.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int64))
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'dataset.save'):
            self.loaded(Sums(dataset))

    def test_a_file_of_tensorflow(self):
        loaded = tf.saved_model.load(os.path.join(GOLDEN, 'dataset'))
        self.assertEqual(int(loaded.total(tf.constant(2, tf.int64))), 60)

    def test_checkpoints_have_nothing_of_them(self):
        checkpoint = tf.train.Checkpoint(m=Sums(D.range(3)))
        path = checkpoint.save(os.path.join(self.folder, 'c'))
        self.assertEqual([name.split('/')[0] for name, _ in tf.train.list_variables(path)],
                         ['_CHECKPOINTABLE_OBJECT_GRAPH', 'save_counter'])
        checkpoint.restore(path).assert_consumed()
