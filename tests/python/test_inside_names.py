"""Names inside of TensorFlow that tests of libraries take: combinations, gradient checks in graphs, files, monitoring."""
import os
import subprocess
import sys
import unittest

import footlight as tf
import numpy as np
from absl.testing import parameterized
from footlight import _alias
from folder_case import FolderCase

_alias.install()
from tensorflow.python.data.experimental.ops import global_shuffle_op  # noqa: E402
from tensorflow.python.data.ops import dataset_ops  # noqa: E402
from tensorflow.python.data.util import nest, structure  # noqa: E402
from tensorflow.python.eager import context, execute, monitoring  # noqa: E402
from tensorflow.python.framework import combinations, sparse_tensor, test_util  # noqa: E402
from tensorflow.python.lib.io import file_io  # noqa: E402
from tensorflow.python.ops import array_ops, data_flow_ops, gradient_checker, gradient_checker_v2, math_ops  # noqa: E402
from tensorflow.python.ops.ragged import ragged_conversion_ops, ragged_string_ops, ragged_tensor  # noqa: E402

public = tf.__internal__.test.combinations
seen = []


def combined_tests():
    class Combined(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(combinations.times(combinations.combine(tf_api_version=[1, 2], mode=['eager', 'graph']),
                                                  combinations.combine(n=[1, 2])))
        def testRuns(self, n):
            seen.append((n, tf.executing_eagerly()))
            self.assertAllEqual(self.evaluate(tf.constant(n) + 1), n + 1)

        @combinations.generate(combinations.combine(what=combinations.NamedObject('plus', lambda x: x + 1)))
        def testNamed(self, what):
            self.assertEqual(what(1), 2)

        @combinations.generate([combinations.combine(n=1)[0]])
        def testLacks(self, n, m):
            raise AssertionError('does not run')
    return Combined


class Iterators(unittest.TestCase):
    def test_iterator_of_a_dataset_is_known_by_its_inner_name(self):
        from tensorflow.python.data.ops.iterator_ops import OwnedIterator
        data = tf.data.Dataset.range(2)
        self.assertIsInstance(iter(data), OwnedIterator)
        self.assertNotIsInstance(data, OwnedIterator)


class Combinations(unittest.TestCase):
    def test_runs_each(self):
        seen.clear()
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(combined_tests())
        names = sorted(one.id().rpartition('.')[2] for one in suite)
        self.assertIn('testNamed_test_what_plus', names)
        self.assertIn('testRuns_test_mode_graph_tfapiversion_2_n_1', names)
        result = unittest.TestResult()
        suite.run(result)
        self.assertEqual(sorted(seen), [(1, False), (1, True), (2, False), (2, True)])
        self.assertEqual(len(result.skipped), 4)  # those of TensorFlow 1
        self.assertEqual(len(result.errors), 1)
        self.assertIn("parameters whose arguments were not passed: {'m'}", result.errors[0][1])

    def test_products(self):
        self.assertEqual([dict(one) for one in public.combine(b=[1, 2], a='x')], [{'a': 'x', 'b': 1}, {'a': 'x', 'b': 2}])
        self.assertEqual(len(public.times(public.combine(a=[1, 2]), public.combine(b=[1, 2, 3]))), 6)
        with self.assertRaisesRegex(ValueError, 'Keys need to not overlap'):
            public.times(public.combine(a=1), public.combine(a=2))
        self.assertEqual(public.combine(), [{}])


class GradientsOfGraphs(unittest.TestCase):
    def test_jacobians(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session():
            x = tf.constant([1., 2.], tf.float64)
            found, numeric = v1.test.compute_gradient(x, [2], x * x * x, [2], x_init_value=np.array([1., 2.]))
            np.testing.assert_allclose(found, [[3, 0], [0, 12]])
            np.testing.assert_allclose(numeric, found, atol=1e-5)
            z = tf.constant([1 + 2j], tf.complex128)
            found, numeric = gradient_checker.compute_gradient(z, [1], z * z, [1], x_init_value=np.array([1 + 2j]))
            np.testing.assert_allclose(found, [[2, 4], [-4, 2]])
            np.testing.assert_allclose(numeric, found, atol=1e-8)
            table = tf.constant(np.ones([3, 2]))
            error = v1.test.compute_gradient_error([table, x], [[3, 2], [2]], tf.gather(table, [0, 2, 2]) * x, [3, 2])
            self.assertLess(error, 1e-8)
            with self.assertRaisesRegex(ValueError, 'does not depend on'):
                v1.test.compute_gradient(x, [2], z * 2, [1])
        with self.assertRaisesRegex(ValueError, 'no default session'):
            v1.test.compute_gradient(1, [1], tf.constant(1.), [1])
        self.assertEqual(gradient_checker_v2.max_error([np.array([1., 2.])], [np.array([1., 5.])]), 3)


class Small(FolderCase):
    def test_importing_runs_no_op(self):
        script = ('from footlight import _alias; _alias.install(); import tensorflow as tf; '
                  'from tensorflow.python.checkpoint.checkpoint import Checkpoint; '
                  'from tensorflow.python.ops import math_ops, resource_variable_ops; '
                  'tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], '
                  '[tf.config.LogicalDeviceConfiguration()] * 2); print(tf.Tensor.__array_priority__)')
        done = subprocess.run([sys.executable, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.stdout.strip(), done.returncode), ('100', 0), done.stderr)

    def test_operators_need_no_other_module(self):
        script = 'import footlight as tf; print(tf.__operators__.add(1., 2.).numpy())'
        done = subprocess.run([sys.executable, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.stdout.strip(), done.returncode), ('3.0', 0), done.stderr)

    def test_files(self):
        name = self.path('a', 'b')
        file_io.recursive_create_dir(os.path.dirname(name))
        file_io.atomic_write_string_to_file(name, 'text')
        self.assertEqual(file_io.read_file_to_string(name), 'text')
        self.assertEqual(file_io.read_file_to_string(name, binary_mode=True), b'text')
        with self.assertRaises(tf.errors.AlreadyExistsError):
            file_io.atomic_write_string_to_file(name, 'more', overwrite=False)
        self.assertEqual(file_io.list_directory(os.path.dirname(name)), ['b'])
        file_io.delete_recursively(os.path.dirname(name))
        self.assertFalse(file_io.file_exists(name))

    def test_lists_are_values_of_elements(self):
        self.assertEqual(nest.flatten((1, [2, 3], {'a': [4]})), [1, [2, 3], [4]])
        self.assertEqual(nest.pack_sequence_as((0, {'a': [1]}), [5, [6]]), (5, {'a': [6]}))
        self.assertEqual(nest.map_structure(len, ([1, 2], {'a': [3]})), (2, {'a': 1}))
        self.assertFalse(nest.is_nested([1]))
        data = tf.data.Dataset.from_tensors({'a': [1, 2], 'b': 3.})
        self.assertEqual(dataset_ops.get_legacy_output_shapes(data), {'a': tf.TensorShape([2]), 'b': tf.TensorShape([])})
        self.assertEqual(dataset_ops.get_legacy_output_types(data), {'a': tf.int32, 'b': tf.float32})
        self.assertEqual(dataset_ops.get_legacy_output_classes(data), {'a': tf.Tensor, 'b': tf.Tensor})

    def test_global_shuffle(self):
        data = global_shuffle_op._global_shuffle(tf.data.Dataset.range(50), seed=3)
        first, second = ([int(one) for one in data] for _ in range(2))
        self.assertEqual(sorted(first), list(range(50)))
        self.assertNotEqual(first, list(range(50)))
        self.assertNotEqual(first, second)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            found = global_shuffle_op._global_shuffle(tf.data.Dataset.range(5)).batch(5).get_single_element()
            self.assertEqual(sorted(session.run(found)), [0, 1, 2, 3, 4])
        specs = {'a': tf.TensorSpec([None]), 'b': tf.TensorSpec([])}
        self.assertTrue(structure.are_compatible(specs, structure.type_spec_from_value({'a': [1., 2.], 'b': 3.})))
        self.assertFalse(structure.are_compatible(specs, (tf.TensorSpec([]), tf.TensorSpec([]))))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'finite cardinality. Got cardinality: -1'):
            global_shuffle_op._global_shuffle(tf.data.Dataset.range(5).repeat())

    def test_the_end_of_an_iterator(self):
        following = iter(tf.data.Dataset.range(1))._next_internal
        self.assertEqual(following().numpy(), 0)
        self.assertRaises(tf.errors.OutOfRangeError, following)

    def test_comparisons(self):
        self.assertEqual(math_ops.approximate_equal([1., 2.], [1.000001, 2.1]).numpy().tolist(), [True, False])
        with self.assertRaisesRegex(ValueError, 'Shapes must be equal rank, but are 1 and 2'):
            math_ops.approximate_equal([1., 2.], [[1., 2.]])
        ragged = tf.ragged.constant([[1], []])
        self.assertTrue(ragged_tensor.is_ragged(ragged))
        self.assertFalse(sparse_tensor.is_sparse(ragged))
        self.assertIs(ragged_tensor.convert_to_tensor_or_ragged_tensor(ragged), ragged)
        with self.assertRaisesRegex(ValueError, 'requested dtype float32'):
            ragged_tensor.convert_to_tensor_or_ragged_tensor(ragged, tf.float32)
        self.assertEqual(test_util.NHWCToNCHW([1, 2, 3, 4]), [1, 4, 2, 3])
        self.assertEqual(test_util.NCHWToNHWC(tf.zeros([1, 4, 2, 3])).shape, [1, 2, 3, 4])

    def test_other_names(self):
        self.assertIs(tf.python.framework.ops.name_scope, tf.compat.v1.name_scope)  # which takes None as a name
        joined = data_flow_ops.parallel_dynamic_stitch([[0, 2], [1]], [[1, 3], [2]])
        self.assertEqual(joined.numpy().tolist(), [1, 2, 3])
        self.assertEqual(array_ops.listdiff([1, 2, 3], [2])[0].numpy().tolist(), [1, 3])
        self.assertIsNone(array_ops.newaxis)

    def test_names_of_ops(self):
        inside = tf.python
        self.assertIs(inside.ops.numpy_ops.np_config.enable_numpy_behavior,
                      tf.experimental.numpy.experimental_enable_numpy_behavior)
        self.assertIs(inside.ops.numpy_ops.np_random.randn, tf.experimental.numpy.random.randn)
        self.assertEqual(inside.ops.numpy_ops.np_dtypes.default_float_type(), tf.float64)
        self.assertEqual([d.device_type for d in inside.client.device_lib.list_local_devices()][:1], ['CPU'])
        self.assertTrue(tf.compat.v1.test.test_src_dir_path('a/b').endswith('org_tensorflow/tensorflow/a/b'))
        rows = inside.ops.ragged.ragged_array_ops.ragged_one_hot(tf.ragged.constant([[0], []]), 2)
        self.assertEqual(rows.to_list(), [[[1, 0]], []])
        sums = inside.ops.ragged.ragged_math_ops.segment_sum(tf.ragged.constant([[1, 2], [3]]), [0, 0], 1)
        self.assertEqual(sums.to_list(), [[4, 2]])

    def test_conversions_of_ragged_tensors(self):
        whole = tf.constant([[1, 2], [3, 0]])
        rows = ragged_conversion_ops.from_tensor(whole, padding=0)
        self.assertEqual(rows.to_list(), [[1, 2], [3]])
        self.assertIs(ragged_conversion_ops.from_tensor(rows), rows)
        self.assertIs(ragged_conversion_ops.to_tensor(whole), whole)
        self.assertEqual(ragged_conversion_ops.to_tensor(rows, 7).numpy().tolist(), [[1, 2], [3, 7]])
        self.assertEqual(ragged_conversion_ops.ragged_to_dense(rows, shape=[2, 1]).numpy().tolist(), [[1], [3]])
        self.assertEqual(ragged_conversion_ops.from_sparse(ragged_conversion_ops.to_sparse(rows)).to_list(), [[1, 2], [3]])
        self.assertEqual(ragged_string_ops.ragged_tensor_to_string(rows).numpy(), b'[[1, 2], [3]]')

    def test_monitoring(self):
        counter = monitoring.Counter('footlight/counter', 'what it counts', 'label')
        counter.get_cell('a').increase_by(2)
        counter.get_cell('a').increase_by(1)
        self.assertEqual((counter.get_cell('a').value(), counter.get_cell('b').value()), (3, 0))
        self.assertEqual(monitoring.Counter('footlight/counter', 'again').get_cell().value(), 0)  # has cells of its own
        with self.assertRaisesRegex(ValueError, 'expects taking 1 labels'):
            counter.get_cell()
        histogram = monitoring.Sampler('footlight/sampler', monitoring.ExponentialBuckets(1., 2., 2), 'samples')
        for sample in (1., 5.):
            histogram.get_cell().add(sample)
        value = histogram.get_cell().value()
        self.assertEqual((value.min, value.max, value.num, value.sum, value.bucket), (1, 5, 2, 6, [0, 1, 1]))

        @monitoring.monitored_timer(counter.get_cell('c'))
        def timed():
            return 7
        self.assertEqual(timed(), 7)
        with monitoring.MonitoredTimer(counter.get_cell('d'), 'section'):
            self.assertIn('section', monitoring.MonitoredTimerSections)
        self.assertNotIn('section', monitoring.MonitoredTimerSections)
        self.assertGreaterEqual(counter.get_cell('c').value(), 0)

    def test_an_op_by_name(self):
        product, = execute.execute(b'MatMul', 1, [tf.ones([1, 2]), tf.ones([2, 1])],
                                   ('transpose_a', False, 'transpose_b', False, 'T', tf.float32), context.context())
        self.assertEqual(product.numpy().tolist(), [[2]])
        parts = execute.execute('Split', 2, [tf.constant(0), tf.constant([1, 2])], ('num_split', 2, 'T', tf.int32))
        self.assertEqual([part.numpy().tolist() for part in parts], [[1], [2]])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'has 2 inputs but 1 were given'):
            execute.execute('MatMul', 1, [tf.ones([1, 2])], ())
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'not registered'):
            execute.execute('NoSuchOp', 1, [], ())
        fifteen = execute.execute('Mul', 9, [tf.constant(3), tf.constant(5)], ('T', tf.int32.as_datatype_enum))
        self.assertEqual(fifteen[0].numpy(), 15)
        for op, outputs, attributes, error in (
                ('Identity', 0, ('T', tf.int32), 'Expecting 1 outputs'), ('Identity', 1, ('odd', 1), "no attribute 'odd'"),
                ('Squeeze', 1, ('squeeze_dims', 0), 'Expecting a list value for attr squeeze_dims, got int'),
                ('Squeeze', 1, ('squeeze_dims', ['0']), 'Expecting an int value for attr squeeze_dims, got str'),
                ('CheckNumerics', 1, ('message', 1), 'Expecting a string value'),
                ('Bucketize', 1, ('boundaries', ['4.']), 'Expecting a float value')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, error):
                execute.execute(op, outputs, [tf.constant([0.])], attributes)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Expecting a Dimension for attr shape, got object'):
            execute.execute('VarHandleOp', 1, [], ('shape', [object()], 'dtype', tf.int32))
        self.assertRaises(TypeError, execute.execute, 'Identity', [], [tf.constant(1)], ())

class ArgumentsByName(unittest.TestCase):
    def test_soft_placement_is_set_by_name(self):
        was = tf.config.get_soft_device_placement()
        self.addCleanup(tf.config.set_soft_device_placement, was)
        for enabled in (False, True):
            tf.config.set_soft_device_placement(enabled=enabled)
            self.assertEqual(tf.config.get_soft_device_placement(), enabled)
        with self.assertRaises(TypeError):
            tf.config.set_soft_device_placement()

    def test_the_function_that_is_traced(self):
        def double(x):
            return 2 * x
        self.assertIs(tf.function(double)._python_function, double)
