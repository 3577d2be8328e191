"""An interrupt that arrives while the engine looks at a user's object reaches the user, wherever that happens."""
import collections.abc
import unittest

import footlight as tf

try:
    import numpy as np
except ImportError:
    np = None


def raising(error):
    """A function that takes anything and raises."""
    def hook(*args, **kwargs):
        raise error
    return hook


class Descriptor:
    """An attribute whose look-up raises, on the class as well as on an object."""

    def __init__(self, error):
        self.error = error

    def __get__(self, instance, owner):
        raise self.error


def made(error, *hooks, base=object, **members):
    """An object whose methods named in `hooks` raise."""
    return type('Made', (base,), {**dict.fromkeys(hooks, raising(error)), **members})()


def with_meta(error, base=object):
    """An object whose class raises when one of its attributes is missing."""
    meta = type('Meta', (type(base),), {'__getattr__': raising(error)})
    return meta('Made', (base,), {})()


def sequence(error, *hooks):
    members = {'__len__': lambda self: 2, '__getitem__': lambda self, i: [1, 2][i]}
    return made(error, base=collections.abc.Sequence, **{**members, **dict.fromkeys(hooks, raising(error))})


def mapping(error, *hooks):
    members = {'__len__': lambda self: 1, '__getitem__': lambda self, k: 1, '__iter__': lambda self: iter(['a'])}
    return made(error, base=collections.abc.Mapping, **{**members, **dict.fromkeys(hooks, raising(error))})


def number(error, hook):
    """Looks like a number until it is asked for its value."""
    return made(error, hook)


def ordered(error):
    """A key that cannot be sorted."""
    return made(error, '__lt__', '__gt__', __hash__=lambda self: 1, __eq__=lambda self, other: self is other)


X = tf.constant([1., 2.])


def conversions(error):
    """Name, call: Python values that become tensors, with all the ways in which they are examined."""
    odd = [('__array__', made(error, '__array__')), ('__array__ descriptor', made(error, __array__=Descriptor(error))),
           ('class __getattr__', with_meta(error)),
           ('__getitem__', sequence(error, '__getitem__')), ('__iter__', sequence(error, '__iter__')),
           ('__repr__', made(error, '__repr__')),
           ('a list of __array__', [made(error, '__array__')]), ('a list of __index__', [number(error, '__index__')]),
           ('a list of __repr__', [made(error, '__repr__')])]
    for name, o in odd:
        yield 'constant ' + name, lambda o=o: tf.constant(o)
        yield 'convert ' + name, lambda o=o: tf.convert_to_tensor(o, tf.float32)
        yield 'hint ' + name, lambda o=o: tf.convert_to_tensor(o, dtype_hint=tf.float32)
        yield 'argument ' + name, lambda o=o: tf.add(X, o)
        yield 'traced argument ' + name, lambda o=o: tf.function(lambda x: tf.add(x, o))(X)
        if name != '__repr__':  # not an operand, so nobody asks for its text
            yield 'operator ' + name, lambda o=o: X + o
        yield 'assign ' + name, lambda o=o: tf.Variable(1.).assign(o)


def nests(error):
    for name, o in [('class __getattr__', with_meta(error)), ('__class__', made(error, __class__=property(raising(error)))),
                    ('attrs', made(error, __attrs_attrs__=Descriptor(error))),
                    ('named tuple', with_meta(error, tuple)), ('sequence', sequence(error, '__getitem__')),
                    ('mapping', mapping(error, '__getitem__')), ('mapping keys', mapping(error, '__iter__')),
                    ('keys without order', {ordered(error): 1, ordered(error): 2})]:
        yield 'flatten ' + name, lambda o=o: tf.nest.flatten(o)
        yield 'map ' + name, lambda o=o: tf.nest.map_structure(lambda x: x, o)
        yield 'same ' + name, lambda o=o: tf.nest.assert_same_structure(o, o)
        yield 'pack ' + name, lambda o=o: tf.nest.pack_sequence_as(o, [1, 2])
    yield 'repr of structures', lambda: tf.nest.assert_same_structure([made(error, '__repr__')], 1)
    yield 'check_types', lambda: tf.nest.map_structure(lambda x, y: x, [1], [1], check_types=made(error, '__bool__'))


def arguments(error):
    """Attributes of functions: ints, floats, bools, shapes, dtypes, names."""
    yield 'int', lambda: tf.stack([X, X], axis=made(error, '__index__'))
    yield 'ints', lambda: tf.transpose([[1.]], [0, made(error, '__index__')])
    yield 'bool', lambda: tf.reduce_sum(X, keepdims=made(error, '__bool__'))
    yield 'float', lambda: tf.nn.leaky_relu(X, made(error, '__float__'))
    yield 'shape', lambda: tf.zeros(made(error, '__index__'))
    yield 'shape of a list', lambda: tf.zeros([made(error, '__index__')])
    yield 'shape of an iterator', lambda: tf.TensorShape(made(error, '__iter__'))
    yield 'unknown_rank', lambda: tf.TensorShape(made(error, unknown_rank=property(raising(error))))
    yield 'shape that is none', lambda: tf.TensorShape(made(error, '__repr__'))
    yield 'dimension that is none', lambda: tf.TensorShape([made(error, '__repr__')])
    yield 'dtype that is none', lambda: tf.as_dtype(made(error, '__repr__'))
    yield 'class with a dtype', lambda: tf.as_dtype(type(with_meta(error)))
    yield 'index', lambda: X[made(error, '__index__')]
    yield 'index that is none', lambda: X[made(error, '__repr__')]
    yield 'slice', lambda: X[made(error, '__index__'):]
    yield 'is_tensor', lambda: tf.is_tensor(with_meta(error))
    yield 'static value', lambda: tf.get_static_value(with_meta(error))
    yield 'device', lambda: tf.device(made(error, 'to_string'))
    yield 'device look-up', lambda: tf.device(made(error, to_string=Descriptor(error)))
    yield 'trainable', lambda: tf.Variable(1., trainable=made(error, '__bool__'))
    yield 'initial value', lambda: tf.Variable(made(error, '__call__'))
    yield 'aggregation', lambda: tf.Variable(1., aggregation=made(error, '__str__'))
    yield 'spec', lambda: tf.type_spec_from_value(made(error, '__repr__'))
    yield 'dlpack', lambda: tf.experimental.dlpack.from_dlpack(made(error, __dlpack__=Descriptor(error)))
    if np is not None:
        yield 'dtype', lambda: tf.as_dtype(made(error, dtype=Descriptor(error)))
        yield 'dtype compared', lambda: tf.float32 == made(error, dtype=Descriptor(error))


def printing(error):
    yield 'print', lambda: tf.print(made(error, '__repr__'))
    yield 'print keys', lambda: tf.print({ordered(error): 1, ordered(error): 2})
    yield 'print fields', lambda: tf.print(made(error, base=tuple, __getattr__=raising(error)))
    if np is not None:
        def formatted():
            with np.printoptions(formatter={'float_kind': raising(error)}):
                return repr(X)
        yield 'formatter of NumPy', formatted


def gradients(error):
    def value():
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X * 2.
        return tape.gradient(y, X, unconnected_gradients=made(error, value=property(raising(error))))
    yield 'unconnected_gradients', value


def signatures(error):
    def custom():
        v = tf.Variable(1.)
        gradient = type('Gradient', (), {'__call__': lambda self, g, variables=None: (g, [g]),
                                         '__signature__': property(raising(error))})()
        return tf.custom_gradient(lambda x: (x * v, gradient))(X)
    yield 'signature of a gradient', custom


def keys(error):
    """Arguments of traced functions, which become keys of a trace."""
    f = tf.function(lambda o: 1.)
    for name, o in [('__hash__', made(error, '__hash__', __eq__=lambda s, o: s is o)),
                    ('__tf_tracing_type__', made(error, '__tf_tracing_type__')),
                    ('__tf_tracing_type__ look-up', made(error, __tf_tracing_type__=property(raising(error)))),
                    ('__getattr__', made(error, '__getattr__')), ('class __getattr__', with_meta(error)),
                    ('__array__', made(error, '__array__')),
                    ('dict', type('Made', (dict,), {'__getitem__': raising(error)})(a=1)),
                    ('attrs', made(error, __attrs_attrs__=Descriptor(error))),
                    ('keys without order', {ordered(error): 1, ordered(error): 2})]:
        yield 'key ' + name, lambda o=o: f(o)
        yield 'key in a list ' + name, lambda o=o: f([o])
    yield 'name of a set', lambda: f({ordered(error), ordered(error)})
    yield 'signature', lambda: tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])(made(error, '__array__'))
    yield 'default', lambda: tf.function(lambda x, y=made(error, '__repr__'): x)(1, 2, 3)


class Interrupts(unittest.TestCase):
    def check(self, cases, kinds=(KeyboardInterrupt, SystemExit, MemoryError, RecursionError)):
        for kind in kinds:
            error = kind('mine')
            for name, call in cases(error):
                with self.subTest(kind.__name__ + ': ' + name):
                    with self.assertRaises(kind) as caught:
                        call()
                    self.assertIs(caught.exception, error)

    def test_conversions(self):
        self.check(conversions)

    def test_nests(self):
        self.check(nests)

    def test_arguments(self):
        self.check(arguments)

    def test_printing(self):
        self.check(printing)

    def test_gradients(self):
        self.check(gradients)
        self.check(signatures, (KeyboardInterrupt, SystemExit))  # `inspect` turns all others into a TypeError

    def test_keys(self):
        self.check(keys)


class Misses(unittest.TestCase):
    """Attributes and operations that an object lacks are still not an error."""

    def test_attributes(self):
        self.assertFalse(tf.is_tensor(object()))
        self.assertEqual(tf.nest.flatten([object, 1])[1], 1)
        self.assertFalse(tf.float32 == object())
        self.assertFalse(tf.float32 == made(ValueError('mine'), dtype=Descriptor(ValueError('mine'))))
        with self.assertRaisesRegex(TypeError, 'Made object'):
            tf.TensorShape(made(ValueError('mine'), '__repr__'))

    def test_print(self):
        tf.print({1: 'a', 'b': 2})
