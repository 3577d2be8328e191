"""Variables that a traced function creates: when it may, and what they start with. Values recorded from TensorFlow."""
import unittest

import footlight as tf


def once(holder, initial):
    """The variable of a holder, made at the first use."""
    if not holder:
        holder.append(tf.Variable(initial))
    return holder[0]


def floats(values):
    return [float(v) for v in values]


class Starts(unittest.TestCase):
    def setUp(self):
        self.made = []
        self.other = tf.Variable(0.)

    def test_what_does_not_depend_on_arguments_is_computed_outside(self):
        @tf.function
        def f(x):
            if not self.made:
                once(self.made, tf.ones([]))
                self.other.assign_add(1.)
                self.made[0].assign_add(1.)
            return self.made[0] + x
        # The first call runs the second trace: what only the first one has is not done.
        self.assertEqual(floats([f(tf.constant(1.)), f(tf.constant(1.)), self.other]), [2., 2., 0.])

    def test_what_depends_on_arguments_is_computed_by_the_graph_in_program_order(self):
        @tf.function
        def f(x):
            if not self.made:
                once(self.made, x)
                self.made[0].assign_add(10.)
                self.made.append(tf.Variable(self.made[0] * 2.))
                self.other.assign_add(1.)
            return self.made[0] + self.made[1]
        self.assertEqual(floats([f(tf.constant(1.)), f(tf.constant(5.)), self.other]), [33., 33., 1.])
        self.assertEqual(f.experimental_get_tracing_count(), 2)

    def test_in_branches_and_loops(self):
        @tf.function
        def f(x):
            return once(self.made, x + 5.) * x if x > 0. else x
        self.assertEqual(floats([f(tf.constant(2.)), f(tf.constant(-2.)), self.made[0]]), [14., -2., 7.])
        made = []

        @tf.function
        def g(n):
            total = 0.
            for i in tf.range(n):
                total += once(made, tf.cast(i, tf.float32) + 3.)
            return total
        self.assertEqual(floats([g(tf.constant(3)), g(tf.constant(4)), made[0]]), [9., 12., 3.])

    def test_a_branch_that_did_not_run_left_it_without_a_value(self):
        @tf.function
        def f(x):
            return once(self.made, x + 5.) * x if x > 0. else x
        self.assertEqual(float(f(tf.constant(-2.))), -2.)
        self.assertRaises(tf.errors.FailedPreconditionError, f, tf.constant(2.))

    def test_inside_of_other_functions(self):
        inner = tf.function(lambda x: once(self.made, x * 2.) * x)
        outer = tf.function(lambda x, use: inner(x) if use else x)
        self.assertEqual(float(outer(tf.constant(1.), False)), 1.)
        self.assertEqual(floats([outer(tf.constant(3.), True), outer(tf.constant(4.), True)]), [18., 24.])
        self.assertEqual(float(inner(tf.constant(1.))), 6.)

    def test_a_concrete_function_gives_it_its_value_when_it_runs(self):
        f = tf.function(lambda x: once(self.made, x) * x)
        concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
        self.assertEqual(floats([concrete(tf.constant(3.)), concrete(tf.constant(1.)), f(tf.constant(2.))]),
                         [9., 3., 6.])

    def test_gradients_through_the_first_call(self):
        f = tf.function(lambda x: once(self.made, x * 2.) * x * x)
        x = tf.constant(3.)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = f(x)
            g = first.gradient(y, x)
        h = second.gradient(g, [x] + self.made)
        self.assertEqual(floats([y, g] + h), [54., 36., 12., 6.])

    def test_structures_and_arguments_that_are_variables(self):
        w = tf.Variable(3.)

        @tf.function
        def f(w, x):
            v = once(self.made, w * x['a'])
            w.assign_add(1.)
            return {'r': (v + w, [x['a']]), 'n': None}
        for wanted in (10., 11.):
            got = f(w, {'a': tf.constant(2.)})
            self.assertEqual((float(got['r'][0]), float(got['r'][1][0]), got['n']), (wanted, 2., None))

    def test_without_lifting(self):
        @tf.function
        def f(x, initial):
            tf.Variable(initial, experimental_enable_variable_lifting=False)
            return x
        for x in (tf.constant(3.), tf.constant([3.])):
            f(x, 1.)
        self.assertRaisesRegex(ValueError, 'lifting', f, tf.constant(1.), tf.constant(1.))

    def test_refused_later(self):
        f = tf.function(lambda x: tf.Variable(x) + 1.)
        self.assertRaisesRegex(ValueError, 'not its first', f, tf.constant(1.))
