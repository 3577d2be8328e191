"""Values that no sane program passes but any program may: the names for the fuzzers' calls, beside `tf` and `np`."""
import array
import collections
import collections.abc
import copy
import dataclasses
import decimal
import enum
import fractions  # noqa: F401
import functools
import gc
import operator
import pickle
import types
import weakref

import numpy as np

import footlight as tf
from footlight import _engine  # noqa: F401  calls name it

HOOKS = ('__len__', '__index__', '__int__', '__float__', '__complex__', '__bool__', '__repr__', '__str__', '__iter__',
         '__getitem__', '__array__', '__hash__', '__eq__', '__call__', '__dlpack__', '__dlpack_device__',
         '__contains__', '__enter__', '__next__', '__format__', '__tf_tensor__', '__tf_tracing_type__', '__add__',
         '__radd__', '__lt__', '__array_interface__', '__class__', 'shape', 'dtype', '_fields', '__name__',
         '__code__', '__wrapped__', '__tensor_fields__', '__signature__')
PROPERTIES = {h for h in HOOKS if not h.startswith('__')} | {
    '__array_interface__', '__class__', '__name__', '__code__', '__wrapped__', '__tensor_fields__', '__signature__'}


class Boom(Exception):
    """Raised by hostile objects."""


def plain(hook, self, *args):
    """The answer of a well-behaved object."""
    answers = {
        '__len__': 2,
        '__index__': 1,
        '__int__': 1,
        '__float__': 1.,
        '__complex__': 1j,
        '__bool__': True,
        '__repr__': 'odd',
        '__str__': 'odd',
        '__hash__': 7,
        '__contains__': False,
        '__format__': 'odd',
        '__class__': float,
        'shape': (2, ),
        'dtype': 'float32',
        '_fields': ('a', 'b'),
        '__name__': 'odd',
        '__dlpack_device__': (1, 0),
        '__lt__': True,
        '__add__': 1.,
        '__radd__': 1.,
        '__tensor_fields__': ('a', )
    }
    if hook == '__iter__':
        return iter([1., 2.])
    if hook == '__getitem__':
        if isinstance(args[0], int) and args[0] > 1:
            raise IndexError(args[0])
        return 1.
    if hook == '__eq__':
        return self is args[0]
    if hook == '__array__':
        return np.ones(2, 'float32')
    if hook == '__next__':
        raise StopIteration
    return answers.get(hook)


def act(action, hook, self, args):
    """What a hook does before, or instead of, giving a plain answer."""
    if action == 'raise':
        raise Boom(hook)
    if action in ('ValueError', 'TypeError', 'AttributeError', 'IndexError', 'KeyError', 'StopIteration',
                  'MemoryError', 'RecursionError', 'OverflowError', 'KeyboardInterrupt', 'NotImplementedError'):
        raise {e.__name__: e for e in (ValueError, TypeError, AttributeError, IndexError, KeyError, StopIteration,
                                       MemoryError, RecursionError, OverflowError, KeyboardInterrupt,
                                       NotImplementedError)}[action](hook)
    if action == 'wrong':
        return object.__new__(Bare)
    if action == 'self':
        return self
    if action == 'huge':
        return 2 ** 62
    if action == 'negative':
        return -1
    if action == 'text':
        return '\ud800'
    if action == 'none':
        return None
    if action == 'trace':
        tf.function(lambda x: x + 1.)(tf.ones([2]))
    elif action == 'leave':  # the open trace, if there is one
        with tf.init_scope():
            tf.constant(1.) + 1.
    elif action == 'collect':
        gc.collect()
    elif action == 'convert':  # the value that is being converted
        tf.constant(self)
    elif action == 'tape':
        with tf.GradientTape() as tape:
            v = tf.Variable(1.)
            y = v * v
        tape.gradient(y, v)
    elif action == 'interrupt':
        raise Boom
    elif action in CHANGES:
        for container in self.__dict__.get('containers', ()):
            CHANGES[action](container)
    return plain(hook, self, *args)


def grow(container):
    if isinstance(container, list):
        container.extend([3.] * 1000)
    elif isinstance(container, dict):
        container.update((str(i), 1.) for i in range(1000))


def shrink(container):
    container.clear()


def replace(container):
    if isinstance(container, list):
        container[:] = [[1., 2.], 'a', container]
    else:
        container.update(dict.fromkeys(list(container), container))


CHANGES = {'clear': shrink, 'grow': grow, 'replace': replace}
ACTIONS = ('raise', 'ValueError', 'TypeError', 'AttributeError', 'IndexError', 'KeyError', 'StopIteration',
           'MemoryError', 'RecursionError', 'OverflowError', 'KeyboardInterrupt', 'NotImplementedError', 'wrong',
           'self', 'huge', 'negative', 'text', 'none', 'trace', 'leave', 'collect', 'convert', 'tape')


class Bare:
    """An object without attributes."""


@functools.lru_cache(None)
def hooked(hooks, action, base, late):
    def made(hook):
        def method(self, *args, **named):
            if self.__dict__.setdefault('calls', 0) < late:
                self.__dict__['calls'] += 1
                return plain(hook, self, *args)
            return act(action, hook, self, args)
        return property(method) if hook in PROPERTIES else method
    return type('Odd', (base,), {hook: made(hook) for hook in hooks})


def Odd(*hooks, action='raise', base=object, late=0):
    """An object whose hooks misbehave after `late` plain calls; with `base`, a subclass of a built-in type."""
    return hooked(hooks, action, base, late)()


def Changing(hooks, action, container, place=0):
    """The container, holding an object that changes the container when it is looked at."""
    odd = Odd(*hooks, action=action)
    odd.containers = [container]
    if isinstance(container, list):
        container.insert(place, odd)
    else:
        container['odd'] = odd
    return container


class Lying(collections.abc.Sequence):
    """A sequence whose items do not match its length, and grow in number."""

    def __init__(self, says, has, more=0):
        self.says, self.has, self.more = says, has, more

    def __len__(self):
        return self.says

    def __getitem__(self, i):
        if i == 0:
            self.has += self.more
        if not isinstance(i, int) or i >= self.has:
            raise IndexError(i)
        return 1.


class Keys(collections.abc.Mapping):
    """A mapping whose keys come and go."""

    def __init__(self, first, later):
        self.first, self.later, self.looks = first, later, 0

    def __iter__(self):
        self.looks += 1
        return iter([str(i) for i in range(self.first if self.looks < 3 else self.later)])

    def __len__(self):
        return self.first

    def __getitem__(self, key):
        return 1.


class Subclass:
    """Subclasses of built-in types."""
    class List(list): pass
    class Tuple(tuple): pass
    class Dict(dict): pass
    class Int(int): pass
    class Float(float): pass
    class Str(str): pass
    class Bytes(bytes): pass
    class Array(np.ndarray): pass
    class Choice(enum.IntEnum): ONE = 1
    Pair = collections.namedtuple('Pair', 'a b')

    class OddPair(collections.namedtuple('OddPair', 'a b')):
        def __new__(cls, *args):
            raise Boom('__new__')

        @classmethod
        def of(cls):
            return tuple.__new__(cls, (1., 2.))

    @dataclasses.dataclass
    class Data:
        a: object = 1.


def loop(kind):
    """A value that contains itself."""
    if kind == 'list':
        value = []
        value.append(value)
    elif kind == 'dict':
        value = {}
        value['a'] = value
    elif kind == 'tuple':
        inner = []
        value = (inner,)
        inner.append(value)
    elif kind == 'array':
        value = np.empty(1, object)
        value[0] = value
    elif kind == 'deque':
        value = collections.deque()
        value.append(value)
    else:
        value = functools.partial(tf.identity)
        value.keywords['x'] = value
    return value


def deep(depth, kind=list):
    value = 1.
    for _ in range(depth):
        value = {'a': value} if kind is dict else (value,) if kind is tuple else [value]
    return value


def doubled(depth):
    """A small object with 2 ** depth leaves."""
    value = [1.]
    for _ in range(depth):
        value = [value, value]
    return value


def released():
    view = memoryview(bytearray(8))
    view.release()
    return view


def t(dtype, shape, seed=0, wild=False):
    """A tensor; with `wild`, some of its numbers are at the limits of its dtype."""
    return tf.constant(a(dtype, shape, seed, wild)) if dtype != 'bfloat16' else tf.cast(
        t('float32', shape, seed, wild), dtype)


def a(dtype, shape, seed=0, wild=False):
    draw = np.random.RandomState(seed)
    if dtype == 'string':
        out = np.empty(shape, object)
        out[...] = draw.choice([b'', b'a', b'1.5', b'\xff\x00'] if wild else [b'a', b'b', b'12'], shape)
        return out
    if dtype == 'bool':
        return np.asarray(draw.rand(*shape) < .5)
    kind = np.dtype(dtype)
    if wild and kind.kind in 'fc':
        ends = [np.nan, np.inf, -np.inf, 0., -0., 1., -1., np.finfo(kind).max, np.finfo(kind).tiny, -1e-40, .5, 2.5]
        return np.asarray(draw.choice(ends, shape)).astype(kind)
    if wild:
        ends = np.array([np.iinfo(kind).min, np.iinfo(kind).max, 0, 1, 2, np.iinfo(kind).max - 1], kind)
        return np.asarray(ends[draw.randint(0, len(ends), shape)])
    if kind.kind in 'fc':
        values = draw.uniform(-2, 2, shape) + (1j * draw.uniform(-2, 2, shape) if kind.kind == 'c' else 0)
        return np.asarray(values).astype(kind)
    return np.asarray(draw.randint(0, 4, shape)).astype(kind)


def readonly(x):
    x.flags.writeable = False
    return x


def unaligned(dtype, n):
    return np.frombuffer(b'\1' * (n * np.dtype(dtype).itemsize + 1), dtype, n, 1)


def leaked():
    """A symbolic tensor whose function is gone."""
    out = []
    tf.function(lambda x: out.append(x + 1.) or x, autograph=False)(tf.ones([2]))
    return out[0]


def freed(make):
    """A weak proxy of an object that is gone."""
    return weakref.proxy(make())


def bare(kind):
    """An object of that type, made without its constructor."""
    return kind.__new__(kind)


def variable(value, **named):
    return tf.Variable(value, **named)


def tape(persistent=False):
    with tf.GradientTape(persistent=persistent) as out:
        x = tf.constant([1., 2.])
        out.watch(x)
    return out


def traced():
    return tf.function(lambda x: tf.reduce_sum(x) * 2.5,
                       autograph=False).get_concrete_function(tf.TensorSpec([None], tf.float32))


def roundtrip(value):
    return pickle.loads(pickle.dumps(value))


def entered(context):
    with context as inside:
        return inside


def garbage(value):
    """Whether a reference cycle through the value is collected."""
    try:
        value.itself = value
    except Exception:
        pass
    del value
    gc.collect()


def inspect_signature(value):
    import inspect
    return str(inspect.signature(value))
