"""Gradients of FusedBatchNorm and of its gradient, with the numbers that TensorFlow gives: its types are too
short for numeric differentiation."""
import unittest

import footlight as tf

INPUT = [[[[0., 1], [2, 3]]], [[[4, 5], [6, 8]]]]


def derivatives(version, data_format, training):
    """The gradients for x, scale and offset, and those of their sums for x and scale."""
    x = tf.constant(INPUT)
    if data_format == 'NCHW':
        x = tf.transpose(x, [0, 3, 1, 2])
    scale, offset = tf.constant([1., 2]), tf.constant([.5, -1])
    op = getattr(tf.raw_ops, 'FusedBatchNorm' + version)
    with tf.GradientTape() as outer:
        outer.watch([x, scale])
        with tf.GradientTape() as inner:
            inner.watch([x, scale, offset])
            y = op(x=x, scale=scale, offset=offset, mean=tf.constant([1., 3]), variance=tf.constant([4., 9]),
                   is_training=training, data_format=data_format)[0]
            loss = tf.reduce_sum(tf.sin(y))
        first = inner.gradient(loss, [x, scale, offset])
        again = tf.reduce_sum(tf.cos(first[0])) + tf.reduce_sum(first[1] * [1., 2])
    return [tf.reshape(t, [-1]) for t in first + outer.gradient(again, [x, scale])]


class BatchNorm(unittest.TestCase):
    def check(self, arguments, expected):
        eager, traced = derivatives(*arguments), tf.function(lambda: derivatives(*arguments))()
        for results in (eager, traced):
            for got, wanted in zip(results, expected, strict=True):
                for g, w in zip(got.numpy(), wanted, strict=True):
                    self.assertAlmostEqual(g, w, delta=1e-4 * (1 + abs(w)))

    def test_own_moments(self):
        self.check(('V3', 'NHWC', True),
                   [[-0.13929, -0.29965, 0.15317, -0.049822, 0.11155, 0.78222, -0.12542, -0.43274], [-1.4382, 1.153],
                    [1.9813, -0.72767],
                    [-0.37882, -0.40984, 0.40693, -0.63975, 0.28721, 1.748, -0.31533, -0.6984], [-0.75375, -5.4437]])

    def test_channels_first(self):
        self.check(('V2', 'NCHW', True),
                   [[-0.13929, 0.15317, -0.29965, -0.049822, 0.11155, -0.12542, 0.78222, -0.43274], [-1.4382, 1.153],
                    [1.9813, -0.72767],
                    [-0.37882, 0.40693, -0.40984, -0.63975, 0.28721, -0.31533, 1.748, -0.6984], [-0.75375, -5.4437]])

    def test_given_moments(self):
        self.check(('', 'NHWC', False),
                   [[0.49999, -0.4605, 0.27015, 0.3602, -0.20806, 0.62997, -0.49499, -0.46049], [-3.329, -0.060766],
                    [0.13419, 0.10376],
                    [0.5, -0.96042, 0.11593, 0.22839, -0.93698, 0.42481, -0.68818, -2.2102], [-3.8969, -4.5331]])

    def test_functions_over_the_op(self):
        x = tf.reshape(tf.range(8.), [1, 2, 2, 2])
        f = tf.compat.v1.nn.fused_batch_norm
        for run in (f, tf.function(f)):
            y, mean, variance = run(x, [1., 2.], [0., 1.])
            self.assertEqual([round(float(v), 3) for v in tf.reshape(y, [-1])],
                             [-1.342, -1.683, -.447, .106, .447, 1.894, 1.342, 3.683])
            self.assertEqual(mean.numpy().tolist(), [3, 4])
            self.assertEqual([round(float(v), 3) for v in variance], [6.667, 6.667])
        y, mean, variance = f(x, [1., 2.], [0., 1.], mean=[1., 1.], variance=[1., 4.], is_training=False)
        self.assertEqual([round(float(v), 3) for v in y[0, 0, 0]], [-1, 1])
        self.assertEqual((mean.numpy().tolist(), variance.numpy().tolist()), ([1, 1], [1, 4]))
        for wrong in ({'is_training': False}, {'exponential_avg_factor': .5}):
            with self.assertRaisesRegex(ValueError, 'Both `mean` and `variance` must be a 1D tensor'):
                f(x, [1., 2.], [0., 1.], **wrong)
        arguments = [1., 2.], [0., 0.], [0., 0.], [1., 1.], [2., 2.], 1.
        for scaled, wanted in ((True, [3, 5]), (False, [2, 3])):
            for g in (tf.nn.batch_norm_with_global_normalization, tf.compat.v1.nn.batch_norm_with_global_normalization):
                self.assertEqual(g(*arguments, scaled).numpy().tolist(), wanted)
