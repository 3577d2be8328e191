"""A str may hold half of a surrogate pair, which UTF-8 cannot encode: the engine's names refuse it, others take it."""
import unittest

import footlight as tf

LONE = '\ud800'
X = tf.constant(1)


class Refused(unittest.TestCase):
    def test_names(self):
        for call in (lambda: tf.add(1, 2, name=LONE), lambda: tf.constant(1, name=LONE), lambda: tf.Variable(1, name=LONE),
                     lambda: tf.name_scope(LONE), lambda: tf.TensorSpec([], name=LONE), lambda: tf.device(LONE),
                     lambda: tf.constant(LONE), lambda: tf.constant([LONE]), lambda: tf.einsum(LONE, X),
                     lambda: tf.print(LONE), lambda: tf.Variable(1).assign_add(1).scatter_nd_add([], [], name=LONE),
                     lambda: tf.nn.pool(tf.ones([1, 2, 1]), [1], LONE)):
            self.assertRaises(UnicodeEncodeError, call)

    def test_messages(self):
        for kind, call in ((TypeError, lambda: tf.add(1, **{LONE: 1})), (ValueError, lambda: tf.print(1, **{LONE: 1})),
                           (TypeError, lambda: tf.as_dtype(LONE)), (AttributeError, lambda: getattr(X, LONE)),
                           (AttributeError, lambda: getattr(tf.float32, LONE)),
                           (TypeError, lambda: tf.function(lambda x: x)(**{LONE: X})),
                           (KeyError, lambda: tf.function(lambda: X).get_concrete_function().graph
                            .get_operation_by_name(LONE))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn('ud800', ascii(str(caught.exception)))

    def test_repr_in_messages(self):
        odd = type('Odd', (), {'__repr__': lambda self: LONE})()
        for call in (lambda: tf.constant(odd), lambda: tf.TensorShape([odd]), lambda: X[odd], lambda: tf.as_dtype(odd),
                     lambda: tf.function(lambda: odd)()):
            with self.assertRaises((TypeError, ValueError)) as caught:
                call()
            self.assertIn('ud800', ascii(str(caught.exception)))


class Taken(unittest.TestCase):
    def test_keywords_of_traced_functions(self):
        f = tf.function(lambda **given: next(iter(given.values())))
        for count, name in enumerate((LONE, '\ud801', '\\ud800', 'a'), 1):
            self.assertEqual(f(**{name: X}).numpy(), 1)
            self.assertEqual(f(**{name: X}).numpy(), 1)
            self.assertEqual(f.experimental_get_tracing_count(), count, 'each name has a trace of its own')
        made = f.get_concrete_function(**{LONE: X})
        self.assertEqual(made(**{LONE: tf.constant(2)}).numpy(), 2)
        self.assertIn('ud800', made.pretty_printed_signature())
        self.assertRaises(TypeError, made, **{'\ud801': X})

    def test_arguments_of_traced_functions(self):
        f = tf.function(lambda text, x: x)
        for count, text in enumerate((LONE, '\ud801', '\\ud800'), 1):
            f(text, X)
            f(text, X)
            self.assertEqual(f.experimental_get_tracing_count(), count)
        inside = tf.function(lambda given: given[LONE])
        self.assertEqual(inside({LONE: X}).numpy(), 1)
        str(inside.get_concrete_function({LONE: X}))

    def test_structures(self):
        self.assertEqual(tf.nest.flatten({LONE: 1}), [1])
        self.assertEqual(tf.nest.pack_sequence_as({LONE: 1}, [2]), {LONE: 2})
        self.assertRaises(ValueError, tf.nest.assert_same_structure, {LONE: 1}, {'a': 1})

    def test_code(self):
        made = eval(compile('lambda x: x + 1', 'a' + '\udcff' + '.py', 'eval'))
        self.assertEqual(tf.function(made)(X).numpy(), 2)
