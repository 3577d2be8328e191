"""When and how Keras is loaded: on first use, on Footlight, under all of its names; and what is said where it is missing."""
import importlib.util
import os
import subprocess
import sys
import unittest

from folder_case import FolderCase

if importlib.util.find_spec('keras') is None:
    print('the package keras is not installed: left out')
    sys.exit(77)


def run(*lines):
    """What a Python prints that runs these lines, with errors."""
    done = subprocess.run([sys.executable, '-c', '\n'.join(lines)], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


class Loading(FolderCase):
    def test_import_loads_no_package(self):
        self.assertEqual(run(
            'import sys', 'before = set(sys.modules)', 'import footlight as tf',
            'print(sorted({n.partition(".")[0] for n in set(sys.modules) - before} & {"keras", "numpy", "h5py", "absl"}))'), '[]')

    def test_first_use_loads_it(self):
        self.assertEqual(run(
            'import sys', 'import footlight as tf', 'assert "keras" not in sys.modules', 'print(tf.keras.layers.Dense.__name__)',
            'import keras', 'assert tf.keras.layers.Dense is keras.layers.Dense', 'print(keras.backend.backend())'),
            'Dense\ntensorflow')

    def test_names_of_tensorflow(self):
        self.assertEqual(run(
            'from footlight import _alias', '_alias.install()', 'import tensorflow.keras.layers as L',
            'from tensorflow.keras import models', 'from tensorflow.keras.optimizers import Adam', 'import tensorflow as tf, keras',
            'assert tf.keras.layers is L and L.Dense is keras.layers.Dense and models.Sequential is keras.Sequential',
            'import footlight', 'assert footlight is tf or footlight.Tensor is tf.Tensor', 'print(Adam.__name__)'), 'Adam')

    def test_missing_package(self):
        words = run('import sys', 'sys.modules["keras"] = None', 'import footlight as tf', 'tf.keras.layers')
        self.assertIn('ImportError: tf.keras is the package Keras, which this Python does not have. Install it with: ', words)
        self.assertIn('-m pip install keras', words)

    def test_second_version_on_demand(self):
        package = self.path('tf_keras', 'api', '_v2', 'keras')
        os.makedirs(package)
        for at in ('tf_keras', 'tf_keras/api', 'tf_keras/api/_v2', 'tf_keras/api/_v2/keras'):
            self.write(self.path(at, '__init__.py'), 'import tensorflow as tf\nwhich = "2 on " + tf.__name__\n')
        for flag, expected in (('1', '2 on footlight'), ('0', 'None')):
            self.assertEqual(run(
                'import os, sys', f'sys.path.insert(0, {self.folder!r})', 'os.environ["TF_USE_LEGACY_KERAS"] = '
                                                                     f'{flag!r}',
                'import footlight as tf', 'print(getattr(tf.keras, "which", None))').replace('tensorflow', 'footlight'), expected)
        words = run('import os, sys', 'sys.modules["tf_keras"] = None', 'os.environ["TF_USE_LEGACY_KERAS"] = "True"',
                    'import footlight as tf', 'tf.keras.layers')
        self.assertIn('tf.keras is the package Keras 2, because TF_USE_LEGACY_KERAS is set', words)
        self.assertIn('-m pip install tf_keras', words)

    def test_other_errors_of_the_package_are_shown(self):
        words = run('import sys', 'sys.modules["keras.src"] = None', 'import footlight as tf', 'tf.keras.layers')
        self.assertIn('keras.src', words)
        self.assertNotIn('pip install', words)

    def test_tensors_are_recognised_by_the_names_of_their_classes(self):
        import footlight as tf
        self.assertEqual([c.__module__ for c in tf.Tensor.__mro__ if c.__name__ == 'Tensor'][-1],
                         'tensorflow.python.types.core')
        self.assertTrue(isinstance(tf.constant(1), tf.__internal__.types.Tensor))
        self.assertTrue(tf.SparseTensor.__module__.startswith('tensorflow.python.'))
        self.assertTrue(tf.RaggedTensor.__module__.startswith('tensorflow.python.'))
        self.assertEqual(tf.data.Dataset.__name__, 'DatasetV2')
        with self.assertRaises(TypeError):
            tf.Tensor()


class Objects(unittest.TestCase):
    """What libraries may do to tensors and variables."""

    def test_attributes_of_tensors(self):
        import footlight as tf
        t = tf.constant([1., 2.])
        t.mask = 'a mask'
        self.assertEqual(t.mask, 'a mask')
        with self.assertRaises(AttributeError):
            tf.constant([1., 2.]).mask

    def test_objects_that_convert_themselves(self):
        import footlight as tf

        class Half:
            def __tf_tensor__(self, dtype=None, name=None):
                return tf.constant(.5, dtype or tf.float32)

        class Endless:
            def __tf_tensor__(self, dtype=None, name=None):
                return self
        self.assertEqual(float(tf.constant(1.) + Half()), 1.5)
        self.assertEqual(tf.stack([Half(), tf.constant(1.)]).numpy().tolist(), [.5, 1.])
        self.assertEqual(tf.convert_to_tensor(Half(), tf.float64).dtype, tf.float64)
        with self.assertRaisesRegex(TypeError, 'returned the object itself'):
            tf.convert_to_tensor(Endless())

    def test_objects_that_stand_for_a_variable(self):
        import footlight as tf

        class Boxed(tf.__internal__.types.Tensor, tf.__internal__.tracking.Trackable):
            _should_act_as_resource_variable = True

            def __init__(self, value):
                self.value = tf.Variable(value)

            handle = property(lambda self: self.value.handle)

            def __tf_tensor__(self, dtype=None, name=None):
                return tf.convert_to_tensor(self.value, dtype)
        boxed = Boxed([1., 3.])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(boxed))
        self.assertEqual(tape.gradient(loss, boxed).numpy().tolist(), [2., 6.])
        self.assertTrue(tf.is_tensor(boxed))

    def test_graph_of_a_function(self):
        import footlight as tf
        outside, variable = tf.constant([1., 2.]), tf.Variable(3.)
        with tf.__internal__.FuncGraph('scratch').as_default() as graph:
            given = tf.compat.v1.placeholder(tf.float32, [None, 2])
            found = (given + outside) * variable
        self.assertIsInstance(graph, tf.__internal__.FuncGraph)
        self.assertNotIsInstance(tf.Graph(), tf.__internal__.FuncGraph)
        self.assertEqual((found.shape.as_list(), found.graph is graph), ([None, 2], True))


class Strategy(unittest.TestCase):
    def test_default(self):
        import footlight as tf
        strategy = tf.distribute.get_strategy()
        self.assertFalse(tf.distribute.has_strategy())
        self.assertEqual(strategy.run(lambda x: x + 1, (2,)), 3)
        self.assertEqual(strategy.reduce('SUM', tf.constant([1, 2]), axis=0).numpy(), 3)
        context = tf.distribute.get_replica_context()
        self.assertEqual(context.merge_call(lambda s, x: (s is strategy, tf.distribute.get_replica_context(), x), (1,)),
                         (True, None, 1))
        with tf.distribute.OneDeviceStrategy('/cpu:0').scope() as one:
            self.assertIs(tf.distribute.get_strategy(), one)
            self.assertTrue(tf.distribute.has_strategy())
        with self.assertRaisesRegex(NotImplementedError, 'one replica'):
            tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])
        self.assertEqual(tf.distribute.MirroredStrategy(['CPU:0']).num_replicas_in_sync, 1)
        with self.assertRaisesRegex(ValueError, 'reduce_op'):
            strategy.reduce('MAX', 1, axis=None)


class Variables(unittest.TestCase):
    """Variables that a function makes while another one is being traced."""

    def test_known_value(self):
        import footlight as tf
        kept = []

        @tf.function
        def inner(x):
            if not kept:
                kept.append(tf.Variable(lambda: tf.zeros([2]) + 1.))
            kept[0].assign_add(x)
            return kept[0] + 0.
        outer = tf.function(lambda x: inner(x) * 2.)
        self.assertEqual([outer(tf.constant([1., 2.])).numpy().tolist() for _ in range(2)], [[4., 6.], [6., 10.]])

    def test_value_of_arguments(self):
        import footlight as tf
        kept = []

        @tf.function
        def inner(x):
            if not kept:
                kept.append(tf.Variable(x + 1.))
            kept[0].assign_add(x)
            return kept[0] + 0.
        outer = tf.function(lambda x: inner(x) * 2.)
        self.assertEqual([outer(tf.constant([1., 2.])).numpy().tolist() for _ in range(2)], [[6., 10.], [8., 14.]])


class RandomData(unittest.TestCase):
    def test_each_iterator_starts_over(self):
        import footlight as tf
        tf.random.set_seed(3)
        data = tf.data.Dataset.range(2).flat_map(
            lambda _: tf.data.Dataset.range(2).map(lambda _: tf.random.uniform([])))
        runs = [[round(float(x), 4) for x in data] for _ in range(2)]
        self.assertEqual(runs, [[.1274, .858, .8899, .5136]] * 2)


class Retraces(unittest.TestCase):
    def test_of_the_training_function(self):
        import footlight as tf
        import numpy as np
        keras = tf.keras
        traces = []

        class Counted(keras.layers.Layer):
            def call(self, x):
                traces.append(x.shape)
                return x * 2
        model = keras.Sequential([keras.layers.Input((2,)), Counted(), keras.layers.Dense(1)])
        model.compile('sgd', 'mse')
        x = np.ones((12, 2), 'float32')
        traces.clear()
        model.fit(x, x[:, :1], batch_size=4, epochs=3, verbose=0)
        first = len(traces)
        model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0)
        self.assertEqual(len(traces), first)  # nothing changed: the same trace
        model.fit(x[:10], x[:10, :1], batch_size=3, epochs=1, verbose=0)
        again = len(traces)
        self.assertGreater(again, first)      # another size of batches: traced again, with any size
        model.fit(x[:11], x[:11, :1], batch_size=5, epochs=1, verbose=0)
        self.assertEqual(len(traces), again)
