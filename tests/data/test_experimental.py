"""tf.data.experimental; the expected values were recorded from TensorFlow 2.21."""

import footlight as tf
from folder_case import FolderCase

experimental = tf.data.experimental


def numbers(dataset):
    return [int(element) for element in dataset]


class Experimental(FolderCase):
    def test_one_element(self):
        dataset = tf.data.Dataset.range(5)
        self.assertEqual(int(experimental.at(dataset, 2)), 2)
        for index in (9, -1, 5):
            with self.assertRaisesRegex(tf.errors.OutOfRangeError, rf'Index out of range \[0, 5\):{index}'):
                experimental.at(dataset, index)

        dataset = tf.data.Dataset.range(3).filter(lambda x: x > 0)
        with self.assertRaises(tf.errors.OutOfRangeError):
            experimental.at(dataset, 2)
        found = tf.function(lambda k: experimental.at(dataset, k))
        self.assertEqual(int(found(1)), 2)
        with self.assertRaises(tf.errors.OutOfRangeError):
            found(tf.constant(4, tf.int64))
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            dataset = tf.data.Dataset.range(3).filter(lambda x: x > 0)
            element = experimental.at(dataset, 1)
            self.assertEqual([session.run(element) for _ in range(2)], [2, 2])
            for outside in (4, -1):
                with self.assertRaises(tf.errors.OutOfRangeError):
                    session.run(experimental.at(dataset, outside))
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            dataset = tf.data.Dataset.range(3).filter(lambda x: x > 0)
            self.assertEqual(session.run(experimental.at(dataset, 1)), 2)
            with self.assertRaisesRegex(tf.errors.OutOfRangeError, r'Index out of range \[0, 2\):4'):
                session.run(experimental.at(dataset, 4))

    def test_lists(self):
        self.assertEqual(numbers(experimental.from_list(list(range(7)))), list(range(7)))
        pairs = experimental.from_list([(1, 'a'), (2, 'b')])
        self.assertEqual([(int(a), b.numpy()) for a, b in pairs], [(1, b'a'), (2, b'b')])
        self.assertEqual(experimental.from_list([[1], [1, 2]]).element_spec, tf.TensorSpec([None], tf.int32))
        self.assertEqual(len(experimental.from_list([1, 2, 3])), 3)
        for wrong in ([], 3):
            with self.assertRaisesRegex(ValueError, 'Invalid `elements`'):
                experimental.from_list(wrong)

    def test_variants(self):
        variant = experimental.to_variant(tf.data.Dataset.range(3))
        self.assertEqual((variant.dtype, variant.shape), (tf.variant, []))
        self.assertEqual(numbers(experimental.from_variant(variant, tf.TensorSpec([], tf.int64))), [0, 1, 2])

    def test_groups(self):
        reducer = experimental.Reducer(lambda key: tf.constant(0, tf.int64), lambda state, x: state + x,
                                       lambda state: state * 10)
        grouped = tf.data.Dataset.range(5).apply(experimental.group_by_reducer(lambda x: x % 2, reducer))
        self.assertEqual(numbers(grouped), [60, 40])

    def test_padding(self):
        dataset = tf.data.Dataset.from_tensor_slices({'a': [1, 2]})
        padded = dataset.apply(experimental.pad_to_cardinality(3))
        self.assertEqual([(int(e['a']), bool(e['valid'])) for e in padded], [(1, True), (2, True), (0, False)])
        with self.assertRaisesRegex(ValueError, 'less than the target'):
            dataset.apply(experimental.pad_to_cardinality(1))
        with self.assertRaisesRegex(ValueError, 'dictionary'):
            tf.data.Dataset.range(2).apply(experimental.pad_to_cardinality(3))

    def test_records(self):
        path = self.path('x.tfrecord')
        writer = experimental.TFRecordWriter(path)
        writer.write(tf.data.Dataset.from_tensor_slices(['a', 'b']))
        self.assertEqual([r.numpy() for r in tf.data.TFRecordDataset(path)], [b'a', b'b'])
        with self.assertRaises(TypeError):
            writer.write(tf.data.Dataset.range(2))

    def test_numpy_iterator(self):
        found = tf.data.NumpyIterator(tf.data.Dataset.range(2))
        self.assertEqual((found.next(), next(found), list(found)), (0, 1, []))
        self.assertIsInstance(tf.data.Dataset.range(2).as_numpy_iterator(), tf.data.NumpyIterator)
        iterator = iter(tf.data.Dataset.range(1))
        self.assertEqual(int(experimental.get_next_as_optional(iterator).get_value()), 0)
        self.assertFalse(bool(experimental.get_next_as_optional(iterator).has_value()))
