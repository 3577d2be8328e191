"""Loops whose variables change their shapes, traced and not. What TensorFlow gives is what Python gives."""
import unittest

import footlight as tf

options = tf.autograph.experimental


def grows(n):
    v = tf.constant([0, 0])
    i = 0
    while i < n:
        options.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
        v = tf.concat((v, [i]), 0)
        i += 1
    return v


def grows_over(elements):
    v = tf.constant([0, 0])
    for i in elements:
        options.set_loop_options(1, False, None, [(v, tf.TensorShape([None]))])
        v = tf.concat((v, [i]), 0)
    return v


def gets_a_shape_from_the_counter(n):
    i = 0
    while i < n:
        v = tf.range(i)
        i += 1
    return v


def sparse(n):
    v = tf.sparse.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 3])
    i = 0
    while i < n:
        options.set_loop_options(shape_invariants=[(v, tf.TensorShape(None))])
        v = tf.sparse.expand_dims(v)
        i += 1
    return v


def plain(value):
    if isinstance(value, tf.sparse.SparseTensor):
        return [plain(part) for part in (value.indices, value.values, value.dense_shape)]
    return value.numpy().tolist()


class Shapes(unittest.TestCase):
    def agree(self, f, *arguments):
        for argument in arguments:
            with self.subTest(f.__name__, argument=argument):
                self.assertEqual(plain(tf.function(f)(argument)), plain(f(argument)))

    def test_counted(self):
        self.agree(grows, *[kind(n) for n in (0, 1, 2, 5) for kind in (int, tf.constant)])
        self.agree(sparse, *[kind(n) for n in (0, 1, 2) for kind in (int, tf.constant)])

    def test_elements_of_another_dtype_in_a_list(self):
        self.agree(grows_over, *[kind(n) for n in (0, 1, 2) for kind in (range, tf.range, tf.data.Dataset.range)])

    def test_a_variable_of_the_loop(self):
        self.agree(gets_a_shape_from_the_counter, tf.constant(1), tf.constant(3), 2)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.function(gets_a_shape_from_the_counter)(tf.constant(0))

    def test_where_a_leaked_tensor_was_made(self):
        kept = []

        @tf.function
        def leaks(x):
            kept.append(x * 2.)
            return x
        leaks(tf.constant(1.))
        line = leaks.python_function.__code__.co_firstlineno + 2
        with self.assertRaisesRegex(TypeError, f'File ".*test_shapes.py", line {line}, in .*leaks'):
            kept[0] + 1.

    def test_the_line_of_a_failing_node(self):
        @tf.function
        def picks(x, i):
            return tf.gather(x, i)
        line = picks.python_function.__code__.co_firstlineno + 2
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'File ".*test_shapes.py", line {line}, in .*picks'):
            picks(tf.constant([1, 2]), tf.constant(9))

    def test_loops_over_rows_of_ragged_tensors(self):
        def total(rows):
            s = 0
            for row in rows:
                if tf.size(row) > 2:
                    break
                s = s * 10 + tf.reduce_sum(row)
            return s
        ragged = tf.ragged.constant([[1], [2, 4], [], [3, 1, 1], [9]])
        deep = tf.ragged.constant([[[1], [1, 1]], [[2]]])
        for spec in (None, [tf.RaggedTensorSpec([None, None], tf.int32)]):
            f = tf.function(total, input_signature=spec)
            self.assertEqual(int(f(ragged)), 160)
            ops = [op.type for op in f.get_concrete_function(*([ragged] if spec is None else [])).graph.get_operations()]
            self.assertIn('StatelessWhile', ops)
            self.assertEqual(int(f(ragged[:0])), 0)

        @tf.function
        def first(rows):
            collected = tf.TensorArray(tf.int32, 0, dynamic_size=True)
            for row in rows:
                collected = collected.write(collected.size(), row[0][0])
            return collected.stack()
        self.assertEqual(first(deep).numpy().tolist(), [1, 2])
        self.assertEqual(total(ragged[:2]).numpy(), 16)  # without a trace it is a loop of Python
