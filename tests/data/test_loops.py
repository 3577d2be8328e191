"""Loops over datasets and iterators in traced functions: reduced, or run by an iterator; Python's builtins on datasets."""
import unittest

import footlight as tf

Dataset = tf.data.Dataset


class Loops(unittest.TestCase):
    def test_a_whole_dataset_is_reduced(self):
        traces = []

        @tf.function
        def total(dataset):
            traces.append(1)
            s = tf.constant(0, tf.int64)
            for x in dataset:
                if x == 2:
                    continue
                s += x
            return s
        self.assertEqual([int(total(Dataset.range(n))) for n in (0, 3, 5)], [0, 1, 8])
        ops = {op.type for op in total.get_concrete_function(Dataset.range(3)).graph.get_operations()}
        self.assertIn('ReduceDataset', ops)
        self.assertNotIn('While', ops)

        @tf.function
        def grows(dataset):
            s = tf.constant([0], tf.int64)
            for x in dataset:
                s = tf.concat([s, [x]], 0)
            return s
        self.assertEqual(grows(Dataset.range(3)).numpy().tolist(), [0, 0, 1, 2])

    def test_break_return_else_and_what_is_undefined_before(self):
        @tf.function
        def breaks(n):
            s = tf.constant(0, tf.int64)
            for i, (x, y) in enumerate(zip(Dataset.range(n), Dataset.range(10, 20))):
                if x > 3:
                    break
                s += x * y + tf.cast(i, tf.int64)
            else:
                s = -s
            return s
        self.assertEqual([int(breaks(tf.constant(n, tf.int64))) for n in (3, 9)], [-38, 80])

        @tf.function
        def returns(dataset):
            for x in dataset:
                if x > 2:
                    return x * 100
            return tf.constant(-1, tf.int64)
        self.assertEqual([int(returns(Dataset.range(n))) for n in (9, 2)], [300, -1])

        @tf.function
        def undefined(dataset):
            for x in dataset:
                y = x * 2
            return y
        self.assertEqual(int(undefined(Dataset.range(4))), 6)

    def test_lists_arrays_and_variables(self):
        @tf.function
        def collects(dataset):
            out = []
            for x in dataset:
                out.append(x)
            return out
        self.assertEqual(collects(Dataset.range(3)).numpy().tolist(), [0, 1, 2])

        @tf.function
        def writes(dataset):
            array = tf.TensorArray(tf.int64, 0, dynamic_size=True)
            i = 0
            for x in dataset:
                array = array.write(i, x)
                i += 1
            return array.stack()
        self.assertEqual(writes(Dataset.range(3)).numpy().tolist(), [0, 1, 2])
        v = tf.Variable(1.)

        @tf.function
        def train(dataset):
            for x in dataset:
                with tf.GradientTape() as tape:
                    loss = v * x
                v.assign_sub(0.1 * tape.gradient(loss, v))
        train(Dataset.from_tensor_slices([1., 2., 3.]))
        self.assertAlmostEqual(float(v), 0.4, places=5)

    def test_a_break_leaves_the_rest_in_the_iterator(self):
        @tf.function
        def first_after(iterator):
            for x in iterator:
                if x == 2:
                    break
            return next(iterator)
        iterator = iter(Dataset.range(9))
        self.assertEqual(int(first_after(iterator)), 3)
        self.assertEqual(int(next(iterator)), 4)

    def test_a_captured_iterator_goes_on(self):
        iterator = iter(Dataset.range(5))

        @tf.function
        def step():
            return next(iterator)
        self.assertEqual([int(step()), int(step()), int(next(iterator)), int(step())], [0, 1, 2, 3])

    def test_builtins(self):
        @tf.function
        def f(dataset):
            s = tf.constant(0, tf.int64)
            for x in filter(lambda v: v > 2, map(lambda v: v * 2, dataset)):
                s += x
            iterator = iter(dataset.take(1))
            return len(dataset), s, next(iterator), next(iterator, tf.constant(-5, tf.int64)), any(
                dataset.map(lambda v: v > 2)), all(dataset.map(lambda v: v > 2))
        self.assertEqual([int(v) for v in f(Dataset.range(4))], [4, 10, 0, -5, 1, 0])

    def test_errors_name_the_line(self):
        @tf.function
        def f(dataset):
            for x in dataset:
                tf.debugging.assert_less(x, tf.constant(2, tf.int64))
        line = f.python_function.__code__.co_firstlineno + 3
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'test_loops.py", line {line},'):
            f(Dataset.range(4))
