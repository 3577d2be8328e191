"""tf.py_function and tf.numpy_function where the recorded cases do not reach: loops, second derivatives, what runs when,
interrupts, lifetimes, threads."""
import gc
import unittest
import weakref

import numpy as np

import footlight as tf
from derivatives import derivatives, gradient
from threads import run_threads


class PyFunction(unittest.TestCase):
    def test_nothing_runs_while_tracing(self):
        ran = []

        @tf.function
        def f(x):
            return tf.py_function(lambda v: ran.append(float(v)) or v, [x], tf.float32)
        f.get_concrete_function(tf.TensorSpec([], tf.float32))
        self.assertEqual(ran, [])
        for i in range(3):
            f(tf.constant(float(i)))
        self.assertEqual(ran, [0., 1., 2.])

    def test_it_runs_eagerly(self):
        seen = []

        @tf.function
        def f(x):
            tf.py_function(lambda v: seen.append((tf.executing_eagerly(), (v + 1).numpy())), [x], [])
            return x
        with tf.GradientTape() as tape:
            f(tf.constant(2.))
        self.assertEqual(seen, [(True, 3.)])
        self.assertEqual(tape.watched_variables(), ())

    def test_each_iteration_has_its_own_gradient(self):
        ran = []

        def power(v):
            ran.append(float(v))
            return v * v

        @tf.function
        def f(x):
            for _ in tf.range(3):
                x = tf.ensure_shape(tf.py_function(power, [x], tf.float32), [])
            return x
        self.assertAlmostEqual(float(gradient(f, tf.constant(1.1))), 8 * 1.1 ** 7, places=4)
        self.assertEqual(len(ran), 3)  # the gradient found the three calls

    def test_what_returns_its_argument(self):
        @tf.function
        def f(x):
            for _ in tf.range(4):
                x = tf.ensure_shape(tf.py_function(lambda v: v, [x], tf.float32), []) * 1.
            return x * 3.
        self.assertEqual(float(gradient(f, tf.constant(2.))), 3.)

    def test_second_derivative(self):
        cube = lambda x: tf.py_function(lambda v: v * v * v, [x], tf.float32)
        for made in (cube, tf.function(cube)):
            self.assertEqual([float(t) for t in derivatives(made, tf.constant(2.), 2)], [8., 12., 12.])

    def test_inputs_that_have_no_gradient(self):
        f = lambda x: tf.py_function(lambda v, n, s: v ** tf.cast(n, tf.float32), [x, 3, 'text'], tf.float32)
        for made in (f, tf.function(f)):
            self.assertEqual(float(gradient(made, tf.constant(2.))), 12.)

    def test_the_message_has_both_lines(self):
        def breaks(v):
            raise ValueError('at the host')  # this line

        @tf.function
        def f(x):
            return tf.py_function(breaks, [x], tf.float32)
        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            f(tf.constant(1.))
        text = str(caught.exception)
        self.assertTrue(text.startswith('ValueError: at the host\nTraceback (most recent call last):\n'), text)
        for line in (breaks.__code__.co_firstlineno + 1, f.python_function.__code__.co_firstlineno + 2):
            self.assertRegex(text, rf'test_py_function\.py(:|", line ){line}\b')

    def test_a_wrong_dtype_is_said(self):
        @tf.function
        def f(x):
            return tf.numpy_function(lambda v: v.astype('f8'), [x], tf.float32)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError,
                                    r'0-th value returned by pyfunc_\d+ is float64, but expects float32'):
            f(tf.constant(1.))

    def test_an_interrupt_stays_one(self):
        for kind in (KeyboardInterrupt, SystemExit):
            def stops(v, kind=kind):
                raise kind
            for made in (lambda: tf.py_function(stops, [1.], tf.float32),
                         tf.function(lambda: tf.numpy_function(stops, [1.], tf.float32))):
                with self.assertRaises(kind):
                    made()

    def test_the_function_lives_as_long_as_the_graph(self):
        class Held:
            def __call__(self, v):
                return v + 1
        host = Held()
        alive = weakref.ref(host)
        f = tf.function(lambda x, h=host: tf.py_function(h, [x], tf.float32), autograph=False)
        concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
        del f, host
        gc.collect()
        self.assertEqual(float(concrete(tf.constant(1.))), 2.)
        del concrete
        gc.collect()
        self.assertIsNone(alive())

    def test_arrays_are_the_functions_own(self):
        x = tf.constant([1., 2.])

        def writes(v):
            v[0] = 7.
            return v
        f = tf.function(lambda: tf.numpy_function(writes, [x], tf.float32))
        self.assertEqual(f().numpy().tolist(), [7., 2.])
        self.assertEqual(x.numpy().tolist(), [1., 2.])

    def test_a_branch_that_is_not_taken(self):
        ran = []

        @tf.function
        def f(x):
            if x > 0:
                tf.py_function(lambda: ran.append('yes'), [], [])
            else:
                tf.py_function(lambda: ran.append('no'), [], [])
            return x
        f(tf.constant(1.))
        f(tf.constant(-1.))
        self.assertEqual(ran, ['yes', 'no'])

    def test_threads(self):
        f = tf.function(lambda x: tf.py_function(lambda v: v * 2, [x], tf.float32) + 1)
        f(tf.constant(0.))
        wrong = []

        def work(n):
            for i in range(200):
                if float(f(tf.constant(float(n * i)))) != 2. * n * i + 1:
                    wrong.append((n, i))
        run_threads(work, range(4))
        self.assertEqual(wrong, [])

    def test_it_may_trace_and_call_traced_functions(self):
        inner = tf.function(lambda v: v * 2)
        outer = tf.function(lambda x: tf.py_function(lambda v: inner(v) + tf.function(lambda w: w + 1)(v), [x], tf.float32))
        self.assertEqual(float(outer(tf.constant(3.))), 10.)

    def test_a_graph_in_a_file_has_no_function(self):
        f = tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.float32))
        graph = f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph.as_graph_def()
        node, = [n for n in graph.node if n.op == 'EagerPyFunc']
        self.assertEqual(sorted(node.attr), ['Tin', 'Tout', 'is_async', 'token'])

    def test_wrong_arguments(self):
        for error, words, call in (
                (TypeError, "argument: 'Tout'", lambda: tf.py_function(len, [1.])),
                (TypeError, "argument: 'inp'", lambda: tf.numpy_function(len, Tout=tf.int32)),
                (TypeError, 'used as a decorator', lambda: tf.py_function(None, [1.], tf.float32)),
                (ValueError, 'to be callable', lambda: tf.py_function(3, [1.], tf.float32))):
            with self.assertRaisesRegex(error, words):
                call()

    def test_what_consists_of_tensors(self):
        rows, sparse = tf.ragged.constant([[1, 2, 3], [4]]), tf.sparse.from_dense([[1, 0], [0, 2]])
        spec = tf.RaggedTensorSpec([None, None], tf.int32)

        def f():
            more = tf.py_function(lambda r, x: r + x[1], [rows, [0, 1]], spec)
            both = tf.py_function(lambda s, r, x: (s, tf.reduce_sum(r) + x), [sparse, rows, tf.constant(5)],
                                  [tf.SparseTensorSpec([2, 2], tf.int32), tf.int32])
            return more, tf.sparse.to_dense(both[0]), both[1]
        for run in (f, tf.function(f)):
            more, dense, total = run()
            self.assertEqual((more.to_list(), dense.numpy().tolist(), int(total)),
                             ([[2, 3, 4], [5]], [[1, 0], [0, 2]], 15))
        for wrong in (lambda r: r[0], lambda r: tf.cast(r, tf.int64), lambda r: (r, r)):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.py_function(wrong, [rows], [spec])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.py_function(lambda r: r, [rows], tf.int32)

    def test_no_results(self):
        ran = []
        for function, nothing in ((tf.py_function, []), (tf.numpy_function, None)):
            self.assertEqual(function(lambda: ran.append(1), [], []), nothing)

            @tf.function
            def f():
                done = function(lambda: ran.append(2), [], [])
                self.assertIsInstance(done, tf.Operation)
                with tf.control_dependencies([done]):
                    return tf.constant(len(ran))
            f()
        self.assertEqual(ran, [1, 2, 1, 2])
        rows = tf.ragged.constant([[1], [2, 3]])
        for results, signature in ((lambda r: r + 3, [tf.int32]), (lambda r: r.to_tensor(), [rows._type_spec])):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, '(?s)func=.* returned .* which did not match Tout='):
                tf.py_function(results, [rows], signature)

    def test_large_arrays(self):
        x = np.arange(200_000, dtype=np.float32)
        f = tf.function(lambda v: tf.numpy_function(np.cumsum, [v], tf.float32))
        np.testing.assert_array_equal(f(x).numpy(), np.cumsum(x))
