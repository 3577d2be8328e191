#!/usr/bin/env python3
"""tf.vectorized_map: ops that are applied to all elements at once give what they give for one after the other."""
import unittest

import numpy as np

import footlight as tf

draws = np.random.default_rng(7)


def reals(*shape):
    return tf.constant(draws.uniform(.1, .9, shape), tf.float32)


def below(limit, *shape):
    return tf.constant(draws.integers(0, limit, shape), tf.int32)


def as_complex(x):
    return tf.cast(x, tf.complex64)


class AtOnce(unittest.TestCase):
    def check(self, f, *elements):
        rows = list(zip(*[tf.unstack(e) for e in elements]))
        each = [tf.nest.flatten(f(*row)) for row in rows]
        for run in (lambda: tf.vectorized_map(lambda t: f(*t), elements, fallback_to_while_loop=False),
                    tf.function(lambda: tf.vectorized_map(lambda t: f(*t), elements, fallback_to_while_loop=False))):
            for k, got in enumerate(tf.nest.flatten(run())):
                wanted = np.stack([row[k].numpy() for row in each])
                self.assertEqual((got.dtype, got.shape), (each[0][k].dtype, wanted.shape))
                np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-3, atol=1e-4)

    def test_elementwise(self):
        x, y, n = reals(4, 3), reals(4, 3), below(3, 4, 3)
        self.check(lambda a, b: (tf.equal(a, b), tf.not_equal(a, b)), n, n)
        self.check(lambda a, b: tf.complex(a, b), x, y)
        self.check(lambda a: tf.complex(a, tf.constant(2.)), x)
        self.check(tf.linalg.cross, x, y)
        self.check(lambda a, b: tf.abs(tf.complex(a, b)), x, y)

    def test_matrices(self):
        m, v = reals(4, 3, 3), reals(4, 3)
        self.check(lambda a: (tf.linalg.diag(a[0]), tf.linalg.diag_part(a), tf.linalg.trace(a), tf.linalg.expm(a),
                              tf.linalg.band_part(a, 1, 0)), m)
        self.check(lambda a, b: tf.linalg.set_diag(a, b), m, v)
        self.check(lambda b: tf.linalg.set_diag(m[0], b), v)
        self.check(lambda a, b: tf.einsum('ij,j->i', a, b), m, v)
        self.check(lambda a: tf.einsum('ij,jk,...k->...i', a, m[0], a), m)
        self.check(lambda a: tf.einsum('ij,kj->ik', m[1], a), m)

    def test_parts(self):
        m = reals(4, 3, 4)
        self.check(lambda a: tf.roll(a, [1, 2], [0, -1]), m)
        self.check(lambda a: tf.split(a, 2, 1), m)
        self.check(lambda a: tf.split(a, [1, 3], -1), m)
        self.check(lambda a: tf.pad(a, [[1, 0], [0, 2]], 'REFLECT'), m)

    def test_rows_by_index(self):
        x, at = reals(4, 3, 2), below(3, 4, 3)
        for sums in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_max, tf.math.unsorted_segment_prod):
            self.check(lambda a, i: sums(a, i - 1, 3), x, at)  # some in none
            self.check(lambda a: sums(a, [2, 0, 2], 3), x)
            self.check(lambda i: sums(x[0], i, 3), at)
        self.check(lambda a, i: tf.gather_nd(a, i[:, None]), x, at)
        self.check(lambda i: tf.gather_nd(x[0], i[:, None]), at)
        self.check(lambda a: tf.gather_nd(a, [[0, 1], [2, 0]]), x)
        self.check(lambda a, i: tf.scatter_nd(i[:, None], a, [5, 2]), x, at)
        for change in (tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub, tf.tensor_scatter_nd_max,
                       tf.tensor_scatter_nd_min):
            self.check(lambda a, i: change(tf.ones([3, 2]), i[:, None], a), x, at)
        self.check(lambda a: tf.tensor_scatter_nd_update(a, [[1]], a[:1]), x)
        self.check(lambda a, b: tf.searchsorted(tf.sort(a[:, 0]), b[:, 1], 'right'), x, x)

    def test_spectra(self):
        x = reals(3, 2, 8)
        self.check(lambda a: (tf.signal.rfft(a), tf.signal.irfft(tf.signal.rfft(a), [6]), tf.signal.rfft2d(a)), x)
        self.check(lambda a: (tf.signal.fft(as_complex(a)), tf.signal.ifft2d(as_complex(a))), x)

    def test_layers(self):
        x, labels = reals(3, 4, 5), below(5, 3, 4)
        softmax = tf.nn.softmax_cross_entropy_with_logits
        self.check(lambda a: softmax(a, x[0]), x)
        self.check(lambda a, b: softmax(a, b), x, x)
        self.check(lambda a, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, a), x, labels)
        self.check(lambda a, i: tf.math.in_top_k(i, a, 2), x, labels)
        self.check(lambda a: tf.nn.bias_add(a, tf.constant([1., 2., 3., 4., 5.])), x)
        self.check(lambda a, b: tf.nn.bias_add(a, b[0]), x, x)
        images = reals(3, 1, 4, 4, 4)
        self.check(lambda a: (tf.nn.depth_to_space(a, 2), tf.nn.space_to_depth(a, 2)), images)
        self.check(lambda a: tf.image.adjust_contrast(a, .5), images)
        self.check(lambda a: tf.image.rgb_to_hsv(a[..., :3]), images)
        volumes = reals(2, 1, 4, 4, 4, 2)
        self.check(lambda a: (tf.nn.avg_pool3d(a, 2, 2, 'SAME'), tf.nn.max_pool3d(a, 2, 2, 'VALID')), volumes)

    def test_a_condition_for_all(self):
        x = reals(4, 3)

        def f(a, which, number):
            return (tf.cond(which, lambda: a * 2., lambda: tf.ones([3])),
                    tf.switch_case(number, [lambda: (a, a), lambda: (a + 1., tf.zeros([3]))]))
        for which in (True, False):
            number = tf.constant(int(which))
            self.check(lambda a: f(a, tf.constant(which), number), x)


class InTurn(unittest.TestCase):
    def test_a_gradient_of_a_loop(self):
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, a * a), (0, x))[1]
            return tape.gradient(y, x)
        made = tf.vectorized_map(f, tf.constant([1., 2.]), warn=False)
        self.assertEqual(made.numpy().tolist(), [4., 32.])


if __name__ == '__main__':
    unittest.main()
