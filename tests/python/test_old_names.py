"""Programs of TensorFlow 1.5's eager mode: layers, networks, metrics, optimizers with slots, restore on creation."""
import os
import unittest

import footlight as tf
from folder_case import FolderCase

tfe, v1 = tf.contrib.eager, tf.compat.v1


class TwoLayers(tfe.Network):
    def __init__(self):
        super().__init__()
        self.first = self.track_layer(tf.layers.Dense(2, activation=tf.nn.relu, use_bias=False, name='first'))
        self.second = self.track_layer(tf.layers.Dense(3, name='second'))

    def call(self, x):
        return self.second(self.first(x))


class Layers(unittest.TestCase):
    def test_networks(self):
        net = TwoLayers()
        self.assertEqual(net.variables, [])
        self.assertEqual(net(tf.constant([[1.]])).shape, [1, 3])
        self.assertEqual([v.shape.as_list() for v in net.variables], [[1, 2], [2, 3], [3]])
        self.assertEqual(net.variables[0].name, 'first/kernel:0')
        self.assertIs(net.get_layer('second'), net.second)
        with self.assertRaisesRegex(ValueError, 'No such layer'):
            net.get_layer('third')
        with self.assertRaisesRegex(TypeError, 'not a tf.layers.Layer'):
            net.track_layer(3)

    def test_layers(self):
        x = tf.reshape(tf.range(32.), [2, 4, 4, 1])
        convolution = tf.layers.Conv2D(3, 2, strides=2, activation=tf.nn.relu)
        self.assertEqual(convolution(x).shape, [2, 2, 2, 3])
        self.assertTrue(bool(tf.reduce_all(convolution(x) == tf.nn.relu(
            tf.nn.conv2d(x, convolution.kernel, 2, 'VALID') + convolution.bias))))
        self.assertEqual(tf.layers.MaxPooling2D(2, 2)(x)[0, :, :, 0].numpy().tolist(), [[5, 7], [13, 15]])
        self.assertEqual(tf.layers.AveragePooling2D(2, 2)(x)[0, 0, 0, 0].numpy(), 2.5)
        self.assertEqual(tf.layers.flatten(x).shape, [2, 16])
        dropout = tf.layers.Dropout(0.5)
        self.assertTrue(bool(tf.reduce_all(dropout(x) == x)))
        self.assertTrue(bool(tf.reduce_any(dropout(tf.ones([1000]), training=True) == 0.)))
        dense = tf.layers.Dense(1, kernel_initializer=tf.ones_initializer())
        self.assertEqual(dense(tf.ones([2, 3])).numpy().tolist(), [[3], [3]])
        self.assertEqual([v.name for v in dense.trainable_variables], [dense.name + '/kernel:0', dense.name + '/bias:0'])
        sequence = tfe.Sequential([tf.layers.Flatten(), tf.layers.Dense(2), tf.nn.relu])
        self.assertEqual(sequence(x).shape, [2, 2])
        self.assertEqual(len(sequence.variables), 2)


class Metrics(FolderCase):
    def test_mean(self):
        mean = tfe.metrics.Mean('my_mean')
        mean(0.0)
        mean([10.0, 20.0])
        self.assertEqual(mean.result().numpy(), 10.0)
        mean([100.0, 0.0], weights=[0.0, 1.0])
        self.assertEqual(mean.result().numpy(), 7.5)
        other = tfe.metrics.Mean()
        other.aggregate([mean])
        self.assertEqual(other.result().numpy(), 7.5)
        mean.init_variables()
        mean(3)
        self.assertEqual(mean.result().numpy(), 3.0)
        with self.assertRaises(RuntimeError):
            mean.add_variable('late')

    def test_accuracies(self):
        accuracy = tfe.metrics.Accuracy()
        accuracy([0, 1, 2, 3], [0, 0, 0, 3])
        self.assertEqual(accuracy.result().numpy(), 0.5)
        with self.assertRaisesRegex(ValueError, 'not equal'):
            accuracy([1], [1, 2])
        for metric, labels in ((tfe.metrics.CategoricalAccuracy(), [[0., 1.], [1., 0.]]),
                               (tfe.metrics.SparseAccuracy(), [1, 0])):
            metric(labels, [[0.2, 0.8], [0.4, 0.6]])
            self.assertEqual(metric.result().numpy(), 0.5)
        binary = tfe.metrics.BinaryAccuracy(0.5)
        binary([0., 1., 1.], [0.1, 0.9, 0.3])
        self.assertAlmostEqual(binary.result().numpy(), 2 / 3)

    def test_results_are_summaries(self):
        from footlight import _proto
        writer = tf.contrib.summary.create_file_writer(self.folder)
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            mean = tfe.metrics.Mean('my_mean')
            mean(4.0)
            mean.result()
        writer.close()
        with open(os.path.join(self.folder, os.listdir(self.folder)[0]), 'rb') as file:
            self.assertIn(b'my_mean', file.read())
        self.assertTrue(_proto.Event)


class Training(FolderCase):
    def test_adam(self):
        # The first steps of Adam by hand, as the paper gives them.
        variable, optimizer = tf.Variable([1.0, 2.0], name='v'), tf.train.AdamOptimizer(0.1)
        value, mean, square = [1.0, 2.0], [0.0, 0.0], [0.0, 0.0]
        for step in range(1, 4):
            optimizer.minimize(lambda: tf.reduce_sum(variable * variable))
            for i in range(2):
                gradient = 2 * value[i]
                mean[i] = 0.9 * mean[i] + 0.1 * gradient
                square[i] = 0.999 * square[i] + 0.001 * gradient ** 2
                corrected = 0.1 * (1 - 0.999 ** step) ** 0.5 / (1 - 0.9 ** step)
                value[i] -= corrected * mean[i] / (square[i] ** 0.5 + 1e-8)
            for found, expected in zip(variable.numpy(), value):
                self.assertAlmostEqual(found, expected, 4)
        self.assertEqual(optimizer.get_slot_names(), ['m', 'v'])
        self.assertEqual([v.name for v in optimizer.variables()],
                         ['beta1_power:0', 'beta2_power:0', 'v/Adam:0', 'v/Adam_1:0'])

    def test_momentum(self):
        variable, optimizer = tf.Variable(1.0), tf.train.MomentumOptimizer(0.1, 0.5)
        for _ in range(2):
            optimizer.minimize(lambda: 2.0 * variable)
        self.assertAlmostEqual(variable.numpy(), 1.0 - 0.1 * 2 - 0.1 * 3, 6)

    def test_slots_are_saved(self):
        variable, optimizer = tf.Variable([1.0], name='v'), tf.train.AdamOptimizer(0.1)
        step = tf.train.get_or_create_global_step()
        optimizer.minimize(lambda: variable * variable, global_step=step)
        path = tf.train.Checkpoint(model=variable, optimizer=optimizer).save(self.path('ck'))
        self.assertEqual([n for n, _ in tf.train.list_variables(path) if 'SLOT' in n],
                         ['model/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE',
                          'model/.OPTIMIZER_SLOT/optimizer/v/.ATTRIBUTES/VARIABLE_VALUE'])
        expected = optimizer.get_slot(variable, 'm').numpy().tolist()
        optimizer.get_slot(variable, 'm').assign([7.0])
        tf.train.Checkpoint(model=variable, optimizer=optimizer).restore(path).assert_consumed()
        self.assertEqual(optimizer.get_slot(variable, 'm').numpy().tolist(), expected)
        # Slots that are made later get their values then.
        other, fresh = tf.Variable([0.0]), tf.train.AdamOptimizer(0.0)
        status = tf.train.Checkpoint(model=other, optimizer=fresh).restore(path)
        fresh.minimize(lambda: 0.0 * other)
        self.assertAlmostEqual(fresh.get_slot(other, 'm').numpy()[0], expected[0] * 0.9, 6)
        status.assert_consumed()

    def test_restore_on_creation(self):
        net = TwoLayers()
        expected = net(tf.ones([1, 4])).numpy().tolist()
        path = tfe.Saver(net.variables).save(self.path('ck'), global_step=3)
        self.assertEqual(tf.train.latest_checkpoint(self.folder), path)
        again = TwoLayers()
        with tfe.restore_variables_on_create(path):
            self.assertEqual(again(tf.ones([1, 4])).numpy().tolist(), expected)
            with self.assertRaisesRegex(tf.errors.NotFoundError, "no variable 'other'"):
                tf.Variable(1.0, name='other')
        with tfe.restore_variables_on_create(None):
            self.assertEqual(tf.Variable(1.0, name='other').numpy(), 1.0)


class OldParameters(unittest.TestCase):
    """tf.compat.v1's functions whose parameters have other names today; numbers of TensorFlow."""

    def test_numbers(self):
        v1 = tf.compat.v1
        x = tf.reshape(tf.range(12.), [3, 4])
        images = tf.reshape(tf.range(32.), [1, 4, 4, 2])
        rows = tf.Variable([[1., 2.], [3., 4.]])
        for got, wanted in (
                (v1.reduce_sum(x, 1, True), [[6], [22], [38]]), (v1.reduce_mean(x, reduction_indices=[0]), [4, 5, 6, 7]),
                (v1.reduce_max(x, keep_dims=True), [[11]]), (v1.argmax(x, dimension=0), [2] * 4),
                (v1.expand_dims(x, dim=0)[0, 0], [0, 1, 2, 3]), (v1.squeeze(x[tf.newaxis, :1], squeeze_dims=[0]), [[0, 1, 2, 3]]),
                (v1.div(-7, 2), -4), (v1.div(7., 2.), 3.5), (v1.gather(x, [2], axis=1), [[2], [6], [10]]),
                (v1.where([True, False, True], x, -x)[1], [-4, -5, -6, -7]), (v1.setdiff1d([1, 2, 3, 2], [2]).idx, [0, 2]),
                (v1.cond(True, lambda: [1], lambda: [2]), 1), (v1.while_loop(lambda i: i < 5, lambda i: i + 1, [0]), 5),
                (v1.scatter_add(rows, [0], [[1., 1.]]), [[2, 3], [3, 4]]), (v1.count_nonzero(x, reduction_indices=[1]), [3, 4, 4]),
                (v1.nn.conv2d(images, filter=tf.ones([2, 2, 2, 1]), strides=[1, 2, 2, 1], padding='VALID')[0, :, :, 0],
                 [[44, 76], [172, 204]]), (v1.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')[0, 0], [[10, 11], [14, 15]]),
                (v1.nn.moments(x, [1], keep_dims=True)[0], [[1.5], [5.5], [9.5]]), (v1.nn.dropout(x, 1.)[0], [0, 1, 2, 3]),
                (v1.nn.relu_layer(x[:1], tf.ones([4, 1]), [1.]), [[7]])):
            self.assertEqual(tf.convert_to_tensor(got).numpy().tolist(), wanted)
        labels = tf.constant([[0.25, 0.75]])
        with tf.GradientTape() as tape:
            tape.watch(labels)
            loss = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=[[1., 2.]])
        self.assertIsNone(tape.gradient(loss, labels))
        self.assertRaises(ValueError, v1.reduce_sum, x, 1, reduction_indices=1)
        self.assertRaises(ValueError, v1.where, [True], x)
        self.assertRaises(TypeError, v1.cond, True, 1, 2)
        with v1.name_scope(None, 'mine') as scope:
            self.assertEqual(scope, 'mine/')

    def test_in_a_session(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [2, 2])
            self.assertEqual(session.run(v1.reduce_sum(x, reduction_indices=[1]), {x: [[1, 2], [3, 4]]}).tolist(), [3, 7])

    def test_a_whole_script(self):
        """One that knows no other namespace than tf.compat.v1."""
        v1 = tf.compat.v1
        self.assertIsNone(v1.newaxis)
        self.assertIs(v1.float32, tf.float32)
        with v1.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(v1.float32, [None], name='x')
            y = v1.cond(v1.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1)
            n = v1.placeholder(v1.int32, [])
            loop = v1.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 2), [v1.constant(0), v1.constant(1.)])
            self.assertEqual(session.run(y, {x: [1., 2.]}).tolist(), [2, 4])
            self.assertEqual(session.run(y, {x: [-1., -2.]}).tolist(), [-2, -3])
            self.assertEqual([r.item() for r in session.run(loop, {n: 5})], [5, 32])

    def test_order_of_parameters(self):
        v1 = tf.compat.v1
        x = v1.constant([[1, 2, 3], [4, 5, 6]])
        for got, wanted in (
                (v1.shape(x, 'name', v1.int64), [2, 3]), (v1.size(x, 'name'), 6), (v1.zeros_like(x, None, 'name'), [[0] * 3] * 2),
                (v1.ones_like(x, v1.int64, 'name'), [[1] * 3] * 2), (v1.transpose(x, [1, 0], 'name'), [[1, 4], [2, 5], [3, 6]]),
                (v1.pad([1], [[1, 0]], 'CONSTANT', 'name', 9), [9, 1]), (v1.boolean_mask(x, [True, False], 'name'), [[1, 2, 3]]),
                (v1.gather_nd(x, [[0], [2]], 'name', 1), [1, 6]), (v1.convert_to_tensor([1], None, 'name', v1.int64), [1])):
            self.assertEqual(tf.convert_to_tensor(got).numpy().tolist(), wanted)
        self.assertRaisesRegex(TypeError, r'with shape \(2,\), but got shape \(1,\)', v1.constant, [1], None, [2],
                               verify_shape=True)

    def test_variables_that_collections_know(self):
        v1 = tf.compat.v1
        variable = v1.Variable([1.], trainable=False, name='v', dtype=tf.float64)
        self.assertEqual((variable.name, variable.dtype, variable.trainable, isinstance(variable, tf.Variable)),
                         ('v:0', tf.float64, False, True))
        with tf.Graph().as_default() as graph, v1.Session() as session:
            a, b = v1.Variable(1.), v1.Variable(2., trainable=False, collections=['mine'])
            c = v1.get_variable('c', initializer=tf.constant(3.))
            d = tf.Variable(4., trainable=False, name='d')
            for got, wanted in ((v1.global_variables(), [a, c, d]), (v1.trainable_variables(), [a, c]),
                                (graph.get_collection('mine'), [b]), (v1.global_variables('c'), [c]),
                                (v1.get_collection(v1.GraphKeys.LOCAL_VARIABLES), [])):
                self.assertEqual([v.name for v in got], [v.name for v in wanted])
            v1.add_to_collection('mine', 5)
            self.assertEqual(v1.get_collection_ref('mine')[1:], [5])
            session.run([a.initializer, b.initializer])

            @tf.function
            def f():
                found = len(v1.get_collection('mine'))
                v1.add_to_collection('mine', 6)
                return found
            self.assertEqual(session.run(f()), 2)
            self.assertEqual(len(graph.get_collection('mine')), 2)
            self.assertEqual(session.run(a.assign_add(b)), 3.)

    def test_placeholders_with_a_default(self):
        v1 = tf.compat.v1
        self.assertEqual(v1.placeholder_with_default([1., 2.], [None]).numpy().tolist(), [1., 2.])
        with tf.Graph().as_default(), v1.Session() as session:
            x = tf.constant(3.)
            p = v1.placeholder_with_default(tf.stack([x, x]), [None], name='p')
            self.assertEqual((p.name, p.op.type, p.shape.as_list()), ('p:0', 'PlaceholderWithDefault', [None]))
            y = p * p
            self.assertEqual([session.run(y).tolist(), session.run(y, {p: [1., 2., 3.]}).tolist()], [[9., 9.], [1., 4., 9.]])
            self.assertEqual(session.run(tf.gradients(y, x)), [12.])
        f = tf.function(lambda x: v1.placeholder_with_default(x, [None]) * 2.)
        self.assertEqual(f(tf.constant([1.])).numpy().tolist(), [2.])

    def test_sparse_placeholders(self):
        v1 = tf.compat.v1
        self.assertRaisesRegex(RuntimeError, 'eager', v1.sparse_placeholder, tf.float32)
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.sparse_placeholder(tf.float32, [None, 3], name='x')
            self.assertEqual((x.shape.as_list(), x.indices.shape.as_list(), x.values.name), ([None, 3], [None, 2], 'x/values:0'))
            whole = tf.sparse.to_dense(tf.SparseTensor(x.indices, x.values, (tf.shape(x)[0], 3)))
            self.assertEqual(whole.shape.as_list(), [None, 3])
            found = session.run(whole, {x.indices: [[1, 2]], x.values: [5.], x.dense_shape: [2, 3]})
            self.assertEqual(found.tolist(), [[0, 0, 0], [0, 0, 5]])
            self.assertIsNone(v1.sparse_placeholder(tf.int32).shape.rank)

    def test_variables_are_of_todays_class(self):
        old = tf.compat.v1.Variable
        self.assertTrue(issubclass(old, tf.Variable))
        self.assertIsInstance(old(1.), tf.Variable)
        self.assertNotIsInstance(tf.Variable(1.), old)
        with tf.Graph().as_default():
            self.assertIsInstance(old(1.), tf.Variable)
            self.assertIsInstance(tf.compat.v1.get_variable('a', [2]), tf.Variable)


class VariablesOfGraphs(unittest.TestCase):
    def test_load(self):
        with tf.Graph().as_default():
            variable = v1.Variable([0., 0.])
            with v1.Session() as session:
                variable.load([1., 2.], session)
                self.assertEqual(session.run(variable).tolist(), [1, 2])
                with session.as_default():
                    variable.load([3., 4.])
                self.assertEqual(session.run(variable).tolist(), [3, 4])
            with self.assertRaisesRegex(ValueError, 'session'):
                variable.load([5., 6.])
        variable = tf.Variable(1.)
        variable.load(2.)
        self.assertEqual(float(variable), 2)

    def test_made_in_bodies(self):
        def weight():
            return v1.get_variable('w', [], initializer=v1.ones_initializer())
        for result_of in (lambda: tf.map_fn(lambda x: x * weight(), tf.range(3.)),
                          lambda: tf.foldl(lambda a, x: a + x * weight(), tf.range(3.)),
                          lambda: tf.scan(lambda a, x: a + x * weight(), tf.range(3.)),
                          lambda: tf.cond(v1.placeholder_with_default(True, []), lambda: weight() * 2., lambda: 0.)):
            with tf.Graph().as_default(), v1.Session() as session:
                result = result_of()
                (made,) = v1.trainable_variables()
                self.assertEqual(v1.global_variables(), [made])
                with v1.variable_scope('', reuse=True):
                    self.assertIs(weight(), made)
                session.run(v1.global_variables_initializer())
                before = session.run(result)
                made.load(2., session)
                self.assertEqual(session.run(result).tolist(), (2 * before).tolist())


class Choices(unittest.TestCase):
    def test_what_was_a_choice(self):
        for name in ('control_flow_v2', 'resource_variables', 'tensor_equality'):
            getattr(v1, 'enable_' + name)()
        self.assertTrue(v1.control_flow_v2_enabled() and v1.resource_variables_enabled() and v1.executing_eagerly())
        self.assertTrue(tf.function(lambda: tf.constant(v1.executing_eagerly_outside_functions()))().numpy())
        with tf.Graph().as_default():
            self.assertFalse(v1.executing_eagerly_outside_functions())

    def test_names_of_today(self):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [])
            chosen = v1.case([(x < 1., lambda: 1), (x < 2., lambda: 2)], default=lambda: 3)
            self.assertEqual([session.run(chosen, {x: float(i)}) for i in range(3)], [1, 2, 3])
            self.assertEqual(session.run(v1.tuple([x, x * 2]), {x: 4.}), [4, 8])
        self.assertIs(v1.VariableAggregation, tf.VariableAggregation)
        sparse = tf.SparseTensor([[0]], [1.], [2])
        self.assertIs(v1.convert_to_tensor_or_sparse_tensor(sparse), sparse)
        self.assertEqual(v1.convert_to_tensor_or_sparse_tensor([1]).numpy().tolist(), [1])
        with self.assertRaisesRegex(RuntimeError, 'Sparse dtype: requested = int32, actual = float32'):
            v1.convert_to_tensor_or_sparse_tensor(sparse, tf.int32)
