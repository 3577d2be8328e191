"""tf.raw_ops.CudnnRNN and CudnnRNNV3 beside the same layers written out in NumPy, with lengths, gradients and refusals."""
import unittest

import numpy as np

import footlight as tf

UNITS, DEPTH, BATCH, TIME = 4, 3, 2, 5
GATES = {'lstm': 4, 'gru': 3, 'rnn_relu': 1, 'rnn_tanh': 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    """A layer with random weights, and what it gives."""

    def __init__(self, mode):
        rows, gates = np.random.RandomState(3), GATES[mode]
        self.mode = mode
        self.parts = [rows.randn(gates, *shape).astype('f') for shape in ((UNITS, DEPTH), (UNITS, UNITS), (UNITS,), (UNITS,))]
        self.params = np.concatenate([part.ravel() for part in self.parts])
        self.x, self.h, self.c = (rows.randn(*shape).astype('f') for shape in ((TIME, BATCH, DEPTH), (BATCH, UNITS), (BATCH, UNITS)))

    def expected(self, lengths=(TIME, TIME)):
        """(outputs, h, c), a sequence after the other."""
        w, r, b, s = self.parts
        outputs, last_h, last_c = np.zeros([TIME, BATCH, UNITS], 'f'), self.h.copy(), self.c.copy()
        for row in range(BATCH):
            h, c = self.h[row], self.c[row]
            for t in range(lengths[row]):
                of_x, of_h = w @ self.x[t, row] + b, r @ h + s
                if self.mode == 'lstm':
                    i, f, new, o = of_x + of_h
                    c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
                    h = sigmoid(o) * np.tanh(c)
                elif self.mode == 'gru':
                    reset, update = sigmoid(of_x[:2] + of_h[:2])
                    h = (1 - update) * np.tanh(of_x[2] + reset * of_h[2]) + update * h
                else:
                    h = {'rnn_relu': lambda z: np.maximum(z, 0), 'rnn_tanh': np.tanh}[self.mode](of_x[0] + of_h[0])
                outputs[t, row] = h
            last_h[row], last_c[row] = h, c
        return outputs, last_h, last_c


class Recurrent(unittest.TestCase):
    def close(self, found, wanted):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)

    def test_each_kind(self):
        for mode in GATES:
            layer = Layer(mode)
            outputs, h, c = layer.expected()
            with self.subTest(mode):
                found = tf.raw_ops.CudnnRNN(input=layer.x, input_h=layer.h[None], input_c=layer.c[None], params=layer.params,
                                            rnn_mode=mode)
                self.close(found.output, outputs)
                self.close(found.output_h[0], h)
                if mode == 'lstm':
                    self.close(found.output_c[0], c)
                outputs, h, _ = layer.expected([3, 0])
                run = tf.function(tf.raw_ops.CudnnRNNV3)
                found = run(input=layer.x.transpose(1, 0, 2), input_h=layer.h[:, None], input_c=layer.c[:, None],
                            params=layer.params, sequence_lengths=[3, 0], rnn_mode=mode, time_major=False)
                self.close(found.output, outputs.transpose(1, 0, 2))
                self.close(found.output_h[:, 0], h)

    def test_gradient(self):
        layer = Layer('lstm')
        params = tf.constant(layer.params)

        def loss(params):
            found = tf.raw_ops.CudnnRNN(input=layer.x, input_h=layer.h[None], input_c=layer.c[None], params=params)
            return tf.reduce_sum(found.output * found.output)
        theory, numeric = tf.test.compute_gradient(loss, [params], delta=1e-2)
        np.testing.assert_allclose(theory[0], numeric[0], rtol=.05, atol=.05)

    def test_refusals(self):
        layer = Layer('gru')
        given = dict(input=layer.x, input_h=layer.h[None], input_c=[0.], params=layer.params, rnn_mode='gru')
        for more, kind, words in ((dict(direction='bidirectional'), NotImplementedError, 'each direction'),
                                  (dict(dropout=.5), NotImplementedError, 'tf.nn.dropout'),
                                  (dict(rnn_mode='other'), NotImplementedError, "rnn_mode='other'"),
                                  (dict(params=layer.params[1:]), ValueError, '107 elements, 108 are needed')):
            with self.assertRaisesRegex(kind, words):
                tf.raw_ops.CudnnRNN(**{**given, **more})
