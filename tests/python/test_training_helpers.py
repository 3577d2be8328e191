"""Variables by name, averages, coordinators, views of checkpoints, networks' files and marked parts of a program."""
import glob
import gzip
import json
import os
import tempfile
import threading
import unittest

import footlight as tf

v1 = tf.compat.v1


class Names(unittest.TestCase):
    def test_scopes(self):
        with v1.variable_scope('a') as scope:
            with v1.variable_scope('b'):
                variable = v1.get_variable('w', [1], initializer=tf.zeros_initializer())
            self.assertEqual((variable.name, scope.name, v1.get_variable_scope().name), ('a/b/w:0', 'a', 'a'))
        with v1.variable_scope('q', initializer=tf.constant_initializer(3.)):
            self.assertEqual(v1.get_variable('z', [2]).numpy().tolist(), [3., 3.])
        self.assertIsNot(v1.get_variable('v', [2]), v1.get_variable('v', [2]))

    def test_errors(self):
        for arguments, words in (({'name': 'i'}, 'did not get an initializer'),
                                 ({'name': 'i', 'shape': [2], 'initializer': tf.constant([1., 2.])}, 'do not specify shape')):
            with self.assertRaisesRegex(ValueError, words):
                v1.get_variable(**arguments)

    def test_reuse_in_a_graph(self):
        with tf.Graph().as_default():
            with v1.variable_scope('a'):
                first = v1.get_variable('w', [1])
                with self.assertRaisesRegex(ValueError, 'already exists'):
                    v1.get_variable('w', [1])
            with v1.variable_scope('a', reuse=True):
                self.assertIs(v1.get_variable('w', [1]), first)
                with self.assertRaisesRegex(ValueError, 'does not exist'):
                    v1.get_variable('nope', [1])


class Training(unittest.TestCase):
    def test_average(self):
        variable = tf.Variable(1.)
        average = tf.train.ExponentialMovingAverage(.5)
        average.apply([variable])
        variable.assign(3.)
        average.apply([variable])
        self.assertEqual(average.average(variable).numpy(), 2.)
        with self.assertRaises(TypeError):
            average.apply([tf.Variable(1)])

    def test_coordinator(self):
        coordinator = tf.train.Coordinator()

        def work():
            with coordinator.stop_on_exception():
                raise ValueError('no more')
        thread = threading.Thread(target=work)
        thread.start()
        with self.assertRaisesRegex(ValueError, 'no more'):
            coordinator.join([thread])
        self.assertTrue(coordinator.should_stop())

    def test_view(self):
        root = tf.Module()
        root.a, root.b = tf.Variable(1.), [tf.Variable(2.)]
        path = tf.train.Checkpoint(root).save(os.path.join(tempfile.mkdtemp(), 'c'))
        view = tf.train.CheckpointView(path)
        self.assertLessEqual({'a', 'b'}, set(view.children(0)))
        self.assertIs(view.match(root)[view.children(0)['a']], root.a)

    def test_network(self):
        class Net(tf.contrib.eager.Network):
            def __init__(self):
                super().__init__()
                self.dense = self.track_layer(tf.layers.Dense(2))

            def call(self, x):
                return self.dense(x)
        first, second, x = Net(), Net(), tf.ones([1, 3])
        wanted = first(x).numpy().tolist()
        path = tf.contrib.eager.save_network_checkpoint(first, tempfile.mkdtemp(), global_step=3)
        tf.contrib.eager.restore_network_checkpoint(second, path)  # it has no variables yet
        self.assertEqual(second(x).numpy().tolist(), wanted)
        for variable in first.variables:
            variable.assign(variable * 0 + 9)
        tf.contrib.eager.restore_network_checkpoint(first, path)
        self.assertEqual(first(x).numpy().tolist(), wanted)

    def test_losses(self):
        self.assertEqual(tf.nn.compute_average_loss([1., 2., 3.], [1., 0., 2.], 4).numpy(), 1.75)
        self.assertEqual(tf.nn.scale_regularization_loss([1., 2.]).numpy(), 3.)
        with self.assertRaises(ValueError):
            tf.nn.compute_average_loss(1.)


class Sampled(unittest.TestCase):
    """Losses over drawn classes; the numbers are TensorFlow's."""

    WEIGHTS, BIASES = tf.reshape(tf.range(40.0), [10, 4]) / 10, tf.range(10.0) / 5
    LABELS, INPUTS = tf.constant([[1], [4], [7]], tf.int64), tf.reshape(tf.range(12.0), [3, 4]) / 7
    GIVEN = tf.constant([0, 4, 2], tf.int64), tf.constant([[.1], [.2], [.3]]), tf.constant([.1, .2, .3])

    def test_given_candidates(self):
        arguments = self.WEIGHTS, self.BIASES, self.LABELS, self.INPUTS, 3, 10

        def check(loss, wanted, **more):
            for call in (loss, tf.function(loss)):
                tf.debugging.assert_near(call(*arguments, sampled_values=self.GIVEN, **more), wanted, rtol=1e-5)
        check(tf.nn.nce_loss, [9.196484, 15.554003, 22.04321])
        check(tf.nn.nce_loss, [9.196484, 7.572794, 22.04321], remove_accidental_hits=True)
        check(tf.nn.sampled_softmax_loss, [1.5482044, 0.041186385, 0.0012266262])
        two = tf.constant([[1, 2], [4, 0], [7, 4]], tf.int64)
        loss = tf.nn.nce_loss(self.WEIGHTS, self.BIASES, two, self.INPUTS, 3, 10, 2,
                              (self.GIVEN[0], tf.ones([3, 2]) / 4, self.GIVEN[2]))
        tf.debugging.assert_near(loss, [11.729795, 20.533167, 37.35808], rtol=1e-5)

    def test_drawn_candidates(self):
        tf.random.set_seed(7)
        with tf.GradientTape() as tape:
            tape.watch(self.INPUTS)
            loss = tf.nn.sampled_softmax_loss(self.WEIGHTS, self.BIASES, self.LABELS, self.INPUTS, 4, 10, seed=2)
        tf.debugging.assert_near(loss, [4.686641, 4.9508843, 0.08012769], rtol=1e-5)
        tf.debugging.assert_near(tf.reduce_sum(tape.gradient(loss, self.INPUTS)), 13.296125, rtol=1e-5)

    def test_hits(self):
        rows, candidates, weights = tf.nn.compute_accidental_hits(
            tf.constant([[1, 2], [4, 0]], tf.int64), tf.constant([4, 2, 7], tf.int64), 2)
        self.assertEqual(memoryview(rows).tolist() + memoryview(candidates).tolist(), [0, 1, 1, 0])
        self.assertTrue(tf.reduce_all(weights < -1e38))


class Marked(unittest.TestCase):
    def test_parts(self):
        folder = tempfile.mkdtemp()
        with self.assertRaises(tf.errors.UnavailableError):
            tf.profiler.experimental.stop()
        with tf.profiler.experimental.Profile(folder):
            with self.assertRaises(tf.errors.AlreadyExistsError):
                tf.profiler.experimental.start(folder)
            with tf.profiler.experimental.Trace('step', number=7):
                pass
        file, = glob.glob(os.path.join(folder, 'plugins', 'profile', '*', '*.trace.json.gz'))
        with gzip.open(file, 'rt') as f:
            event, = json.load(f)['traceEvents']
        self.assertEqual((event['name'], event['args']), ('step', {'number': '7'}))
