"""Values as the recorded cases write them (README.md): from JSON to Python, and compared with what came."""
import base64

import numpy as np

SMALL = ('float16', 'bfloat16')  # written as their float32 value
REAL = ('float32', 'float64') + SMALL
COMPLEX = ('complex64', 'complex128')
INEXACT = REAL + COMPLEX


class Differs(Exception):
    """What came is not what was recorded."""


def expect(holds, *words):
    if not holds:
        raise Differs(' '.join(str(w) for w in words))


def is_tensor(j):
    return isinstance(j, dict) and 'dtype' in j


def tagged(j):
    """('slice', [..]) of {"slice": [..]}; (None, j) of everything else."""
    if isinstance(j, dict) and not is_tensor(j):
        (pair,) = j.items()
        return pair
    return None, j


def plain_bytes(j):
    return base64.b64decode(j['b64']) if isinstance(j, dict) else j.encode()


def array(j):
    """The NumPy array of a recorded tensor."""
    dtype, data = j['dtype'], j['data']
    if dtype == 'string':
        out = np.empty(len(data), object)
        out[:] = [plain_bytes(x) for x in data]
    elif dtype in COMPLEX:
        out = np.array([complex(float(re), float(im)) for re, im in data], dtype)
    elif dtype in REAL:
        out = np.array([float(x) for x in data], np.float32 if dtype in SMALL else dtype)
    else:
        out = np.array(data, dtype)
    return out.reshape(j['shape'])


def tensor(tf, j):
    values = array(j)
    if j['dtype'] == 'string':
        return tf.constant(values.tolist() if values.size else [], tf.string, values.shape)
    made = tf.constant(values)
    return tf.cast(made, j['dtype']) if j['dtype'] in SMALL else made


class Maker:
    """Makes the arguments of a call. `tensors`: those that came up, in order; `instead`: what to take in their places."""

    def __init__(self, tf, instead=None):
        self.tf, self.instead, self.tensors = tf, instead, []

    def make(self, j):
        if isinstance(j, list):
            return [self.make(x) for x in j]
        if is_tensor(j):
            t = tensor(self.tf, j) if self.instead is None else self.instead[len(self.tensors)]
            self.tensors.append(t)
            return t
        kind, inner = tagged(j)
        return j if kind is None else getattr(self, 'make_' + kind)(inner)

    def make_tuple(self, items):
        return tuple(self.make(x) for x in items)

    def make_dict(self, pairs):
        return {key: self.make(value) for key, value in pairs}

    def make_slice(self, parts):
        return slice(*(self.make(x) for x in parts))

    def make_ellipsis(self, _):
        return ...

    def make_float(self, text):
        return float(text)

    def make_int(self, text):
        return int(text)

    def make_complex(self, parts):
        return complex(*map(float, parts))

    def make_bytes(self, text):
        return plain_bytes(text)

    def make_ndarray(self, j):
        return array(j)

    def make_npscalar(self, j):
        return array(j)[()]

    def make_variable(self, j):
        return self.tf.Variable(tensor(self.tf, j))

    def make_DType(self, name):
        return self.tf.as_dtype(name)

    def make_TensorShape(self, dims):
        return self.tf.TensorShape(dims)


def tensors_in(tf, value):
    """All tensors of a nest, dicts in the order of their keys."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [t for part in value for t in tensors_in(tf, part)]
    return [value] if value is not None and tf.is_tensor(value) else []


def recorded_tensors(j):
    kind, inner = tagged(j)
    parts = inner if kind in (None, 'tuple') else []
    if isinstance(parts, list):
        return [t for part in parts for t in recorded_tensors(part)]
    return [j] if is_tensor(j) else []


def dtype_of(tf, t):
    return tf.as_dtype(t.dtype).name


def numbers(tf, t):
    """A tensor's elements as `array` gives them."""
    dtype = dtype_of(tf, t)
    return np.asarray((tf.cast(t, tf.float32) if dtype in SMALL else t).numpy(), object if dtype == 'string' else None)


def scaled(tolerance, factor):
    return tolerance if tolerance == 'exact' else {k: v * factor for k, v in tolerance.items()}


def near(want, got, tolerance):
    """Element by element; NaN is NaN's equal, and each part of a complex number counts for itself."""
    if np.iscomplexobj(want) or np.iscomplexobj(got):
        return near(want.real, got.real, tolerance) & near(want.imag, got.imag, tolerance)
    want, got = want.astype(np.float64), got.astype(np.float64)
    if tolerance == 'exact':
        return (want == got) | (np.isnan(want) & np.isnan(got))
    return np.isclose(got, want, tolerance['rtol'], tolerance['atol'], equal_nan=True)


def same_elements(want, got, dtype, tolerance, where):
    expect(want.shape == got.shape, where, 'has shape', got.shape, 'instead of', want.shape)
    if dtype == 'string':
        got = np.array([x if isinstance(x, bytes) else str(x).encode() for x in got.reshape(-1)] + [None], object)[:-1]
        agree = np.array([a == b for a, b in zip(want.reshape(-1), got)], bool)
    else:
        with np.errstate(all='ignore'):
            agree = (near(want, got, tolerance) if dtype in INEXACT else np.asarray(want == got)).reshape(-1)
    if not agree.all():
        first = int(np.argmin(agree))
        expect(False, f'{where}[{first}] of {agree.size} is {got.reshape(-1)[first]!r} instead of',
               f'{want.reshape(-1)[first]!r}; {int((~agree).sum())} differ, tolerance {tolerance}')


class Comparer:
    """Compares what came with what was recorded; `look_at_values` off: only kinds, dtypes and shapes."""

    def __init__(self, tf, tolerance, look_at_values=True):
        self.tf, self.tolerance, self.look_at_values = tf, tolerance, look_at_values

    def same(self, want, got, where='result'):
        if is_tensor(want):
            return self.same_tensor(want, got, where)
        kind, inner = tagged(want)
        if isinstance(want, list) or kind == 'tuple':
            items = want if kind is None else inner
            expect(isinstance(got, (list, tuple)), where, 'is a', type(got).__name__, 'instead of a sequence')
            expect(len(items) == len(got), where, 'has', len(got), 'items instead of', len(items))
            for i, (a, b) in enumerate(zip(items, got)):
                self.same(a, b, f'{where}[{i}]')
        elif kind is None:
            self.same_plain(want, got, where)
        elif kind in ('slice', 'ellipsis', 'int', 'bytes', 'variable'):
            made = Maker(self.tf).make(want)
            expect(type(made) is type(got) and made == got, where, f'is {got!r} instead of {made!r}')
        else:
            getattr(self, 'same_' + kind)(inner, got, where)

    def same_tensor(self, want, got, where):
        expect(self.tf.is_tensor(got), where, 'is a', type(got).__name__, 'instead of a tensor')
        dtype = dtype_of(self.tf, got)
        expect(dtype == want['dtype'], where, 'is', dtype, 'instead of', want['dtype'])
        expect(tuple(got.shape) == tuple(want['shape']), where, 'has shape', got.shape, 'instead of', want['shape'])
        if self.look_at_values:
            same_elements(array(want), numbers(self.tf, got), dtype, self.tolerance, where)

    def same_plain(self, want, got, where):
        if isinstance(want, float):
            expect(isinstance(got, float), where, f'is {got!r} instead of the float {want!r}')
            return same_elements(np.array(want), np.array(got), 'float64', self.tolerance, where)
        if isinstance(want, bool):
            expect(isinstance(got, (bool, np.bool_)), where, f'is {got!r} instead of {want}')
        expect((got is None) == (want is None) and want == got, where, f'is {got!r} instead of {want!r}')

    def same_dict(self, pairs, got, where):
        expect(isinstance(got, dict), where, 'is a', type(got).__name__, 'instead of a dict')
        by_name = {str(key): value for key, value in got.items()}
        expect(sorted(by_name) == sorted(str(key) for key, _ in pairs), where, 'has the keys', sorted(by_name))
        for key, value in pairs:
            self.same(value, by_name[str(key)], f'{where}[{key!r}]')

    def same_ndarray(self, want, got, where):
        values, dtype = np.asarray(got), want['dtype']
        expect(dtype in ('string', values.dtype.name), where, 'is', values.dtype.name, 'in NumPy instead of', dtype)
        same_elements(array(want), values.astype(np.float32) if dtype in SMALL else values, dtype, self.tolerance, where)

    same_npscalar = same_ndarray

    def same_float(self, text, got, where):
        same_elements(np.array(float(text)), np.array(float(got)), 'float64', self.tolerance, where)

    def same_complex(self, parts, got, where):
        same_elements(np.array(complex(*map(float, parts))), np.array(complex(got)), 'complex128', self.tolerance, where)

    def same_DType(self, name, got, where):
        expect(self.tf.as_dtype(got).name == name, where, f'is {got!r} instead of', name)

    def same_TensorShape(self, dims, got, where):
        has = None if got.rank is None else got.as_list()
        expect(has == dims, where, 'is the shape', has, 'instead of', dims)

    def same_IndexedSlices(self, parts, got, where):
        for name in ('values', 'indices', 'dense_shape'):
            self.same(parts[name], getattr(got, name), f'{where}.{name}')
