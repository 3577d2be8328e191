"""tf.test.TestCase and the modules inside of TensorFlow that tests import: what each assertion accepts and refuses."""
import os
import sys
import unittest

from footlight import _alias
_alias.install()

import tensorflow as tf  # noqa: E402
from tensorflow.python.data.ops import dataset_ops  # noqa: E402
from tensorflow.python.eager import context, def_function  # noqa: E402
from tensorflow.python.framework import constant_op, dtypes, errors, ops, test_util  # noqa: E402
from tensorflow.python.ops import (  # noqa: E402
    array_ops, gen_array_ops, gen_math_ops, init_ops_v2, math_ops, sparse_ops, stateless_random_ops, variables)
from tensorflow.python.platform import test  # noqa: E402
from tensorflow.python.util import nest  # noqa: E402

nan = float('nan')
seen = []


class Assertions(test.TestCase):
    def refused(self, words=''):
        return self.assertRaisesRegex(AssertionError, words)

    def test_equal(self):
        self.assertAllEqual([1, 2], tf.constant([1, 2]))
        self.assertAllEqual(tf.constant(['a', 'b']), ['a', b'b'])
        self.assertAllEqual([1., nan], tf.constant([1., nan]))
        self.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
        for a, b, words in (([1, 2], [1, 3], 'not equal where'), ([1, 2], [[1, 2]], 'Shape mismatch'), ([1.], [nan], ''),
                            (['a'], ['b'], ''), (tf.ragged.constant([[1]]), [[2]], '')):
            with self.refused(words):
                self.assertAllEqual(a, b)
            self.assertNotAllEqual(a, b)
        with self.refused():
            self.assertNotAllEqual([1], [1])

    def test_dicts_of_tensors(self):
        def pair(last):
            return {'x': tf.constant([1., last]), 'n': 3}
        self.assertEqual(pair(2.), pair(2.))
        for other in (pair(3.), {**pair(2.), 'more': 1}):
            with self.assertRaises(AssertionError):
                self.assertEqual(pair(2.), other)

    def test_messages(self):
        def graph(name, value=1.0):
            made = tf.compat.v1.GraphDef()
            made.node.add(name=name, op='Const').attr['value'].f = value
            return made
        text = 'node { name: "x" op: "Const" attr { key: "value" value { f: 1 } } }'
        self.assertProtoEquals(graph('x'), graph('x'))
        self.assertProtoEquals(text, graph('x'))
        self.assertProtoEquals(graph('x'), graph('x', 1.001), relative_tolerance=0.01)
        for expected, actual, words in ((graph('x'), graph('y'), 'name: "y"'), (text, graph('x', 2.0), 'f: 2'),
                                        (tf.train.Example(), graph('x'), "Can't compare")):
            with self.refused(words):
                self.assertProtoEquals(expected, actual)
        with self.refused():
            self.assertProtoEquals(graph('x'), graph('x', 1.1), relative_tolerance=0.01)
        with self.assertRaises(Exception):
            self.assertProtoEquals('nod { }', graph('x'))
        versioned = graph('x')
        versioned.versions.producer = tf.version.GRAPH_DEF_VERSION
        versioned.versions.min_consumer = tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER
        self.assertProtoEqualsVersion(text, versioned)
        with self.refused():
            self.assertProtoEqualsVersion(text, graph('x'))

    def test_sparse_values_and_halves(self):
        def sparse(last):
            return tf.sparse.from_dense([[1., 0.], [0., last]])
        value = self.evaluate(sparse(2.))
        self.assertIsInstance(value, tf.compat.v1.SparseTensorValue)
        self.assertAllClose(value, self.evaluate(sparse(2.)))
        with self.refused():
            self.assertAllClose(value, self.evaluate(sparse(3.)))
        half = tf.constant([1., 1.0009], tf.half)
        self.assertAllCloseAccordingToType(half[:1], half[1:])
        self.assertAllCloseAccordingToType(half[:1], [1.05], half_rtol=0.1)
        with self.refused():
            self.assertAllCloseAccordingToType(half[:1], tf.constant([1.01], tf.half))
        with self.refused():
            self.assertAllClose(half[:1], half[1:])
        with self.refused():
            self.assertAllCloseAccordingToType(tf.constant([1.]), tf.constant([1.0009]))

    def test_close(self):
        self.assertAllClose({'a': [1., 2.], 'b': (3.,)}, {'a': tf.constant([1., 2.]), 'b': (3. + 1e-7,)})
        self.assertAllClose([[1.], [2., 3.]], [[1.], [2., tf.constant(3.)]])
        self.assertAllClose([1.], [1.1], rtol=.2)
        self.assertAllCloseAccordingToType(tf.constant([1.], tf.float16), [1.0005])
        for a, b, words in (([1., 2.], [1., 2.1], 'not close where'), ({'a': 1.}, {'b': 1.}, 'keys'), ([1.], [1., 1.], 'hape'),
                            ([nan], [1.], ''), ([[1.], [2., 3.]], [[1.], [2., 4.]], 'index 1')):
            with self.refused(words):
                self.assertAllClose(a, b)
            self.assertNotAllClose(a, b)

    def test_all(self):
        for method, good, bad in ((self.assertAllGreater, 0, 1), (self.assertAllGreaterEqual, 1, 2), (self.assertAllLess, 3, 2),
                                  (self.assertAllLessEqual, 2, 1), (self.assertAllInSet, [1, 2, 3], [1])):
            method(tf.constant([1, 2]), good)
            with self.refused():
                method([1, 2], bad)
        self.assertAllInRange([1, 2], 1, 2)
        with self.refused(r'\[1, 2\)'):
            self.assertAllInRange([1, 2], 1, 2, open_upper_bound=True)
        self.assertDTypeEqual(tf.constant(1.), 'float32')
        with self.refused():
            self.assertDTypeEqual([tf.constant(1.), tf.constant(1)], 'float32')
        self.assertShapeEqual(tf.zeros([2, 3]), tf.ones([2, 3]))
        with self.refused():
            self.assertShapeEqual(tf.zeros([2]), tf.ones([3]))
        self.assertArrayNear([1., 2.], [1., 2.01], .1)
        with self.refused():
            self.assertNDArrayNear([1.], [2.], .5)
        self.assertDeviceEqual('/cpu:0', '/device:CPU:0')

    def test_errors(self):
        with self.assertRaisesOpError('Expected'):
            tf.debugging.assert_less(3, 2, message='Expected')
        with self.refused('Exception of type'):
            with self.assertRaisesWithPredicateMatch(ValueError, lambda e: 'good' in str(e)):
                raise ValueError('bad')
        with self.assertRaisesIncompatibleShapesError():
            tf.zeros([2]) + tf.zeros([3])
        thread = self.checkedThread(lambda: 1 / 0)
        thread.start()
        with self.refused('division'):
            thread.join()

    def test_values(self):
        v = tf.Variable(2)
        self.assertEqual(self.evaluate([tf.constant(1), {'b': v}, None, 5]), [1, {'b': 2}, None, 5])
        self.assertEqual(self.evaluate(lambda: tf.constant(4)), 4)
        self.assertEqual(self.evaluate(v.initializer), None)
        self.assertAllEqual(self.evaluate(tf.SparseTensor([[1]], [2], [3])).values, [2])
        with self.session() as session, self.cached_session():
            self.assertEqual(session.run(v), 2)

    def test_own_set_up(self):
        class Own(tf.test.TestCase):
            def setUp(self):
                tf.compat.v1.reset_default_graph()  # without super().setUp()

            def runTest(self):
                with tf.Graph().as_default(), self.cached_session():
                    self.assertAllEqual(tf.ragged.constant([[1], []]) * 2, [[2], []])
                    self.assertAllEqual(tf.constant([1]) + 1, [2])
        result = unittest.TestResult()
        Own().run(result)
        self.assertEqual(result.errors + result.failures, [])

    def test_seeds(self):
        seen.append(tf.random.uniform([2]).numpy().tolist())
        self.assertEqual(seen[0], seen[-1])

    test_seeds_again = test_seeds

    def test_files_and_output(self):
        self.assertTrue(os.path.isdir(self.get_temp_dir()))
        with self.captureWritesToStream(sys.stderr) as written:
            tf.print('seen')
            self.assertIn('seen', written.contents())
        tf.print('not seen')
        self.assertEqual(written.contents(), 'seen\n')
        with test.mock.patch.object(Modes, 'modes', 5):
            self.assertEqual(Modes.modes, 5)
        self.assertLen('abc', 3)


class Modes(tf.test.TestCase):
    modes = []

    @test_util.run_in_graph_and_eager_modes
    def test_both(self):
        self.modes.append(tf.executing_eagerly())
        self.assertEmpty(os.listdir(self.get_temp_dir()))
        with open(os.path.join(self.get_temp_dir(), 'file'), 'w') as file:
            file.write('of this run')
        v = tf.Variable([3., 4.])
        self.evaluate(variables.global_variables_initializer())
        self.evaluate(v.initializer)
        self.assertAllEqual(self.evaluate(tf.constant([1., 2.]) * v), [3, 8])
        self.evaluate(v.assign_add([1., 1.]))
        self.assertAllEqual(self.evaluate(v), [4, 5])
        if len(self.modes) == 2:
            self.assertEqual(self.modes, [False, True])

    @test_util.run_deprecated_v1
    def test_graph(self):
        with self.cached_session() as session:
            fed = tf.compat.v1.placeholder(tf.float32, [2])
            self.assertAllEqual(session.run(fed + 1, {fed: [1, 2]}), [2, 3])
            self.assertAllEqual((fed + 1).eval({fed: [1, 2]}), [2, 3])
        with self.test_session() as session:
            self.assertEqual(session.run(tf.constant(2)), 2)

    def test_temporary_files(self):
        folder = self.create_tempdir()
        file = folder.create_file('a/b.txt', content='text')
        self.assertEqual((file.read_text(), file.full_path), ('text', os.path.join(folder, 'a', 'b.txt')))
        file.write_bytes(b'more', mode='ab')
        self.assertEqual(file.read_bytes(), b'textmore')
        self.assertTrue(os.path.isdir(folder.mkdir('c')))
        self.assertTrue(self.create_tempfile(content=b'x').full_path.startswith(self.get_temp_dir()))
        self.assertNotEqual(self.create_tempdir().full_path, folder.full_path)
        self.assertRaises(ValueError, folder.create_file, '../outside')

    def test_values_from_outside_of_a_graph(self):
        outside = tf.constant([1., 2.])
        with tf.Graph().as_default(), self.cached_session():
            self.assertAllEqual(outside, tf.constant([1., 1.]) + [0., 1.])
            self.assertAllClose([1., 2.], outside)

    def test_variables_in_a_graph(self):
        graph = tf.Graph()
        with graph.as_default():
            v = tf.Variable(2., name='weight')
            doubled = v * 2.
        with graph.as_default():
            add = v.assign_add(1.)
        self.assertEqual([op.type for op in graph.get_operations()].count('VarHandleOp'), 1)
        node = graph.get_operation_by_name('weight').node_def
        self.assertNotIn('_held', node.attr)
        with tf.compat.v1.Session(graph=graph) as session:
            session.run(v.initializer)
            self.assertEqual(session.run(doubled), 4)
            self.assertEqual(session.run(add), 3)
            self.assertEqual(session.run([doubled, v]), [6, 3])

    @test_util.run_v1_only('old')
    def test_skipped(self):
        raise AssertionError('not skipped')

    def test_test_session_is_no_test(self):
        self.assertNotIn('test_session', unittest.TestLoader().getTestCaseNames(Modes))


class Places(unittest.TestCase):
    def test_names_of_today(self):
        for found, wanted in ((ops.Graph, tf.Graph), (errors.InvalidArgumentError, tf.errors.InvalidArgumentError),
                              (def_function.function, tf.function), (dataset_ops.DatasetV2, tf.data.Dataset),
                              (array_ops.where_v2, tf.where), (array_ops.gather, tf.compat.v1.gather),
                              (math_ops.reduce_sum, tf.reduce_sum), (math_ops.reduce_sum_v1, tf.compat.v1.reduce_sum),
                              (sparse_ops.sparse_reorder, tf.sparse.reorder), (dtypes.int32, tf.int32),
                              (stateless_random_ops.stateless_random_normal, tf.random.stateless_normal),
                              (init_ops_v2.Zeros, tf.zeros_initializer), (nest.flatten, tf.nest.flatten),
                              (variables.Variable, tf.Variable)):
            self.assertIs(found, wanted)
        self.assertTrue(context.executing_eagerly())
        self.assertEqual(constant_op.constant(2).dtype, tf.int32)

    def test_ops_take_arguments_in_order(self):
        self.assertEqual(int(gen_math_ops.add(1, 2)), 3)
        self.assertEqual(int(gen_array_ops.gather_v2([1, 2], 1, axis=0)), 2)

    def test_unknown_names(self):
        with self.assertRaises(ImportError):
            from tensorflow.python.ops.math_ops import nothing_like_this  # noqa: F401
        with self.assertRaises(AttributeError):
            gen_math_ops.nothing_like_this


if __name__ == '__main__':
    tf.test.main()
