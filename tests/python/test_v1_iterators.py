"""Iterators of graphs that operations start."""
import unittest

import footlight as tf

v1, Dataset = tf.compat.v1, tf.data.Dataset


def taken(session, element):
    found = []
    try:
        while True:
            found.append(int(session.run(element)))
    except tf.errors.OutOfRangeError:
        return found


class Iterators(unittest.TestCase):
    def test_one_iterator_over_several_datasets(self):
        with tf.Graph().as_default(), v1.Session() as session:
            iterator = v1.data.Iterator.from_structure(tf.int64, [])
            element = iterator.get_next()
            first, second = iterator.make_initializer(Dataset.range(2)), iterator.make_initializer(Dataset.range(5, 8))
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'has not been initialized'):
                session.run(element)
            found = []
            for start in (first, second, first):
                session.run(start)
                found.append(taken(session, element))
            self.assertEqual(found, [[0, 1], [5, 6, 7], [0, 1]])
            with self.assertRaisesRegex(ValueError, 'does not have an initializer'):
                iterator.initializer  # noqa: B018

    def test_datasets_that_do_not_fit(self):
        with self.assertRaises(TypeError):
            v1.data.Iterator.from_structure((tf.int64, tf.float64), [None])
        iterator = v1.data.Iterator.from_structure((tf.int64, tf.float64), ([None], []))
        with self.assertRaisesRegex(ValueError, 'same nested structure'):
            iterator.make_initializer(Dataset.from_tensors((([1],), [2.0])))
        with self.assertRaisesRegex(TypeError, r'Expected output types \(tf.int64, tf.float64\) but got dataset'):
            iterator.make_initializer(Dataset.from_tensors(([1], 2.0)))
        with self.assertRaisesRegex(TypeError, 'Expected output shapes compatible with'):
            iterator.make_initializer(Dataset.from_tensors((tf.constant([1], tf.int64), tf.constant([2.0], tf.float64))))

    def test_names_of_iterators_are_fed(self):
        with tf.Graph().as_default(), v1.Session() as session:
            first, second = (Dataset.range(*ends).make_one_shot_iterator() for ends in ((1, 4), (10, 13)))
            name = v1.placeholder(tf.string, [])
            element = v1.data.Iterator.from_string_handle(name, tf.int64, []).get_next()
            names = session.run([first.string_handle(), second.string_handle()])
            found = [int(session.run(element, {name: names[k]})) for k in (1, 0, 1, 0, 0)]
            self.assertEqual(found, [10, 1, 11, 2, 3])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(element, {name: names[0]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'no iterator has this name'):
                session.run(element, {name: 'footlight iterator 0'})

    def test_members_of_datasets(self):
        with tf.Graph().as_default(), v1.Session() as session:
            once = Dataset.range(3).make_one_shot_iterator()
            self.assertIsInstance(once, v1.data.Iterator)
            self.assertEqual(taken(session, once.get_next()), [0, 1, 2])
            often = v1.data.Dataset.range(2).make_initializable_iterator()
            element, found = often.get_next(), []
            for _ in range(2):
                session.run(often.initializer)
                found.append(taken(session, element))
            self.assertEqual(found, [[0, 1], [0, 1]])
        self.assertEqual([int(x) for x in v1.data.make_one_shot_iterator(Dataset.range(3))], [0, 1, 2])
