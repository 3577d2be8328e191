"""tf.quantization.quantize_and_dequantize_v2, with numbers that TensorFlow gives."""
import unittest

import footlight as tf

X = tf.constant([[-1.3, -.5, 0., .26], [.5, .77, 1.9, 3.1]])
quantized = tf.quantization.quantize_and_dequantize_v2


def values(tensor):
    return [round(v, 4) for v in memoryview(tf.reshape(tensor, [-1])).tolist()]


class Quantized(unittest.TestCase):
    def test_ranges(self):
        for options, wanted in (
                ({}, [-1.2937, -.4882, 0, .2685, .4882, .7811, 1.9039, 3.1]),
                ({'range_given': True}, [-1.3071, -.5039, 0, .2677, .5039, .7717, 1.9055, 2]),
                ({'range_given': True, 'num_bits': 3}, [-1.3333, -.6667, 0, 0, .6667, .6667, 2, 2]),
                ({'range_given': True, 'num_bits': 1}, [-1, 0, 0, 0, 0, 0, 0, 0]),
                ({'signed_input': False, 'range_given': True}, [0, 0, 0, .2588, .502, .7686, 1.898, 2]),
                ({'signed_input': False, 'num_bits': 3}, [-1.3286, -.4429, 0, .4429, .4429, .8857, 1.7714, 3.1]),
                ({'axis': 1, 'num_bits': 4}, [-1.3, -.55, 0, .4429, .4875, .77, 1.9, 3.1]),
                ({'num_bits': 3, 'narrow_range': True, 'round_mode': 'HALF_UP'}, [-1.0333, 0, 0, 0, 0, 1.0333, 2.0667, 3.1])):
            for function in (quantized, tf.function(quantized), tf.quantization.quantize_and_dequantize):
                self.assertEqual(values(function(X, -1., 2., **options)), wanted, options)
        self.assertEqual(values(quantized(tf.zeros([3]), 0., 0.)), [0, 0, 0])

    def test_ranges_of_slices(self):
        found = quantized(X, [-1., -.5], [2., 1.], range_given=True, axis=0, num_bits=4)
        for row, low, high in ((0, -1., 2.), (1, -.5, 1.)):
            self.assertEqual(values(found[row]), values(quantized(X[row], low, high, range_given=True, num_bits=4)))

    def test_gradients(self):
        low, high = tf.constant(-1.), tf.constant(2.)
        with tf.GradientTape() as tape:
            tape.watch([X, low, high])
            y = quantized(X, low, high, range_given=True) * tf.reshape(tf.range(1., 9.), [2, 4])
        self.assertEqual([values(g) for g in tape.gradient(y, [X, low, high])], [[0, 2, 3, 4, 5, 6, 7, 0], [0], [0]])

    def test_refused(self):
        for words, low, high, options in (
                ('Invalid range', 2., 1., {'range_given': True}), ('num_bits is out of range', -1., 2., {'num_bits': 0}),
                ('num_bits is out of range', -1., 2., {'num_bits': 63}), ('round_mode', -1., 2., {'round_mode': 'x'}),
                ('must be a scalar', [-1., 0.], 2., {}), ('each of 2 slices', [-1.], [2.], {'axis': 0}), ('at least rank', -1., 2., {'axis': 2})):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                quantized(X, low, high, **options)
        self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'of int32', quantized, tf.constant([1]), 0, 1)
