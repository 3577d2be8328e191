#!/usr/bin/env python3
"""tf.vectorized_map: ops that are applied to all elements at once give what they give for one after the other."""
import contextlib
import io
import os
import sqlite3
import subprocess
import sys
import unittest

import numpy as np

import footlight as tf
from derivatives import gradient
from folder_case import FolderCase

draws = np.random.default_rng(7)


def reals(*shape):
    return tf.constant(draws.uniform(.1, .9, shape), tf.float32)


def below(limit, *shape):
    return tf.constant(draws.integers(0, limit, shape), tf.int32)


def as_complex(x):
    return tf.cast(x, tf.complex64)


class Checked(unittest.TestCase):
    def check(self, f, *elements, staged=False):
        rows = list(zip(*[tf.unstack(e) for e in elements]))
        one = tf.function(f) if staged else f
        each = [tf.nest.flatten(one(*row)) for row in rows]
        for run in (lambda: tf.vectorized_map(lambda t: f(*t), elements, fallback_to_while_loop=False),
                    tf.function(lambda: tf.vectorized_map(lambda t: f(*t), elements, fallback_to_while_loop=False))):
            for k, got in enumerate(tf.nest.flatten(run())):
                wanted = np.stack([row[k].numpy() for row in each])
                self.assertEqual((got.dtype, got.shape), (each[0][k].dtype, wanted.shape))
                np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-3, atol=1e-4)


class AtOnce(Checked):
    def test_errors_name_the_line_of_the_function(self):
        table = tf.constant([1, 2])

        def look_up(i):
            at = i * 2
            if table[0] > 0:
                at = tf.gather(table, at)
            return at
        line = look_up.__code__.co_firstlineno + 3
        for run in (lambda x: tf.vectorized_map(look_up, x), tf.function(lambda x: tf.vectorized_map(look_up, x))):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'GatherV2(?s:.*)line {line}, in .*look_up'):
                run(tf.range(4))

    def test_elementwise(self):
        x, y, n = reals(4, 3), reals(4, 3), below(3, 4, 3)
        self.check(lambda a, b: (tf.equal(a, b), tf.not_equal(a, b)), n, n)
        self.check(lambda a, b: tf.complex(a, b), x, y)
        self.check(lambda a: tf.complex(a, tf.constant(2.)), x)
        self.check(tf.linalg.cross, x, y)
        self.check(lambda a, b: tf.abs(tf.complex(a, b)), x, y)
        self.check(lambda a, b: tf.math.angle(tf.complex(a, b)), x, y)

    def test_biases_of_channels(self):
        images, bias = reals(4, 2, 3, 5, 6), reals(4, 3)
        for form, x in (('NCHW', images), ('NHWC', tf.transpose(images, [0, 1, 3, 4, 2]))):
            self.check(lambda a, b: tf.nn.bias_add(a, b, form), x, bias)
            self.check(lambda b: tf.nn.bias_add(x[0], b, form), bias)
            self.check(lambda a: tf.nn.bias_add(a, bias[0], form), x)

    def test_shapes(self):
        other = reals(2, 5)
        self.check(lambda a: tuple(tf.shape_n([a, other])) + tuple(tf.shape_n([other, a], out_type=tf.int64)), reals(4, 3))

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

        def of_slices(a):
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = tf.reduce_sum(a[1:, ::2] ** 2) + a[0, -1] ** 3
            return tape.gradient(y, a)
        self.check(of_slices, m)
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


def steps_to_one(n):
    steps = tf.constant(0)
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def halved(x):
    y = x
    while y > 1.:
        y = y * x * .5
    return y


class ControlFlow(Checked):
    def check(self, f, *elements):
        super().check(f, *elements, staged=True)

    def test_branches_by_element(self):
        n = tf.constant([1, 0, 2, 9, -1])
        self.check(lambda a: tf.cond(a > 1, lambda: (a * 2, a > 5), lambda: (a - 1, True)), n)
        self.check(lambda a: tf.cond(a > 9, lambda: a * 2, lambda: a), n)  # a branch that none takes
        self.check(lambda a: tf.switch_case(a, [lambda: 5., lambda: tf.cast(a, tf.float32), lambda: -1.]), n)
        m = reals(4, 2, 3)
        self.check(lambda a: tf.cond(a[0, 0] > .5, lambda: a @ tf.transpose(a), lambda: tf.zeros([2, 2])), m)
        self.check(lambda a: gradient(lambda x: tf.cond(x > .5, lambda: x * x, lambda: -x), a), m[0, 0])

    def test_loops_of_differing_length(self):
        self.check(steps_to_one, tf.constant([1, 2, 3, 27, 7]))

        def with_break(n):
            i, total, out = 0, 0., tf.zeros([2])
            while i < n:
                total += 1.
                i += 1
                out += 2.
                if total > 3.:
                    break
            return total, out
        self.check(with_break, tf.constant([1, 0, 2, 9]))
        self.check(with_break, tf.constant([0, 0]))  # none runs

        def nested(n):
            total = 0
            for i in tf.range(n):
                for j in tf.range(i):
                    total += i * j * n
            return total
        self.check(nested, tf.constant([3, 0, 5]))
        w = tf.constant([[1., 2.], [3., 4.]])
        self.check(lambda a: tf.while_loop(lambda v, k: tf.reduce_sum(v) < 100.,
                                           lambda v, k: (tf.linalg.matvec(w, v), k + 1), (tf.stack([a, a]), 0)),
                   tf.constant([1., 30., 60., .01]))

    def test_no_elements_and_numbers_of_elements_that_are_not_known(self):
        f = tf.function(lambda n: tf.vectorized_map(steps_to_one, n, fallback_to_while_loop=False),
                        input_signature=[tf.TensorSpec([None], tf.int32)])
        self.assertEqual(f(tf.constant([6, 7, 8])).numpy().tolist(), [8, 16, 3])
        self.assertEqual(f(tf.zeros([0], tf.int32)).shape, [0])

    def test_loops_as_long_for_all(self):
        w = tf.Variable([[.5, .1], [.2, .3]])

        def recurrent(x):
            h = tf.zeros([2])
            for row in x:
                h = tf.tanh(tf.linalg.matvec(w, h) + row)
            return h
        x = reals(3, 4, 2)
        self.check(recurrent, x)
        self.check(lambda a: gradient(recurrent, a), x)

        def of_weights(a):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(recurrent(a))
            return tape.gradient(y, w)
        self.check(of_weights, x)
        self.check(lambda a: tf.while_loop(lambda i, _: i < 2, lambda i, b: (i + 1, b * b), (0, a))[1], x)

    def test_lists_of_tensors(self):
        def written(x):
            array, total = tf.TensorArray(tf.float32, size=3), tf.constant(0.)
            for i in tf.range(3):
                total += x * tf.cast(i, tf.float32) * total + x
                array = array.write(i, total)
            return array.stack(), array.gather([2, 0]), array.read(1)
        x = tf.constant([1., 2.])
        self.check(written, x)
        self.check(lambda a: gradient(lambda b: tf.reduce_sum(written(b)[0]) + written(b)[2], a), x)

        def growing(x):
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True).unstack(x)
            for i in tf.range(3):
                array = array.write(array.size(), array.read(i) * 2.)
            return array.stack(), array.size()
        m = reals(2, 4)
        self.check(growing, m)
        self.check(lambda a: tf.TensorArray(tf.float32, size=4).scatter([2, 0], a[:2]).gather([0, 2]), m)
        self.check(lambda a: (tf.map_fn(lambda e: e * a[0], a), tf.scan(lambda b, e: b * .5 + e, a)), m)
        self.check(lambda a: tf.map_fn(lambda e: tf.reduce_sum(tf.map_fn(lambda g: g * e, a)), a), m)

    def test_gradients_of_the_whole(self):
        x = tf.constant([1.5, 1.2, .3])
        whole = tf.function(lambda x: gradient(lambda y: tf.vectorized_map(halved, y, warn=False), x))
        one = tf.function(lambda x: gradient(halved, x))
        self.assertEqual(whole(x).numpy().tolist(), [one(e).numpy() for e in x])


class InTurn(unittest.TestCase):
    """What has no batched form runs for one element after the other, or is refused."""

    def check(self, f, x, op, wanted):
        with self.assertRaisesRegex(ValueError, f'no batched form of {op} '):
            tf.vectorized_map(f, x, fallback_to_while_loop=False)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(tf.vectorized_map(f, x).numpy().tolist(), wanted)
        self.assertIn(f'vectorized_map: there is no batched form of {op}:', said.getvalue())

    def test_loops_with_effects(self):
        def counted(effect):
            def f(n):
                i = 0
                while i < n:
                    effect(i)
                    i += 1
                return i
            return f
        n = tf.constant([2, 0, 1])
        total = tf.Variable(0)
        self.check(counted(total.assign_add), n, 'While', [2, 0, 1])
        self.assertEqual(total.numpy(), 1)  # 0 + 1 + 0
        self.check(counted(lambda i: tf.debugging.assert_less(i, 5)), n, 'While', [2, 0, 1])
        self.check(counted(lambda i: tf.random.uniform([])), n, 'While', [2, 0, 1])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.vectorized_map(counted(lambda i: tf.debugging.assert_less(i, 1)), n, warn=False)

    def test_branches_with_effects(self):
        def checked(n):
            if n > 0:
                tf.debugging.assert_less(n, 5)
            return n + 1
        self.check(checked, tf.constant([2, 0, 1]), 'If', [3, 1, 2])
        total = tf.Variable(0)

        def counted(n):
            if n > 0:
                total.assign_add(n)
            return n + 1
        for first, wanted in ((2, 2), (0, 2), (1, 3)):  # for the first element alone
            self.assertEqual(tf.vectorized_map(counted, tf.constant([first, 3])).numpy().tolist(), [first + 1, 4])
            self.assertEqual(total.numpy(), wanted)

    def test_assignments_happen_once(self):
        total = tf.Variable(0.)
        x = tf.range(1., 4.)

        def mapped(change, result=lambda e: e):
            total.assign(0.)

            def f(e):
                change(e)
                return result(e)
            return tf.vectorized_map(f, x).numpy().tolist(), total.numpy()
        self.assertEqual(mapped(total.assign_add), ([1, 2, 3], 1))
        self.assertEqual(mapped(lambda e: total.assign_sub(e + 3.)), ([1, 2, 3], -4))
        self.assertEqual(mapped(lambda e: total.assign(e), lambda e: e + total), ([2, 3, 4], 1))
        self.assertEqual(mapped(lambda e: total.assign_add(1.), lambda e: e + total), ([2, 3, 4], 1))
        self.assertEqual(mapped(tf.function(lambda e: total.assign_add(e * 2.))), ([1, 2, 3], 2))
        rows = tf.Variable([0., 0.])
        tf.vectorized_map(lambda e: (rows.scatter_nd_add([[1]], [e]), e)[1], x, fallback_to_while_loop=False)
        self.assertEqual(rows.numpy().tolist(), [0, 1])
        for change in (total.assign_add, lambda e: total.assign(7.)):
            total.assign(0.)
            with self.assertRaisesRegex(ValueError, 'returns what an assignment to a variable gives'):
                tf.vectorized_map(change, x)
            self.assertEqual(total.numpy(), 0)

    def test_lists_in_loops_of_differing_length(self):
        def f(x):
            array, i, y = tf.TensorArray(tf.float32, size=3).write(0, x), 0, x
            while y < 3.:
                i += 1
                y += 1.
                array = array.write(i, y)
            return array.stack()
        x = tf.constant([1.5, 1., 4.])
        with contextlib.redirect_stderr(io.StringIO()) as said:
            made = tf.vectorized_map(f, x)
        self.assertEqual(made.numpy().tolist(), [[1.5, 2.5, 3.5], [1., 2., 3.], [4., 0., 0.]])
        self.assertIn('no batched form of StatelessWhile', said.getvalue())
        made = tf.vectorized_map(lambda a: gradient(halved, a), tf.constant([1.5, 1.2, .3]), warn=False)
        np.testing.assert_allclose(made, [1.6875, 1.2, 1.])

    def test_a_generator_draws_for_each_element(self):
        generator = tf.random.Generator.from_seed(1)
        drawn = tf.vectorized_map(lambda x: x + generator.normal([]), tf.zeros([8]), warn=False)
        self.assertEqual(len(set(drawn.numpy().tolist())), 8)
        before = generator.state.numpy().tolist()
        again = tf.vectorized_map(lambda x: x + generator.normal([]), tf.zeros([8]), warn=False)
        self.assertNotEqual(generator.state.numpy().tolist(), before)
        self.assertFalse(set(drawn.numpy().tolist()) & set(again.numpy().tolist()))

    def test_a_branch_with_an_assignment_runs_for_the_first_element(self):
        variable = tf.Variable(0.)

        def f(x):
            tf.cond(x > 0, lambda: variable.assign_add(x), lambda: variable.assign_sub(1.))
            return x
        for first, expected in ((-1., -1.), (2., 2.)):
            variable.assign(0.)
            x = tf.constant([first, 2., -3., 4.])
            self.assertEqual(tf.vectorized_map(f, x, warn=False).numpy().tolist(), x.numpy().tolist())
            self.assertEqual(variable.numpy(), expected)


class Recorded(FolderCase):

    def test_a_recording_names_the_line_of_the_users_function(self):
        script, recording = self.path('rows.py'), self.path('rows.footlight')
        with open(script, 'w', encoding='utf-8') as file:
            file.write('import tensorflow as tf\n'
                       'def twice(row):\n'
                       '    return row * 2.0\n'
                       'tf.vectorized_map(twice, tf.ones([4, 2]))\n')
        subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', recording, script], check=True,
                       capture_output=True, timeout=120)
        with contextlib.closing(sqlite3.connect(recording)) as db:
            made = db.execute('SELECT function.name, line, path FROM function JOIN file ON file.id = file').fetchall()
        self.assertEqual([(name, line, os.path.basename(path)) for name, line, path in made],
                         [('vectorized_map_twice', 2, 'rows.py')])
