"""tf.TensorArray where TensorFlow cannot serve as the reference: as an argument and a result of traced functions, items
gathered twice, many steps; and trace types of the user's that hold tensors."""
import unittest

import footlight as tf
from derivatives import derivatives, gradient


def rows(*values):
    return tf.TensorArray(tf.float32, size=len(values), clear_after_read=False).unstack(tf.constant(values))


class Functions(unittest.TestCase):
    def test_argument_and_result(self):
        traces = []

        @tf.function
        def f(array, n):
            traces.append(array.element_shape)
            for i in tf.range(n):
                array = array.write(i, -array.read(i))
            return array, {'same': [array]}
        found, others = f(rows(1., 2., 3.), tf.constant(2))
        self.assertEqual(found.stack().numpy().tolist(), [-1., -2., 3.])
        self.assertIsInstance(others['same'][0], tf.TensorArray)
        again, _ = f(found, tf.constant(3))
        self.assertEqual(again.stack().numpy().tolist(), [1., 2., -3.])
        self.assertEqual(found.stack().numpy().tolist(), [-1., -2., 3.])
        f(again, tf.constant(1))
        self.assertEqual(len(traces), 1)

    def test_signature(self):
        spec = tf.TensorArraySpec([None], tf.float32)

        @tf.function(input_signature=[spec])
        def f(array):
            return array.stack()
        self.assertEqual(f(rows([1., 2.], [3., 4.])).numpy().tolist(), [[1., 2.], [3., 4.]])
        self.assertEqual(f(rows([1.], [3.])).numpy().tolist(), [[1.], [3.]])
        self.assertEqual(f.experimental_get_tracing_count(), 1)
        with self.assertRaises(TypeError):
            f(tf.constant([1.]))
        with self.assertRaises(TypeError):
            f(tf.TensorArray(tf.int32, size=1))
        concrete = f.get_concrete_function()
        self.assertEqual(concrete.structured_input_signature[0], (spec,))
        self.assertIn('array (POSITIONAL_OR_KEYWORD): TensorArraySpec(TensorShape([None]), tf.float32, False, True)',
                      str(concrete))
        self.assertEqual(concrete(rows([5.])).numpy().tolist(), [[5.]])

    def test_gradients_through_calls(self):
        @tf.function
        def make(x):
            return tf.TensorArray(tf.float32, size=2).unstack(tf.stack([x, x * x]))

        @tf.function
        def total(array):
            return tf.reduce_sum(array.stack() ** 2)
        _, first, second = derivatives(lambda x: total(make(x)), tf.constant([1., 2.]), 2)
        self.assertEqual(first.numpy().tolist(), [6., 36.])
        self.assertEqual(second.numpy().tolist(), [14., 50.])

    def test_a_branch_may_keep_it(self):
        @tf.function
        def f(flag, x):
            array = tf.TensorArray(tf.float32, size=2).unstack(x)
            return tf.cond(flag, lambda: array.write(0, 5.), lambda: array).stack()
        x = tf.constant([1., 2.])
        self.assertEqual(f(tf.constant(False), x).numpy().tolist(), [1., 2.])
        slope = gradient(lambda x: tf.reduce_sum(f(tf.constant(True), x) * [3., 4.]), x)
        self.assertEqual(slope.numpy().tolist(), [0., 4.])


class Gradients(unittest.TestCase):
    def test_an_item_gathered_twice_gets_both(self):
        @tf.function
        def f(x):
            array = tf.TensorArray(tf.float32, size=2).unstack(x)
            return tf.reduce_sum(array.gather([1, 1, 0]) ** 2)
        self.assertEqual(gradient(f, tf.constant([1., 2.])).numpy().tolist(), [2., 8.])

    def test_a_loop_in_a_branch_that_is_not_taken(self):
        v = tf.Variable(3.)

        def looped(x):
            return tf.foldl(lambda a, t: a * t + v, tf.stack([x, x, v]))

        @tf.function
        def switched(i, x):
            return tf.switch_case(i, [lambda: x * v, lambda: looped(x), lambda: x])

        @tf.function
        def chosen(i, x):
            return tf.cond(i == 1, lambda: looped(x), lambda: x * v)
        x = tf.constant(2.)
        for f, wanted in ((switched, [[3., 2., 1.], [12., 11., 4.]]), (chosen, [[3., 2., 1.], [12., 11., 4.]])):
            for i, numbers in enumerate(wanted):
                with tf.GradientTape() as outer:
                    outer.watch(x)
                    with tf.GradientTape() as tape:
                        tape.watch(x)
                        y = f(tf.constant(i), x)
                    first = tape.gradient(y, [x, v])
                second = outer.gradient(first[0], v)
                self.assertEqual([float(g) for g in (*first, second)], numbers)

    def test_many_steps(self):
        @tf.function
        def f(x, n):
            source = tf.TensorArray(tf.float32, size=n, clear_after_read=False).unstack(x)
            out = tf.TensorArray(tf.float32, size=n)
            for i in tf.range(n):
                out = out.write(i, source.read(i) * 2.)
            return tf.reduce_sum(out.stack() ** 2)
        slope = gradient(lambda x: f(x, tf.constant(20000)), tf.ones([20000]))
        self.assertEqual(set(slope.numpy().tolist()), {8.})

    def test_read_and_written_in_one_loop(self):
        @tf.function
        def f(x):
            array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
            for i in tf.range(1, 3):
                array = array.write(i, array.read(i) * array.read(i - 1))
            return array.read(2) + array.read(1)
        y, slope = derivatives(f, tf.constant([2., 3., 5.]), 1)  # y is x0 x1 x2 + x0 x1
        self.assertEqual(float(y), 36.)
        self.assertEqual(slope.numpy().tolist(), [18., 12., 6.])


class Masked:
    """A value with a trace type of its own that holds a tensor."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def __tf_tracing_type__(self, context):
        return MaskedType(self.kind, tf.type_spec_from_value(self.value))


class MaskedType(tf.types.experimental.TraceType):
    def __init__(self, kind, spec):
        self.kind, self.spec = kind, spec

    def is_subtype_of(self, other):
        return isinstance(other, MaskedType) and self.kind == other.kind and self.spec.is_subtype_of(other.spec)

    def most_specific_common_supertype(self, others):
        return None

    def placeholder_value(self, placeholder_context):
        return Masked(self.kind, self.spec.placeholder_value(placeholder_context))

    def flatten(self):
        return [self.spec]

    def to_tensors(self, value):
        return [value.value]

    def __eq__(self, other):
        return isinstance(other, MaskedType) and (self.kind, self.spec) == (other.kind, other.spec)

    def __hash__(self):
        return hash((self.kind, self.spec))


class TraceTypes(unittest.TestCase):
    def test_tensors_in_an_object(self):
        traces = []

        @tf.function
        def f(m):
            traces.append(m.kind)
            return m.value * 2
        self.assertEqual(float(f(Masked('a', tf.constant(1.)))), 2.)
        self.assertEqual(float(f(Masked('a', tf.constant(5.)))), 10.)
        self.assertEqual(float(f(Masked('b', tf.constant(7.)))), 14.)
        self.assertEqual(f(Masked('a', tf.constant([1., 2.]))).numpy().tolist(), [2., 4.])
        self.assertEqual(traces, ['a', 'b', 'a'])

    def test_a_more_general_trace_serves(self):
        @tf.function
        def f(m):
            return m.value + 1
        f.get_concrete_function(MaskedType('a', tf.TensorSpec([None], tf.float32)))
        self.assertEqual(f(Masked('a', tf.constant([1., 2.]))).numpy().tolist(), [2., 3.])
        self.assertEqual(f.experimental_get_tracing_count(), 1)

    def test_gradients(self):
        @tf.function
        def f(m):
            return m.value ** 2
        x = tf.constant(3.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(Masked('a', x))
        self.assertEqual(float(tape.gradient(y, x)), 6.)
