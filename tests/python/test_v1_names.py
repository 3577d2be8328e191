"""Names of tf.compat.v1 and of tf.compat.v2, with the numbers that TensorFlow gives, eagerly and in a session."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import footlight as tf
from folder_case import FolderCase

v1 = tf.compat.v1
LABELS = np.array([[0.1, 0.9], [0.4, 0.3], [0.8, 0.2]], np.float32)
PREDICTIONS = np.array([[0.2, 0.7], [0.4, 0.9], [0.5, 0.1]], np.float32)
WEIGHTS = np.array([[1.0], [0.0], [2.0]], np.float32)


def in_session(make):
    """The value of what `make` builds in a graph."""
    with v1.Graph().as_default(), v1.Session() as session:
        made = make()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        return session.run(made)


class Names(FolderCase):
    def both(self, make, expected):
        for value in (make().numpy(), in_session(make)):
            np.testing.assert_allclose(value, expected, 1e-5)

    def test_spaces(self):
        self.assertIs(tf.compat.v2, tf)
        for name in ('audio.decode_wav', 'bitwise.bitwise_and', 'compat.as_bytes', 'config.list_physical_devices', 'debugging.assert_less',
                     'dtypes.as_dtype', 'errors.OutOfRangeError', 'image.random_hue', 'io.parse_example', 'io.gfile.exists',
                     'linalg.norm', 'math.reduce_sum', 'nest.flatten', 'nn.relu', 'random.normal', 'strings.join',
                     'train.Example', 'train.ExponentialMovingAverage', 'spectral.dct', 'python_io.TFRecordWriter', 'initializers.zeros'):
            found = v1
            for part in name.split('.'):
                found = getattr(found, part)
        with self.assertRaisesRegex(AttributeError, 'has no attribute'):
            v1.image.resize_imagez
        with self.assertRaisesRegex(AttributeError, 'nothing_like_this'):
            v1.nn.nothing_like_this

    @unittest.skipIf(importlib.util.find_spec('keras') is None, 'needs Keras')
    def test_of_keras(self):
        self.assertEqual(tf.losses.MeanSquaredError()([1.0], [3.0]).numpy(), 4.0)
        self.assertIs(tf.optimizers, tf.keras.optimizers)
        self.assertIs(v1.keras.layers.Dense, tf.keras.layers.Dense)

    def test_import_forms(self):
        script = ('from footlight import _alias; _alias.install(); import tensorflow.compat.v2 as tf, tensorflow.compat.v1 as v1; '
                  'from tensorflow.compat.v1 import gfile, flags; import tensorflow.compat.v1.losses as losses; '
                  'print(tf.add(1, 2).numpy(), gfile.Exists("/"), losses.Reduction.NONE)')
        done = subprocess.run([sys.executable, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, '3 True none\n', done.stderr)

    def test_losses(self):
        losses = v1.losses
        for reduction, expected in (('SUM', 0.25), ('SUM_BY_NONZERO_WEIGHTS', 0.0625), ('SUM_OVER_BATCH_SIZE', 0.0416667), ('MEAN', 0.0416667)):
            self.both(lambda: losses.mean_squared_error(LABELS, PREDICTIONS, WEIGHTS, reduction=getattr(losses.Reduction, reduction)), expected)
        self.both(lambda: losses.huber_loss(LABELS, PREDICTIONS, delta=0.2), 0.0283333)
        self.both(lambda: losses.sparse_softmax_cross_entropy([[0], [1], [1]], LABELS, [1.0, 0.0, 2.0]), 1.623038)
        with v1.Graph().as_default():
            one = losses.absolute_difference(LABELS, PREDICTIONS)
            losses.hinge_loss(LABELS, PREDICTIONS)
            self.assertEqual(one.op.name, 'absolute_difference/value')
            self.assertIs(losses.get_losses()[0], one)
            self.assertEqual(len(losses.get_losses()), 2)
            self.assertEqual(losses.get_total_loss().shape.rank, 0)
        with self.assertRaisesRegex(ValueError, 'weights can not be broadcast'):
            losses.mean_squared_error(LABELS, PREDICTIONS, [1.0, 2.0])

    def metric(self, make, *expected):
        with v1.Graph().as_default(), v1.Session() as session:
            value, update = make()
            self.assertTrue(v1.get_collection('metric_variables'))
            session.run(v1.local_variables_initializer())
            found = [session.run(value), session.run(update), session.run(update), session.run(value)]
            np.testing.assert_allclose(found, expected, 1e-5)

    def test_metrics(self):
        metrics, truth, said = v1.metrics, [0, 1, 1, 0, 1, 2], [0, 1, 0, 1, 1, 2]
        self.metric(lambda: metrics.mean([1.0, 2.0, 6.0], [1.0, 1.0, 0.0]), 0.0, 1.5, 1.5, 1.5)
        self.metric(lambda: metrics.accuracy(truth, said), 0.0, 0.666667, 0.666667, 0.666667)
        self.metric(lambda: metrics.precision(np.array(truth) > 0, np.array(said) > 0), 0.0, 0.75, 0.75, 0.75)
        self.metric(lambda: metrics.true_positives(np.array(truth) > 0, np.array(said) > 0), 0.0, 3.0, 6.0, 6.0)
        self.metric(lambda: metrics.auc([True, False, True, False], [0.9, 0.4, 0.6, 0.7]), 0.0, 0.75, 0.75, 0.75)
        with self.assertRaisesRegex(RuntimeError, 'eager execution'):
            metrics.mean([1.0])

    def test_summaries(self):
        with tempfile.TemporaryDirectory() as folder, v1.Graph().as_default() as graph, v1.Session() as session:
            loss = v1.placeholder(tf.float32, [])
            v1.summary.scalar('loss', loss)
            with tf.name_scope('inner'):
                v1.summary.scalar('a b', 2 * loss, family='kind')
            v1.summary.histogram('numbers', tf.constant([-1.0, 0.0, 1.0]) * loss)
            v1.summary.image('picture', tf.ones([1, 2, 3, 1]) * loss, max_outputs=1)
            merged = v1.summary.merge_all()
            with v1.summary.FileWriter(folder, graph) as writer:
                for step in range(2):
                    writer.add_summary(session.run(merged, {loss: step + 1.0}), step)
            file, = os.listdir(folder)
            events = list(v1.train.summary_iterator(os.path.join(folder, file)))
        self.assertEqual([e.WhichOneof('what') for e in events],
                         ['file_version', 'graph_def', 'meta_graph_def', 'summary', 'summary'])
        values = events[-1].summary.value
        self.assertEqual([v.tag for v in values], ['loss', 'kind/inner/kind/a_b', 'numbers', 'picture/image'])
        self.assertEqual((events[-1].step, values[0].simple_value, values[1].simple_value), (1, 2.0, 4.0))
        self.assertEqual((values[2].histo.num, values[2].histo.sum_squares, values[3].image.width), (3.0, 8.0, 3))

    def test_images_and_nn(self):
        image = np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1)
        self.both(lambda: v1.image.resize_images(image, [2, 2])[0, :, :, 0], [[0.0, 1.5], [3.0, 4.5]])
        self.both(lambda: v1.image.resize_images(image, [1, 3], v1.image.ResizeMethod.NEAREST_NEIGHBOR, True)[0, 0, :, 0], [0, 1, 2])
        self.both(lambda: v1.nn.embedding_lookup([LABELS, PREDICTIONS], [0, 1, 5]), [LABELS[0], PREDICTIONS[0], PREDICTIONS[2]])
        self.both(lambda: v1.nn.embedding_lookup([LABELS, PREDICTIONS], [0, 1, 5], 'div'), [LABELS[0], LABELS[1], PREDICTIONS[2]])
        self.both(lambda: tf.cast(v1.nn.in_top_k(LABELS, [1, 1, 0], 1), tf.float32), [1.0, 0.0, 1.0])
        self.both(lambda: v1.nn.softmax(LABELS, dim=0), tf.nn.softmax(LABELS, 0).numpy())
        self.both(lambda: v1.sparse_to_dense([[0, 1], [1, 2]], [2, 3], [5, 6]), [[0, 5, 0], [0, 0, 6]])
        self.both(lambda: v1.norm(LABELS, axis=1, keep_dims=True), np.linalg.norm(LABELS, axis=1, keepdims=True))

    def test_initializers_and_templates(self):
        self.assertEqual(v1.zeros_initializer(dtype=tf.int32)([2]).dtype, tf.int32)
        self.assertEqual(v1.constant_initializer([1, 2])([2]).numpy().tolist(), [1.0, 2.0])
        rows = v1.initializers.orthogonal()([3, 2]).numpy()
        np.testing.assert_allclose(rows.T @ rows, np.eye(2), atol=1e-5)
        with v1.Graph().as_default():
            scale = v1.make_template('scale', lambda x: x * v1.get_variable('w', [], initializer=v1.ones_initializer()))
            scale(1.0), scale(2.0)
            self.assertEqual([v.name for v in v1.global_variables()], ['scale/w:0'])
        template = v1.make_template('line', lambda x: x * v1.get_variable('w', [], initializer=v1.ones_initializer()))
        before = template(2.)
        template.variables[0].assign(3.)  # without a graph each template has variables of its own, and shares them
        self.assertEqual((float(before), float(template(2.))), (2, 6))
        self.assertEqual((len(template.variables), template.non_trainable_variables), (1, []))
        names = iter(['a', 'a', 'b'])
        grows = v1.make_template('grows', lambda: v1.get_variable(next(names), [1], initializer=v1.zeros_initializer()))
        self.assertIs(grows(), grows())
        with self.assertRaisesRegex(ValueError, 'after the first time'):
            grows()
        half = v1.Dimension(6) // 2
        self.assertEqual((half.value, tf.compat.dimension_value(half), tf.compat.dimension_value(None)), (3, 3, None))

    def test_assertions(self):
        v1.assert_less(1, 2, data=['shown'], message='never')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'wrong.*7'):
            v1.debugging.assert_equal(1, 2, data=[7], message='wrong')

    def test_files(self):
        v1.gfile.MakeDirs(self.folder + '/a/b')
        with v1.gfile.Open(self.folder + '/a/file', 'w') as file:
            file.write('text')
        v1.gfile.Copy(self.folder + '/a/file', self.folder + '/copy')
        self.assertEqual(sorted(v1.gfile.ListDirectory(self.folder + '/a')), ['b', 'file'])
        self.assertTrue(v1.gfile.IsDirectory(self.folder + '/a/b') and v1.gfile.Exists(self.folder + '/copy'))
        self.assertEqual(v1.gfile.Stat(self.folder + '/copy').length, 4)
        v1.gfile.DeleteRecursively(self.folder + '/a')
        self.assertEqual(v1.gfile.Glob(self.folder + '/*'), [self.folder + '/copy'])

    def test_iterators(self):
        with v1.Graph().as_default(), v1.Session() as session:
            dataset = tf.data.Dataset.range(3)
            iterator = v1.data.make_initializable_iterator(dataset)
            element, found = iterator.get_next(), []
            for _ in range(2):
                session.run(iterator.initializer)
                with self.assertRaises(v1.errors.OutOfRangeError):
                    while True:
                        found.append(int(session.run(element)))
            self.assertEqual(found, [0, 1, 2, 0, 1, 2])
            self.assertEqual((v1.data.get_output_types(dataset), v1.data.get_output_shapes(dataset)), (tf.int64, tf.TensorShape([])))

    def test_messages(self):
        config = v1.ConfigProto(allow_soft_placement=True, gpu_options=v1.GPUOptions(allow_growth=True), device_count={'GPU': 0})
        config.gpu_options.per_process_gpu_memory_fraction = 0.5
        config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
        self.assertEqual(config.SerializeToString(), b'\n\x07\n\x03GPU\x10\x002\x0b\t\x00\x00\x00\x00\x00\x00\xe0? \x018\x01R\x04\x1a\x02(\x01')
        self.assertEqual(v1.RunOptions.FULL_TRACE, 3)
        with v1.Graph().as_default(), v1.Session(config=config) as session:
            self.assertEqual(session.run(tf.constant(3.0)), 3.0)

    def test_without_eager(self):
        script = ('import footlight as tf; v1 = tf.compat.v1; v1.disable_eager_execution(); print(tf.executing_eagerly())\n'
                  's = v1.InteractiveSession(); print((tf.constant(2.0) * 3).eval()); s.close(); v1.reset_default_graph()\n'
                  'x = v1.placeholder(tf.float32, [None]); w = v1.get_variable("w", [1], initializer=v1.constant_initializer(2.0))\n'
                  'with v1.Session() as s:\n s.run(v1.global_variables_initializer()); print(s.run(x * w, {x: [3.0]}))')
        done = subprocess.run([sys.executable, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, 'False\n6.0\n[6.]\n', done.stderr)

    def test_own_flags(self):
        from footlight._tensorflow.compat.v1 import flags as own
        own.FLAGS, before = own.FlagValues(), own.FLAGS
        try:
            own.DEFINE_string('name', 'x', 'a name')
            own.DEFINE_bool('fast', True, 'whether')
            own.DEFINE_integer('steps', 3, 'how many', lower_bound=1)
            own.DEFINE_list('parts', ['a'], 'which')
            with self.assertRaises(own.UnparsedFlagAccessError):
                own.FLAGS.name
            rest = own.FLAGS(['program', '--name=y', '--nofast', '--steps', '5', 'more', '--parts=b,c', '--other=1'], known_only=True)
            self.assertEqual((own.FLAGS.name, own.FLAGS.fast, own.FLAGS.steps, own.FLAGS.parts), ('y', False, 5, ['b', 'c']))
            self.assertEqual(rest, ['program', 'more', '--other=1'])
            with self.assertRaisesRegex(own.IllegalFlagValueError, 'not between'):
                own.FLAGS(['program', '--steps=0'])
            with self.assertRaises(own.DuplicateFlagError):
                own.DEFINE_string('name', '', '')
        finally:
            own.FLAGS = before

    def test_far(self):
        resolvers = tf.distribute.cluster_resolver
        with self.assertRaisesRegex(ValueError, 'no TPU here'):
            resolvers.TPUClusterResolver('local')
        with self.assertRaisesRegex(NotImplementedError, 'leave the call out'):
            tf.config.experimental_connect_to_cluster(None)
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'no TPU here'):
            tf.tpu.experimental.initialize_tpu_system()
        with self.assertRaisesRegex(NotImplementedError, 'tf.saved_model.save'):
            tf.lite.TFLiteConverter.from_keras_model(None)
        os.environ['TF_CONFIG'] = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}'
        try:
            resolver = resolvers.TFConfigClusterResolver()
            self.assertEqual((resolver.task_type, resolver.task_id, resolver.master()), ('worker', 1, 'grpc://b:2'))
            self.assertEqual(resolver.cluster_spec().as_dict(), {'worker': ['a:1', 'b:2']})
        finally:
            del os.environ['TF_CONFIG']
