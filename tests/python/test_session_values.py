"""Session.run of sparse and ragged tensors and of indexed slices: the values they give and take."""
import unittest
import warnings

import numpy as np

import footlight as tf

v1 = tf.compat.v1


class SessionValues(unittest.TestCase):
    def test_fetched(self):
        with tf.Graph().as_default(), v1.Session() as session:
            slices = tf.IndexedSlices(tf.constant([1.]), tf.constant([0]), tf.constant([2]))
            rows = tf.IndexedSlices(tf.constant([1.]), tf.constant([0]))
            sparse = tf.SparseTensor([[0]], [1.], [2])
            ragged = tf.ragged.constant([[[1], []], [[2, 3]]])
            found = session.run({'all': [slices, sparse, ragged], 'one': tf.constant(7)})
            self.assertEqual(found['one'], 7)
            whole, spread, uneven = found['all']
            self.assertEqual([part.tolist() for part in whole], [[1], [0], [2]])
            self.assertEqual((type(whole).__name__, whole._fields), ('IndexedSlicesValue', ('values', 'indices', 'dense_shape')))
            self.assertIsInstance(spread, v1.SparseTensorValue)
            self.assertEqual([part.tolist() for part in spread], [[[0]], [1], [2]])
            self.assertIsInstance(uneven, v1.ragged.RaggedTensorValue)
            self.assertEqual((uneven.to_list(), uneven.ragged_rank, uneven.shape), ([[[1], []], [[2, 3]]], 2, (2, None, None)))
            self.assertEqual((uneven.flat_values.tolist(), [s.tolist() for s in uneven.nested_row_splits]),
                             ([1, 2, 3], [[0, 2, 3], [0, 1, 1, 3]]))
            self.assertEqual(str(uneven.values), '<tf.RaggedTensorValue [[1], [], [2, 3]]>')
            self.assertIsNone(session.run(rows).dense_shape)

    def test_first_value_of_a_variable(self):
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable('v', initializer=tf.constant(3.))
            chosen = tf.cond(v1.placeholder_with_default(False, []), lambda: v + 0., lambda: v.initial_value)
            session.run([v.initializer, v.assign(5.)])
            self.assertEqual([session.run(one) for one in (v.initial_value, chosen, v)], [3, 3, 5])
            self.assertIs(v.initial_value.graph, v1.get_default_graph())
        self.assertRaisesRegex(RuntimeError, 'initial_value', lambda: tf.Variable(1.).initial_value)

    def test_constants_with_values(self):
        with tf.Graph().as_default(), v1.Session() as session:
            ones = tf.cast(np.ones([2], np.float32), tf.float32)  # no op is needed for it
            self.assertEqual(ones.eval().tolist(), [1, 1])
            found = session.run({'ones': ones, 'three': tf.constant(3)})
            self.assertEqual((found['ones'].tolist(), found['three']), ([1, 1], 3))
            sparse = tf.SparseTensor([[0]], tf.constant([1.]) * 3., [2])
            self.assertEqual([part.tolist() for part in sparse.eval()], [[[0]], [3], [2]])
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, 'no default session'):
                tf.SparseTensor([[0]], tf.constant([1.]) * 3., [2]).eval()

    def test_placeholders_of_any_shape(self):
        with tf.Graph().as_default(), v1.Session() as session:
            given = v1.placeholder_with_default([1, 2], shape=None)
            self.assertIsNone(given.shape.rank)
            self.assertEqual(session.run(given * 2, {given: [[3]]}).tolist(), [[6]])

    def test_gradients_are_checked_in_a_graph(self):
        with tf.Graph().as_default():
            theory, numbers = tf.test.compute_gradient(lambda x: x * x, [tf.constant([3., 4.])])
        np.testing.assert_allclose(theory[0], [[6, 0], [0, 8]])
        np.testing.assert_allclose(numbers[0], theory[0], rtol=1e-2)
        with tf.Graph().as_default(), v1.Session() as session:  # the function takes tensors and variables of the graph
            factor, variable = tf.constant([2., 5.]), v1.get_variable('checked', initializer=3.)
            session.run(variable.initializer)
            theory, numbers = tf.test.compute_gradient(lambda x, y: x * factor * variable + tf.gather(y, [1, 0]), [
                tf.constant([3., 4.]), tf.constant([1., 2.])])
        np.testing.assert_allclose(theory, [[[6, 0], [0, 15]], [[0, 1], [1, 0]]])
        np.testing.assert_allclose(numbers, theory, rtol=1e-2, atol=1e-2)

    def test_operations_of_assignments_run(self):
        with tf.Graph().as_default(), v1.Session() as session:
            variable = tf.Variable(17)
            doubled = tf.convert_to_tensor([0, variable]) * 2
            session.run(variable.initializer)
            self.assertEqual(session.run(doubled).tolist(), [0, 34])
            variable.assign(38).op.run()
            self.assertEqual(session.run(doubled).tolist(), [0, 76])
            session.run(variable.assign_add(2).op)
            self.assertEqual(session.run(variable), 40)

    def test_sparse_values_are_arguments(self):
        value = v1.SparseTensorValue(np.array([[0, 1], [1, 0]]), np.array([2., 3.], np.float32), np.array([2, 2]))
        self.assertEqual(tf.sparse.sparse_dense_matmul(value, np.eye(2, dtype=np.float32)).numpy().tolist(), [[0, 2], [3, 0]])
        self.assertEqual(tf.sparse.concat(0, [value, value]).dense_shape.numpy().tolist(), [4, 2])
        self.assertEqual(tf.sparse.to_dense(tf.sparse.add(value, value)).numpy().tolist(), [[0, 4], [6, 0]])
        self.assertEqual(tf.sparse.transpose(value).values.numpy().tolist(), [3, 2])
        with self.assertRaisesRegex(TypeError, 'Input must be a SparseTensor'):
            tf.sparse.reorder(np.eye(2))

    def test_ragged_constant_values(self):
        made = v1.ragged.constant_value([[1, 2], [3]])
        self.assertEqual((made.to_list(), made.row_splits.dtype, made.values.tolist()), ([[1, 2], [3]], np.int64, [1, 2, 3]))
        made = v1.ragged.constant_value([[[1, 2]], []], dtype=np.float32, ragged_rank=1, row_splits_dtype='int32')
        self.assertEqual((made.values.tolist(), made.values.dtype, made.row_splits.dtype), ([[1, 2]], np.float32, np.int32))
        self.assertIsInstance(v1.ragged.constant_value([1, 2]), np.ndarray)
        self.assertRaises(ValueError, v1.ragged.constant_value, [[1, []]])

    def test_gradients_that_are_rows(self):
        with tf.Graph().as_default(), v1.Session() as session:
            table = tf.Variable([[1.], [2.], [3.]])
            rows = v1.gradients(tf.gather(table, [2, 0]) * 5., table)[0]
            session.run(table.initializer)
            found = session.run(rows)
            self.assertEqual((found.values.tolist(), found.indices.tolist()), ([[5], [5]], [2, 0]))

    def test_fed(self):
        with tf.Graph().as_default(), v1.Session() as session:
            sparse = v1.sparse_placeholder(tf.float32)
            whole = tf.sparse.to_dense(sparse) * 2.
            for value in (v1.SparseTensorValue([[0, 1]], [3.], [1, 2]), ([[0, 1]], [3.], [1, 2])):
                self.assertEqual(session.run(whole, {sparse: value}).tolist(), [[0, 6]])
            slices = tf.IndexedSlices(v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int32, [None]))
            doubled = slices.values * 2.
            self.assertEqual(session.run(doubled, {slices: (np.float32([1]), np.int32([0]))}).tolist(), [2])
            again = session.run(slices, {slices: ([4.], [1])})
            self.assertEqual(session.run(doubled, {slices: again}).tolist(), [8])
            with self.assertRaisesRegex(ValueError, 'must have 3 parts'):
                session.run(whole, {sparse: ([[0, 1]], [3.])})

    def test_constant_values(self):
        made = v1.ragged.constant_value([[1, 2], [], [3]])
        self.assertIsInstance(made, v1.ragged.RaggedTensorValue)
        self.assertEqual((made.to_list(), made.dtype, made.row_splits.dtype), ([[1, 2], [], [3]], np.int64, np.int64))
        made = v1.ragged.constant_value([[[1.5, 2]], []], dtype=np.float32, row_splits_dtype='int32')
        self.assertEqual((made.to_list(), made.dtype, made.row_splits.dtype), ([[[1.5, 2]], []], np.float32, np.int32))
        made = v1.ragged.constant_value([[[1, 2]], []], ragged_rank=1)
        self.assertEqual((made.values.tolist(), made.row_splits.tolist()), ([[1, 2]], [0, 1, 1]))
        self.assertEqual(v1.ragged.constant_value([1, 2]).tolist(), [1, 2])
        with tf.Graph().as_default():
            self.assertEqual(v1.ragged.constant_value([['a'], []]).row_splits.tolist(), [0, 1, 1])

    def test_callables(self):
        with tf.Graph().as_default(), v1.Session() as session:
            sparse = v1.sparse_placeholder(tf.int32, [None, None])
            call = session.make_callable(tf.sparse.transpose(sparse), [sparse])
            found = call(v1.SparseTensorValue([[0, 1]], [3], [1, 2]))
            self.assertEqual([part.tolist() for part in found], [[[1, 0]], [3], [2, 1]])

    def test_structures_are_fed_as_structures(self):
        with tf.Graph().as_default(), v1.Session() as session:
            a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
            self.assertEqual(session.run(a - b, {(a, (b,)): (1., [2.])}), -1.)
            with self.assertRaisesRegex(ValueError, 'as many parts'):
                session.run(a - b, {(a, b): (1.,)})

    def test_what_may_be_fed_is_not_known(self):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder_with_default(tf.constant(1), [])
            self.assertIsNone(tf.get_static_value(x))
            made = tf.__internal__.smart_cond.smart_cond(x > 0, lambda: tf.constant(1), lambda: tf.constant(2))
            self.assertEqual([session.run(made), session.run(made, {x: -1})], [1, 2])

    def test_ragged_placeholders(self):
        with tf.Graph().as_default(), v1.Session() as session:
            ragged = v1.ragged.placeholder(tf.float32, 1, [])
            fed = session.run(ragged * 2, {ragged: v1.ragged.constant_value([[1.], []], dtype='float32')})
            self.assertEqual(fed.to_list(), [[2.], []])

    def test_protos_of_values_add_nothing_to_a_graph(self):
        with tf.Graph().as_default() as graph:
            proto = tf.make_tensor_proto([1 + 2j], tf.complex64)
            self.assertEqual((tf.make_ndarray(proto).tolist(), graph.get_operations()), ([1 + 2j], []))
            with self.assertRaisesRegex(TypeError, 'a symbolic tensor has no value'):
                tf.make_tensor_proto(v1.placeholder(tf.float32, []))

    def test_floats_that_are_fed_to_integers_are_cut(self):
        with tf.Graph().as_default(), v1.Session() as session:
            whole = v1.placeholder(tf.int64, [None])
            self.assertEqual(session.run(whole * 2, {whole: [1.9, -2.5]}).tolist(), [2, -4])
            self.assertEqual(session.run(whole, {whole: np.array([3.7], np.float32)}).tolist(), [3])
            with warnings.catch_warnings():
                warnings.simplefilter('error')
                self.assertEqual(session.run(whole, {whole: [1.5, float('nan'), float('inf')]})[0], 1)
            with self.assertRaises((TypeError, ValueError)):
                session.run(whole, {whole: ['a']})

    def test_the_parts_of_a_sparse_tensor_become_one(self):
        made = v1.convert_to_tensor_or_sparse_tensor(v1.SparseTensorValue([[0, 1]], [5.], [1, 2]))
        self.assertIsInstance(made, tf.SparseTensor)
        self.assertEqual(tf.sparse.to_dense(made).numpy().tolist(), [[0., 5.]])
        self.assertIs(made._convert_variables_to_tensors(), made)

    def test_init_scope_stays_in_the_graph(self):
        with tf.Graph().as_default() as graph:
            with tf.name_scope('a'), tf.control_dependencies([tf.constant(1, name='before')]), tf.init_scope():
                self.assertEqual((tf.executing_eagerly(), v1.get_default_graph()), (False, graph))
                self.assertEqual((tf.zeros([], name='z').op.name, tf.identity(2., name='i').op.control_inputs), ('a/z', []))

            @tf.function
            def made():
                with tf.init_scope():
                    self.assertIs(v1.get_default_graph(), graph)
                    return tf.executing_eagerly()
            self.assertFalse(made.python_function())
            made.get_concrete_function()
        with tf.init_scope():
            self.assertTrue(tf.executing_eagerly())

    def test_tables_of_constants_of_the_graph(self):
        with tf.Graph().as_default(), v1.Session() as session:
            with tf.init_scope():
                table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
                    tf.constant(['a', 'b']), tf.range(2, dtype=tf.int64)), -1)
            self.assertEqual(session.run(table.lookup(tf.constant(['b', 'c']))).tolist(), [1, -1])

    def test_dimensions_are_parts_of_shapes(self):
        self.assertEqual(tf.TensorShape([v1.Dimension(None), v1.Dimension(3), 2]).as_list(), [None, 3, 2])

    def test_variables_in_loops_and_branches(self):
        made = []

        def make(value):
            made.append(v1.Variable(lambda: value))
            return made[-1]
        with tf.Graph().as_default(), v1.Session() as session:
            mapped = tf.map_fn(lambda x: x * make(2.), tf.constant([1., 2.]))
            looped = tf.while_loop(lambda i: i < 7, lambda i: i + make(3), [tf.constant(0)])
            branch = tf.cond(tf.constant(True), lambda: make(1.) + 0., lambda: 2.)
            made.append(v1.Variable(1.))
            self.assertEqual([v.name for v in made], ['Variable:0'] + [f'Variable_{n}:0' for n in range(1, 4)])
            self.assertEqual([v.name for v in v1.global_variables()], [v.name for v in made])
            session.run(v1.global_variables_initializer())
            mapped, looped, branch = session.run([mapped, looped, branch])
            self.assertEqual((mapped.tolist(), looped, branch), ([2., 4.], [9], 1.))
