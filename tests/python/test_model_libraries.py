"""What libraries of models (GPflow, lattice) ask: variables frozen later, the function under a decorator, own assertions."""
import unittest

import numpy as np

import footlight as tf
from footlight import _alias

_alias.install()
from tensorflow.python.util import tf_decorator  # noqa: E402


class FrozenLater(unittest.TestCase):
    def test_trainable_is_said_again(self):
        module = tf.Module()
        module.v, module.w = tf.Variable(2.), tf.Variable(3.)
        module.v._trainable = False
        self.assertEqual((module.v.trainable, module.v._trainable), (False, False))
        self.assertEqual([len(module.trainable_variables), len(module.non_trainable_variables)], [1, 1])
        with tf.GradientTape() as tape:
            y = module.v * module.w
        self.assertEqual([v is module.w for v in tape.watched_variables()], [True])
        self.assertIsNone(tape.gradient(y, module.v))
        module.v._trainable = True
        with tf.GradientTape() as tape:
            y = module.v * module.w
        self.assertEqual(tape.gradient(y, module.v).numpy(), 3)

    def test_traced_functions_see_it(self):
        v = tf.Variable(2.)

        def gradient():
            with tf.GradientTape() as tape:
                y = v * v
            found = tape.gradient(y, v)
            return tf.constant(-1.) if found is None else found
        v._trainable = False
        self.assertEqual(tf.function(gradient)().numpy(), -1)
        v._trainable = True
        self.assertEqual(tf.function(gradient)().numpy(), 4)
        self.assertEqual(tf.function(lambda: v + 1.).get_concrete_function().trainable_variables, (v,))
        with self.assertRaises(AttributeError):
            del v._trainable

    def test_attribute_of_a_subclass_is_its_own(self):
        class Held(tf.Variable):
            def __init__(self, value):
                self._value, self._trainable = value, 'later'
            trainable = property(lambda self: self._trainable)
        self.assertEqual(Held(1.).trainable, 'later')


class Decorators(unittest.TestCase):
    def test_custom_gradient_keeps_its_function(self):
        @tf.custom_gradient
        def twice(x):
            return 2 * x, lambda dy: 5 * dy
        value, gradient = twice.__original_wrapped__(tf.constant(3.))
        self.assertEqual((value.numpy(), gradient(1)), (6, 5))
        self.assertIs(twice.__original_wrapped__, twice.__wrapped__)

    def test_decorator_keeps_what_it_was_made_of(self):
        def inner():
            return 1

        def other():
            return 2
        made = tf_decorator.make_decorator(inner, lambda: 3)
        self.assertIs(made.__original_wrapped__, inner)
        tf_decorator.rewrap(made, inner, other)
        self.assertIs(made.__wrapped__, other)
        self.assertIs(made.__original_wrapped__, inner)


class Conditions(unittest.TestCase):
    def test_condition_of_one_element(self):
        for run in (lambda f: f, tf.function):
            def check(condition):
                tf.debugging.Assert(condition, ['wrong:', condition])
                return tf.constant(1)
            for shape in ([], [1], [1, 1]):
                self.assertEqual(run(check)(tf.fill(shape, True)).numpy(), 1)
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'wrong:'):
                    run(check)(tf.fill(shape, False))
            with self.assertRaisesRegex(ValueError, 'reduce_all'):
                run(check)(tf.constant([True, True]))


class OwnAssertions(tf.test.TestCase):
    def assertAllClose(self, a, b):  # narrower than the one above
        super().assertAllClose(a, b, rtol=1e-3, atol=1e-3)

    def test_structures(self):
        self.assertAllClose([tf.ones([1]), tf.ones([2])], [np.ones([1]), np.full([2], 1.0001)])
        self.assertAllClose({'a': [1., [2.]]}, {'a': [1., [2.0001]]})
        with self.assertRaisesRegex(AssertionError, 'at index 1'):
            self.assertAllClose([tf.ones([1]), tf.ones([2])], [np.ones([1]), np.full([2], 1.1)])
