"""Optimizers and learning rates of tf.compat.v1.train, with the numbers and names of slots that TensorFlow gives."""
import unittest

import numpy as np

import footlight as tf

v1 = tf.compat.v1
train = v1.train
PENALTIES = dict(l1_regularization_strength=0.05, l2_regularization_strength=0.01)
OPTIMIZERS = {
    'RMSProp': lambda: train.RMSPropOptimizer(0.1, momentum=0.5),
    'RMSPropC': lambda: train.RMSPropOptimizer(0.1, centered=True),
    'Adagrad': lambda: train.AdagradOptimizer(0.1),
    'Adadelta': lambda: train.AdadeltaOptimizer(0.5),
    'AdagradDA': lambda: train.AdagradDAOptimizer(0.1, train.get_or_create_global_step(), **PENALTIES),
    'Ftrl': lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.02, beta=0.1, **PENALTIES),
    'FtrlPlain': lambda: train.FtrlOptimizer(0.1, -0.7),
    'ProximalAdagrad': lambda: train.ProximalAdagradOptimizer(0.1, **PENALTIES),
    'ProximalGD': lambda: train.ProximalGradientDescentOptimizer(0.1, **PENALTIES),
    'Momentum': lambda: train.MomentumOptimizer(0.1, 0.9),
    'Nesterov': lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
}
# A dense variable, one whose gradients are sparse, and the names of the slots, after three steps.
TRAINED = {
    'RMSProp': ([0.387154, -1.02665, 1.96431, 0.330434],
        [[0.508439, -1.43774], [2.69264, 0.302454], [0.21852, -0.178965]],
        'e/RMSProp:0 e/RMSProp_1:0 x/RMSProp:0 x/RMSProp_1:0'),
    'RMSPropC': ([0.55893, -1.28212, 2.23177, 0.379526],
        [[0.624667, -1.56243], [2.677, 0.298483], [0.218248, -0.17896]],
        'e/RMSProp:0 e/RMSProp_1:0 e/RMSProp_2:0 x/RMSProp:0 x/RMSProp_1:0 x/RMSProp_2:0'),
    'Adagrad': ([0.782299, -1.77594, 2.77438, 0.323155],
        [[0.858956, -1.85731], [2.90003, 0.400857], [0.207002, -0.146548]],
        'e/Adagrad:0 x/Adagrad:0'),
    'Adadelta': ([0.999322, -1.99932, 2.99932, 0.499322],
        [[0.999632, -1.99963], [2.99978, 0.499776], [0.299776, -0.199776]],
        'e/Adadelta:0 e/Adadelta_1:0 x/Adadelta:0 x/Adadelta_1:0'),
    'AdagradDA': ([-0.0728886, 0.0881754, -0.0925137, -0.030371],
        [[-0.0974957, 0.0932079], [-0.0987343, -0.0928316], [-0.0811846, 0.026584]],
        'e/AdagradDA:0 e/AdagradDA_1:0 x/AdagradDA:0 x/AdagradDA_1:0'),
    'Ftrl': ([0.603295, -1.67554, 2.70573, 0.0607972],
        [[0.769924, -1.75022], [2.79916, 0.319199], [0.0800237, 0.00884651]],
        'e/Ftrl:0 e/Ftrl_1:0 x/Ftrl:0 x/Ftrl_1:0'),
    'FtrlPlain': ([0.774449, -1.88836, 2.92427, 0.0911062],
        [[0.897633, -1.91383], [2.94586, 0.401452], [0.127327, 0.0372331]],
        'e/Ftrl:0 e/Ftrl_1:0 x/Ftrl:0 x/Ftrl_1:0'),
    'ProximalAdagrad': ([0.775705, -1.77399, 2.77339, 0.298301],
        [[0.856456, -1.8556], [2.8994, 0.398627], [0.200956, -0.13283]],
        'e/ProximalAdagrad:0 x/ProximalAdagrad:0'),
    'ProximalGD': ([0.49829, -0.420923, 0.183637, 0.374373],
        [[0.418138, -1.00101], [1.75325, 0.254745], [0.214785, -0.174825]],
        ''),
    'Momentum': ([0.062, 1.08, -2.562, 0.290704],
        [[0.0319999, -0.328], [1.76, 0.26], [0.22, -0.18]],
        'e/Momentum:0 x/Momentum:0'),
    'Nesterov': ([-0.108352, 0.866592, -0.912192, 0.22079],
        [[-0.29272, 0.23288], [0.644, 0.044], [0.148, -0.162]],
        'e/Momentum:0 x/Momentum:0'),
}
DECAYS = {
    'exp': lambda step: train.exponential_decay(0.1, step, 3, 0.9),
    'exps': lambda step: train.exponential_decay(0.1, step, 3, 0.9, True),
    'nat': lambda step: train.natural_exp_decay(0.1, step, 3, 0.9, True),
    'inv': lambda step: train.inverse_time_decay(0.1, step, 3, 0.9),
    'poly': lambda step: train.polynomial_decay(0.1, step, 3, 0.01, 2.),
    'polyc': lambda step: train.polynomial_decay(0.1, step, 3, 0.01, 2., cycle=True),
    'cos': lambda step: train.cosine_decay(0.1, step, 5, 0.1),
    'rest': lambda step: train.cosine_decay_restarts(0.1, step, 2, 2., .8, .1),
    'rest1': lambda step: train.cosine_decay_restarts(0.1, step, 2, 1., .8, .1),
    'lin': lambda step: train.linear_cosine_decay(0.1, step, 5),
    'pw': lambda step: train.piecewise_constant(step, [1, 3], [1., .5, .2]),
    'pwd': lambda step: train.piecewise_constant_decay(step, [2], [.5, .2]),
}
# The rates at steps 0 to 8.
RATES = {
    'exp': [0.1, 0.0965489, 0.093217, 0.09, 0.086894, 0.0838953, 0.081, 0.0782046, 0.0755057],
    'exps': [0.1, 0.1, 0.1, 0.09, 0.09, 0.09, 0.081, 0.081, 0.081],
    'nat': [0.1, 0.1, 0.1, 0.040657, 0.040657, 0.040657, 0.0165299, 0.0165299, 0.0165299],
    'inv': [0.1, 0.0769231, 0.0625, 0.0526316, 0.0454545, 0.04, 0.0357143, 0.0322581, 0.0294118],
    'poly': [0.1, 0.05, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01],
    'polyc': [0.1, 0.05, 0.02, 0.01, 0.02, 0.0125, 0.01, 0.0144444, 0.0111111],
    'cos': [0.1, 0.0914058, 0.0689058, 0.0410942, 0.0185942, 0.01, 0.01, 0.01, 0.01],
    'rest': [0.1, 0.055, 0.082, 0.0714559, 0.046, 0.0205442, 0.0676, 0.0654077, 0.0591647],
    'rest1': [0.1, 0.055, 0.082, 0.046, 0.0676, 0.0388, 0.05608, 0.03304, 0.046864],
    'lin': [0.1001, 0.0724607, 0.0393705, 0.0139197, 0.00200983, 0.0001, 0.0001, 0.0001, 0.0001],
    'pw': [1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2],
    'pwd': [0.5, 0.5, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2],
}


class Optimizers(unittest.TestCase):
    def test_updates_of_dense_and_sparse_gradients(self):
        for name, make in OPTIMIZERS.items():
            with self.subTest(name), tf.Graph().as_default():
                x = v1.get_variable('x', initializer=[1., -2., 3., .5])
                e = v1.get_variable('e', initializer=[[1., -2.], [3., .5], [0.3, -0.2]])
                ids = v1.placeholder(tf.int32, [None])
                loss = (tf.reduce_sum(tf.square(x) * [1., 2., 3., .4]) +
                        tf.reduce_sum(tf.square(tf.nn.embedding_lookup(e, ids) + .1)))
                count = train.get_or_create_global_step()
                optimizer = make()
                step = optimizer.minimize(loss, global_step=count)
                with v1.Session() as session:
                    session.run(v1.global_variables_initializer())
                    for rows in ([0, 0], [2, 0], [1, 1]):
                        session.run(step, {ids: rows})
                    values = session.run([x, e, count])
                for value, expected in zip(values, TRAINED[name][:2]):
                    np.testing.assert_allclose(value, expected, 2e-5, 1e-6)
                self.assertEqual(values[2], 3)
                self.assertEqual(sorted(v.name for v in optimizer.variables()), TRAINED[name][2].split())

    def test_what_is_refused(self):
        for make in (lambda: train.AdagradOptimizer(.1, 0.), lambda: train.FtrlOptimizer(.1, 1.),
                     lambda: train.FtrlOptimizer(.1, l1_regularization_strength=-1.),
                     lambda: train.exponential_decay(.1, None, 1, 1.),
                     lambda: train.piecewise_constant(tf.constant(1), [1.], [1., 2.])()):
            self.assertRaises(ValueError, make)


class Instead(unittest.TestCase):
    def test_errors_say_what_to_write(self):
        for find, words in ((lambda: tf.load_op_library, 'numpy_function'),
                            (lambda: v1.nn.dynamic_rnn, 'tf.keras.layers.RNN'), (lambda: train.ProfilerHook, 'record'),
                            (lambda: train.Supervisor, 'MonitoredTrainingSession'),
                            (lambda: train.SyncReplicasOptimizer, 'one machine')):
            with self.assertRaisesRegex(AttributeError, 'not in Footlight yet: .*' + words):
                find()


class Rates(unittest.TestCase):
    def test_eagerly_and_in_a_graph(self):
        for name, make in DECAYS.items():
            with self.subTest(name):
                np.testing.assert_allclose([make(tf.constant(i, tf.int64))() for i in range(9)], RATES[name], 2e-5)
                with tf.Graph().as_default(), v1.Session() as session:
                    np.testing.assert_allclose(session.run([make(tf.constant(i, tf.int64)) for i in (0, 4)]),
                                               [RATES[name][0], RATES[name][4]], 2e-5)

    def test_noise_falls_with_the_step(self):
        tf.random.set_seed(1)
        early, late = ([float(train.noisy_linear_cosine_decay(1., step, 10 ** 9, variance_decay=2.)()) for _ in range(9)]
                       for step in (0, 10 ** 4))
        self.assertGreater(np.std(early), 100 * np.std(late))


class GlobalStep(unittest.TestCase):
    def test_each_graph_has_its_own(self):
        found = []
        for _ in range(2):
            with tf.Graph().as_default():
                self.assertIsNone(train.get_global_step())
                step = train.get_or_create_global_step()
                self.assertIs(train.get_global_step(), step)
                self.assertRaises(ValueError, train.create_global_step)
                with v1.Session() as session:
                    session.run(step.initializer)
                    session.run(v1.assign_add(step, 5))
                    found.append(session.run(step))
        self.assertEqual(found, [5, 5])
