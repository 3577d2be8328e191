#!/usr/bin/env python3
"""Branches and loops: their names, what is known of values from outside, collections, gradients of gradients, and
tensors that an op gives back as it got them."""
import unittest

import numpy as np

import footlight as tf
from derivatives import gradient


def gradient_of(f):
    return lambda x: gradient(f, x)


def in_both(f, *args):
    """The result outside of a trace and inside of one, as lists."""
    return [tf.nest.map_structure(lambda t: None if t is None else t.numpy().tolist(), run(*args))
            for run in (f, tf.function(f))]


class Graphs(unittest.TestCase):
    def test_names_that_are_given(self):
        @tf.function
        def f(x):
            a = tf.cond(x > 0., lambda: x, lambda: -x, name='choose')
            with tf.name_scope('inner'):
                b = tf.cond(x > 0., lambda: x, lambda: -x, name='')
            return a, b, tf.while_loop(lambda i: i < 3., lambda i: [i + 1.], [x], name='count')
        names = [op.name for op in f.get_concrete_function(tf.constant(1.)).graph.get_operations()]
        for name in ('choose', 'inner/cond', 'count'):
            self.assertIn(name, names)

    def test_whether_a_graph_is_a_branch_s(self):
        seen = []

        def note(x):
            graph = tf.compat.v1.get_default_graph()
            seen.append((graph.is_control_flow_graph, not graph.outer_graph.building_function))
            return x

        @tf.function
        def f(x):
            note(x)
            tf.while_loop(lambda i: note(i) < 1, lambda i: [note(i) + 1], [0])
            return tf.cond(x > 0., lambda: note(x), lambda: tf.function(note)(x))
        f(tf.constant(1.))
        self.assertEqual(seen, [(False, True), (True, False), (True, False), (True, False), (False, False)])

    def test_collections_of_branches_are_those_around(self):
        v1 = tf.compat.v1

        @tf.function
        def f(x):
            v1.add_to_collection('of f', 1)

            def branch():
                v1.add_to_collection('of f', 2)
                return tf.function(inner)(x)

            def inner(y):
                v1.add_to_collection('of f', 3)
                self.assertEqual(v1.get_collection('of f'), [1, 2, 3])
                return y
            result = tf.cond(x > 0., branch, lambda: x)
            self.assertEqual(v1.get_collection('of f'), [1, 2])
            return result
        f(tf.constant(1.))
        self.assertEqual(v1.get_collection('of f'), [])

    def test_what_is_captured_is_known_to_shapes(self):
        outside = tf.constant([3, 4])
        shapes = []

        @tf.function
        def f(x, unknown):
            inside = tf.constant([2, 6])

            def look():
                shapes.append([tf.zeros(outside).shape.as_list(), tf.reshape(x, inside).shape.as_list(),
                               tf.ones(tf.concat([[5], inside], 0)).shape.as_list(), tf.zeros(unknown).shape.as_list()])
                return x
            tf.while_loop(lambda i: i < 1, lambda i: (look(), [i + 1])[1], [0])
            return tf.cond(x[0] > 0., look, lambda: tf.function(look)())
        f(tf.zeros([12]), tf.constant([1, 1]))
        self.assertEqual(shapes, [[[3, 4], [2, 6], [5, 2, 6], [None, None]]] * 3)


class ManyValues(unittest.TestCase):
    def test_nodes_with_more_than_65536_of_them(self):
        n = 70000

        @tf.function(autograph=False)
        def joined(x):
            values = [x] * n + [x + 1.]
            return tf.stack(values), tf.add_n(values)

        @tf.function(autograph=False)
        def parts(x):
            each = tf.unstack(x)
            return each[0] + each[-1]
        x = tf.constant(2.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            stacked, total = joined(x)
        self.assertEqual((stacked.shape, float(stacked[-1]), float(total)), ([n + 1], 3., 2. * n + 3.))
        self.assertEqual(float(tape.gradient(stacked, x)), n + 1.)
        self.assertEqual(float(parts(tf.range(0., n + 1.))), n)


class Gradients(unittest.TestCase):
    def test_derivatives_of_a_loop_within_one_trace(self):
        def power(x):  # ** 4
            return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * y), [0, x])[1]
        f, wanted = power, [16., 32., 48., 48., 24.]
        for value in wanted:
            self.assertEqual(in_both(f, tf.constant(2.)), [value, value])
            f = gradient_of(f)

    def test_a_loop_with_a_list_within_one_trace(self):
        def f(x):
            def step(i, y, array):
                return i + 1, y * x, array.write(i, y)
            _, y, array = tf.while_loop(lambda i, *_: i < 3, step, [0, x, tf.TensorArray(tf.float32, 3)])
            return y + tf.reduce_sum(array.stack())  # x ** 4 + x + x ** 2 + x ** 3
        for value in (30., 49., 62., 54., 24.):
            self.assertEqual(in_both(f, tf.constant(2.)), [value, value])
            f = gradient_of(f)

    def test_none_through_loops_that_say_so(self):
        def f(x):
            made = [tf.while_loop(lambda v: v < 8., lambda v: [v * v], [x], back_prop=False)[0],
                    tf.foldl(lambda a, v: a * v, tf.stack([x, x]), back_prop=False),
                    tf.map_fn(lambda v: v * v, tf.stack([x, x]), back_prop=False)]
            return [gradient for y in made for gradient in tf.gradients(y, [x])]
        self.assertEqual(tf.function(f)(tf.constant(2.)), [None] * 3)

    def test_numeric_ones_by_a_scalar(self):
        theory, numeric = tf.test.compute_gradient(lambda x: x ** 3, [tf.constant(2.)])
        np.testing.assert_allclose(theory, [[[12.]]], rtol=1e-5)
        np.testing.assert_allclose(numeric, [[[12.]]], rtol=1e-3)

    def test_what_an_op_gives_back_is_another_tensor(self):
        def first_of_list(x):
            handle = tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=1, element_dtype=tf.float32)
            handle = tf.raw_ops.TensorListSetItem(input_handle=handle, index=0, item=x)
            return tf.raw_ops.TensorListGetItem(input_handle=handle, index=0, element_shape=[2],
                                                element_dtype=tf.float32)
        for give_back in (first_of_list, lambda x: tf.py_function(lambda v: v, [x], tf.float32),
                          lambda x: tf.experimental.Optional.from_value(x).get_value()):
            self.assertEqual(in_both(gradient_of(lambda x: give_back(x) * x), tf.constant([1., 3.])), [[2., 6.]] * 2)


class Invariants(unittest.TestCase):
    def test_of_what_consists_of_tensors(self):
        rows, sparse = tf.ragged.constant([[1]]), tf.sparse.from_dense([[0, 5]])
        spec = tf.RaggedTensorSpec([None, None], tf.int32)

        def f(given, of_sparse):
            return tf.while_loop(lambda i, *_: i < 2,
                                 lambda i, r, s: (i + 1, tf.concat([r, r], 0), tf.sparse.concat(0, [s, s])),
                                 (tf.constant(0), rows, sparse),
                                 shape_invariants=(tf.TensorShape([]), given, of_sparse))[1:]
        shapes = tf.TensorShape([None, None]), tf.TensorShape([2])
        for given in (spec, tf.SparseTensorSpec([None, None], tf.int32)), shapes:
            made, dense = tf.function(lambda: f(*given))()
            self.assertEqual((made.to_list(), tf.sparse.to_dense(dense).numpy().tolist()), ([[1]] * 4, [[0, 5]] * 4))


class Lists(unittest.TestCase):
    def test_joined_where_an_element_has_no_value(self):
        @tf.function
        def f(*values):
            array = tf.TensorArray(tf.float32, 3, infer_shape=False)
            for i, value in enumerate(values):
                array = array.write(2 * i, value)
            return array.concat()
        self.assertEqual(f([[1., 2.]], [[3., 4.]]).numpy().tolist(), [[1., 2.], [0., 0.], [3., 4.]])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'uninitialized tensor at index 1'):
            f([[1., 2.]], [[3., 4.], [5., 6.]])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Incompatible shapes during merge'):
            f([[1., 2.]], [[3.]])

    def test_arrays_of_no_text(self):
        for array in (np.zeros([0, 3], 'S1'), np.zeros([2, 0], 'U3')):
            tensor = tf.convert_to_tensor(array)
            self.assertEqual((tensor.dtype, tensor.shape.as_list()), (tf.string, list(array.shape)))
