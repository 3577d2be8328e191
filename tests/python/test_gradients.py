"""Gradients from Python: sparse ones, jacobians, forward mode, custom gradients, second derivatives of staged loops."""
import unittest

import footlight as tf
import footlight.contrib.eager as tfe
from derivatives import derivatives, gradient

FA = tf.autodiff.ForwardAccumulator


def values(t):
    """A tensor as nested Python lists, without NumPy."""
    return memoryview(tf.convert_to_tensor(t)).tolist()


def jvp(f, x, tangent):
    with FA(x, tangent) as acc:
        y = f(x)
    return acc.jvp(y)


class Sparse(unittest.TestCase):
    def setUp(self):
        self.v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])

    def test_inputs_of_operations_are_what_the_tape_saw(self):
        w = tf.Variable([[1., 2.], [3., 4.]])

        def logits(x):
            return tf.nn.bias_add(x @ w, [1., 1.])  # nothing else keeps the object

        @tf.function
        def found(x, through):
            with tf.GradientTape() as tape:
                chances = tf.nn.softmax(logits(x))
                before = chances.op.inputs[0] if through else logits(x)
                loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], before))
            return tape.gradient(loss, w)
        x = tf.constant([[1., 2.], [3., 1.]])
        self.assertEqual(values(found(x, True)), values(found(x, False)))

    def test_rows(self):
        for f in (lambda v: tf.gather(v, [1, 1]), lambda v: v.sparse_read([1, 1]),
                  lambda v: tf.gather(v.read_value(), [1, 1]), tf.function(lambda v: tf.gather(v, [1, 1]))):
            g = gradient(f, self.v)
            self.assertIsInstance(g, tf.IndexedSlices)
            self.assertEqual(values(g.indices), [1, 1])
            self.assertEqual(values(g), [[0, 0], [2, 2], [0, 0]])

    def test_sum_of_both_kinds(self):
        g = gradient(lambda v: tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(tf.gather(v, [2])), self.v)
        self.assertIsInstance(g, tf.IndexedSlices)
        g = gradient(lambda v: tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(v), self.v)
        self.assertIsInstance(g, tf.Tensor)
        self.assertEqual(values(g), [[2, 2], [1, 1], [1, 1]])

    def test_dense_where_it_must_be(self):
        self.assertEqual(values(gradient(lambda v: tf.gather(v * 2., [[0], [0]]), self.v)), [[4, 4], [0, 0], [0, 0]])
        self.assertIsInstance(gradient(lambda v: tf.gather(v, [0], axis=1), self.v), tf.Tensor)

    def test_in_functions(self):
        @tf.function
        def inside(i):
            return tf.gradients(tf.gather(self.v, i), self.v)[0]
        g = inside(tf.constant([0, 2]))
        self.assertIsInstance(g, tf.IndexedSlices)
        self.assertEqual(values(g), [[1, 1], [0, 0], [1, 1]])

        @tf.function
        def loop(n):
            s = tf.zeros([1, 2])
            for i in tf.range(n):
                s += tf.gather(self.v, [i])
            return s
        self.assertEqual(values(gradient(lambda v: loop(tf.constant(2)), self.v)), [[1, 1], [1, 1], [0, 0]])

    def test_arguments_and_results_of_functions(self):
        s = tf.IndexedSlices(tf.constant([[1.]]), tf.constant([1]), tf.constant([2, 1]))
        self.assertEqual(values(tf.function(lambda a: a)(s)), [[0], [1]])
        self.assertEqual(values(tf.function(lambda a: a.values * 2.)(s)), [[2]])
        self.assertRaises(ValueError, tf.convert_to_tensor, tf.IndexedSlices(tf.constant([1.]), tf.constant([0])))


class Jacobians(unittest.TestCase):
    def test_jacobian(self):
        x = tf.constant([1., 2.])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        self.assertEqual(values(tape.jacobian(y, x)), [[2, 0], [0, 4]])
        self.assertRaises(RuntimeError, tape.jacobian, y, x)

    def test_batch(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        self.assertEqual(values(tape.batch_jacobian(y, x)), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])

    def test_unknown_size(self):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def f(x):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = x * x
            return tape.jacobian(y, x)
        self.assertEqual(values(f(tf.constant([1., 2., 3.]))), [[2, 0, 0], [0, 4, 0], [0, 0, 6]])

    def test_hessians(self):
        f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x ** 3), [x])[0])
        self.assertEqual(values(f(tf.constant([1., 2.]))), [[6, 0], [0, 12]])
        self.assertRaises(RuntimeError, tf.hessians, tf.constant(1.), tf.constant(1.))


class Forward(unittest.TestCase):
    def test_ops(self):
        x, t = tf.constant([0.5, 2.]), tf.constant([1., 10.])
        self.assertEqual(values(jvp(lambda x: x * x, x, t)), [1, 40])
        self.assertEqual(values(jvp(lambda x: tf.gather(x, [1, 0]), x, t)), [10, 1])
        self.assertEqual(values(jvp(lambda x: tf.split(x, 2)[1] * 2., x, t)), [20])
        self.assertIsNone(jvp(lambda x: tf.constant(1.), x, t))

    def test_functions_branches_loops(self):
        x, t = tf.constant([1., 2.]), tf.constant([1., 1.])

        @tf.function
        def f(x):
            if tf.reduce_sum(x) > 0.:
                x = x * x
            for _ in tf.range(2):
                x = x * x
            return x
        self.assertEqual(values(jvp(f, x, t)), [8, 8 * 2 ** 7])

    def test_nested(self):
        x, one = tf.constant(2.), tf.constant(1.)
        with FA(x, one) as outer:
            with FA(x, one) as inner:
                y = x ** 3
            first = inner.jvp(y)
        self.assertEqual((values(first), values(outer.jvp(first))), (12, 12))
        with FA(x, one) as acc:
            g = gradient(lambda x: x ** 3, x)
        self.assertEqual(values(acc.jvp(g)), 12)
        with tf.GradientTape() as tape:
            tape.watch(x)
            d = jvp(lambda x: x ** 3, x, one)
        self.assertEqual(values(tape.gradient(d, x)), 12)

    def test_variables(self):
        v = tf.Variable([1., 2.])
        self.assertEqual(values(jvp(lambda v: tf.gather(v, [1]) * 3., v, tf.constant([1., 10.]))), [30])


class Custom(unittest.TestCase):
    def test_method_variables_and_errors(self):
        v = tf.Variable(3.)

        class Layer:
            @tf.custom_gradient
            def call(self, x):
                def grad(dy, variables=None):
                    return dy * 2., [dy * 7.]
                return x * v, grad
        with tf.GradientTape() as tape:
            x = tf.constant(2.)
            tape.watch(x)
            y = Layer().call(x)
        self.assertEqual([values(g) for g in tape.gradient(y, [x, v])], [2, 7])
        traced = tf.function(lambda x: Layer().call(x))
        with tf.GradientTape() as tape:
            y = traced(tf.constant(2.))
        self.assertEqual(values(tape.gradient(y, v)), 7)
        wrong = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
        self.assertRaises(TypeError, wrong, tf.constant(1.))

    def test_recompute(self):
        v, x = tf.Variable(3.), tf.constant(2.)
        f = tf.recompute_grad(lambda x: x * x * v)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        self.assertEqual([values(g) for g in tape.gradient(y, [x, v])], [12, 4])

    def test_closure_over_a_variable_in_a_function(self):
        v = tf.Variable(3.)

        @tf.custom_gradient
        def f(x):
            return x * 1., lambda dy: dy * v
        self.assertEqual(values(gradient(tf.function(f), tf.constant(1.))), 3)


class Loops(unittest.TestCase):
    def test_second_derivative(self):
        @tf.function
        def f(x):
            for _ in tf.range(2):
                x = x * x
            return x
        self.assertEqual([values(d) for d in derivatives(f, tf.constant(2.), 2)], [16, 32, 48])

    def check(self, f, power):
        """Three derivatives of x ** power, by tapes outside and inside a function."""
        x = tf.constant(2.)
        wanted, factor = [], 1.
        for k in range(3):
            factor *= power - k
            wanted.append(factor * 2. ** (power - k - 1))
        for found in (derivatives, tf.function(derivatives)):
            self.assertEqual([values(d) for d in found(f, x, 3)[1:]], wanted)

    def test_third_derivatives(self):
        @tf.function
        def inner(x):
            return x * x

        @tf.function
        def nested(x):
            y = x
            for _ in tf.range(2):
                for _ in tf.range(2):
                    y = y * x
            return y

        @tf.function
        def branch(x):
            y = x
            for i in tf.range(2):
                if i % 2 == 0:
                    y = y * x
                else:
                    y = x * y * x
            return y

        @tf.function
        def loop_in_branch(x):
            y = x
            for i in tf.range(3):
                if i == 1:
                    for _ in tf.range(2):
                        y = y * x
                elif i > 1:
                    y = y * x
            return y
        self.check(loop_in_branch, 4)
        self.check(lambda x: inner(x) * inner(x), 4)
        self.check(tf.function(lambda x: inner(inner(x))), 4)
        self.check(nested, 5)
        self.check(branch, 4)

    def test_custom_gradient_in_a_loop(self):
        @tf.custom_gradient
        def f(x):
            return x * x, lambda dy: dy * x * 10.

        @tf.function
        def loop(x):
            for _ in tf.range(1):
                x = f(x)
            return x
        self.assertEqual(values(gradient(loop, tf.constant(2.))), 20)


class Watched(unittest.TestCase):
    def test_no_gradient_is_made_where_nothing_is_watched(self):
        ran = []

        @tf.custom_gradient
        def noted(x):
            return x, lambda g: ran.append(g) or g
        f = tf.function(noted)
        x, v = tf.constant(1.), tf.Variable(2.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf.stop_gradient(x))
        self.assertIsNone(tape.gradient(y, x))
        self.assertEqual(ran, [])
        with tf.GradientTape() as tape:
            y = f(v)
        self.assertEqual(tape.gradient(y, v).numpy(), 1)
        self.assertEqual(len(ran), 1)

    def test_sources_that_are_not(self):
        v, x = tf.Variable(2.), tf.constant(3.)
        still = tf.Variable(4., trainable=False)

        def slopes(x, function=lambda x: v * x * still):
            with tf.GradientTape() as tape:
                y = function(x)
                z = y * x
            return tape.gradient(z, [v, x, y, still])
        branch = lambda x: tf.cond(x > 1., lambda: v * x * still, lambda: x)
        for found in (slopes(x), tf.function(slopes)(x), slopes(x, tf.function(branch)), tf.function(slopes)(x, branch)):
            self.assertEqual([None if g is None else values(g) for g in found], [36., None, 3., None])
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = v * x
        self.assertEqual([None if g is None else values(g) for g in tape.gradient(y, [v, x])], [None, 2.])


class State(unittest.TestCase):
    """Functions that change what they read: what ran once must not run again for the gradients of gradients."""

    def setUp(self):
        self.state = state = tf.Variable(0.)
        v = tf.Variable(6., trainable=False)

        @tf.function
        def f(x):
            r = tf.cond(state > 0., lambda: 5. * v * x * x, lambda: v * v * x ** 4)
            state.assign(1.)
            return r
        self.f = f

    def test_orders(self):
        found = [float(t) for t in derivatives(self.f, tf.constant(3.), 3)]
        self.assertEqual(found, [2916., 3888., 3888., 2592.])

    def test_forward_over_reverse(self):
        x = tf.constant(3.)
        with FA(x, tf.constant(1.)) as acc:
            y, g = derivatives(self.f, x, 1)
        self.assertEqual([float(t) for t in (y, g, acc.jvp(y), acc.jvp(g))], [2916., 3888., 3888., 3888.])

    def test_random(self):
        f = tf.function(lambda x: x * x * x * tf.random.uniform([]))
        y, _, second = derivatives(f, tf.constant(3.), 2)
        self.assertAlmostEqual(float(second / y), 2 / 3, places=5)


class OldNames(unittest.TestCase):
    def test_gradients_function(self):
        cube = tfe.gradients_function(lambda x, y: x * x * y)
        self.assertEqual([values(g) for g in cube(2., 3.)], [12, 4])
        third = lambda x: x ** 4  # noqa: E731
        for _ in range(3):
            third = (lambda g: lambda x: tfe.gradients_function(g)(x)[0])(third)
        self.assertEqual(values(third(2.)), 48)
        self.assertRaises(ValueError, tfe.gradients_function(lambda x, y: x, params=['x', 1]), 1., 2.)


class Refused(unittest.TestCase):

    def test_no_target(self):
        with tf.GradientTape() as tape:
            pass
        self.assertRaisesRegex(TypeError, 'target', tape.gradient, None, tf.constant(1.))

    def test_complex_targets(self):
        f = tf.function(lambda x: tf.gradients(x * x, x))
        self.assertRaisesRegex(TypeError, 'grad_ys', f, tf.constant(1j))

    def test_seeds_that_are_lists(self):
        @tf.function
        def f(x):
            both = tf.gradients([x * 2.0, x * 3.0], [x], grad_ys=[[1.0, 2.0], [3.0, 4.0]])
            return both, tf.gradients(x * 2.0, x, [[5.0, 6.0]])
        both, one = f(tf.constant([1.0, 1.0]))
        self.assertEqual((both[0].numpy().tolist(), one[0].numpy().tolist()), ([11.0, 16.0], [10.0, 12.0]))


class ForwardThroughCustomGradients(unittest.TestCase):
    def along(self, f):
        """The tangent of f(x) for x = 2, and its gradient."""
        tangents = derivatives(lambda x: jvp(f, x, tf.constant(1.)), tf.constant(2.), 1)
        return [None if t is None else float(t) for t in tangents]

    def test_gradients_of_tangents(self):
        slopes = {'true': lambda x, dy: dy * 3. * x * x, 'another': lambda x, dy: dy * 100., 'none': lambda x, dy: None}
        for name, backward in slopes.items():  # what the function computes with ops has its tangent from these
            with self.subTest(name):
                cubed = tf.custom_gradient(lambda x: (x ** 3, lambda dy: backward(x, dy)))
                self.assertEqual(self.along(cubed), [12, 12])

    def test_functions_of_arrays(self):
        cubed = tf.custom_gradient(lambda x: (x.numpy() ** 3, lambda dy: dy * 3. * x * x))
        self.assertEqual(self.along(cubed), [12, 12])
        self.assertEqual(self.along(lambda x: cubed(x) * x), [32, 48])

    def test_reverse_inside(self):
        cubed = tf.custom_gradient(lambda x: (x ** 3, lambda dy: dy * 100.))
        x = tf.constant(2.)
        with FA(x, tf.constant(1.)) as accumulator:
            y, slope = derivatives(lambda x: cubed(x) * x, x, 1)
        self.assertEqual([float(accumulator.jvp(y)), float(slope)], [32, 208])
        self.assertEqual(float(jvp(tf.function(cubed), x, tf.constant(1.))), 100)
