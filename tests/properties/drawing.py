"""A property: how to draw a case of an op, and NumPy's answer to it; and what the draws share."""
import dataclasses
import typing

import numpy as np

FLOATS = ('float32', 'float64')
HALVES = ('float16',)
SIGNED = ('int8', 'int16', 'int32', 'int64')
UNSIGNED = ('uint8', 'uint16', 'uint32', 'uint64')
WHOLE = SIGNED + UNSIGNED
COMPLEX = ('complex64', 'complex128')
NUMBERS = FLOATS + HALVES + SIGNED
ANY = NUMBERS + COMPLEX + ('bool', 'uint8')
TOLERANCE = {'float16': 4e-3, 'float32': 3e-5, 'float64': 1e-10, 'complex64': 1e-4, 'complex128': 1e-10}


@dataclasses.dataclass
class Case:
    name: str
    inputs: list
    call: typing.Callable       # called with tf and the inputs as tensors
    expected: typing.Callable   # NumPy's answer, or several
    words: str = ''             # the attributes, for the message of a failure
    tolerance: float = 0.0

    def __post_init__(self):
        kinds = [str(x.dtype) for x in self.inputs]
        self.tolerance = max([self.tolerance] + [TOLERANCE.get(k, 0.0) for k in kinds])


@dataclasses.dataclass
class Property:
    name: str
    make: typing.Callable


ALL = []


def prop(name):
    def take(make):
        ALL.append(Property(name, make))
        return make
    return take


def shape(random, least=0, most=4, empty=True):
    dims = [random.choice([1, 2, 3, 4, 5, 7]) for _ in range(random.randint(least, most))]
    if dims and empty and random.random() < 0.06:
        dims[random.randrange(len(dims))] = 0
    return tuple(dims)


def array(random, dtype, dims, low=-3.0, high=3.0):
    draw = np.random.default_rng(random.getrandbits(32))
    if dtype == 'bool':
        return draw.random(dims) < 0.5
    if dtype in COMPLEX:
        return (draw.uniform(low, high, dims) + 1j * draw.uniform(low, high, dims)).astype(dtype)
    if dtype in WHOLE:
        return draw.integers(int(max(low * 10, 0 if dtype in UNSIGNED else low * 10)), int(high * 10), dims).astype(dtype)
    return np.asarray(draw.uniform(low, high, dims)).astype(dtype)


def broadcastable(random, dims):
    """A shape that broadcasts with `dims`."""
    dims = [1 if random.random() < 0.25 else d for d in dims]
    return tuple(dims[random.randint(0, len(dims)) if random.random() < 0.3 else 0:])


def axis_of(random, x):
    """An axis of x, counted from the front or the back."""
    return random.randrange(-x.ndim, x.ndim)


def wide(x):
    """The array in the dtype that NumPy computes in for float16: results are rounded from that."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def find(tf, name):
    for part in name.split('.'):
        tf = getattr(tf, part)
    return tf
