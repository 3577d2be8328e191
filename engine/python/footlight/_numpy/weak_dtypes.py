"""Weak dtypes: the modes 'all' and 'safe' of tf.experimental.numpy.experimental_enable_numpy_behavior().

Numbers of Python, and tensors made of them without a dtype, give way to the dtype of what they are combined with.
"""
import functools
import inspect

import numpy as np

import footlight as tf
from footlight import _engine
from footlight._sparse.dispatch import key as _key

_mode = 'off'

_SHORT = {'b': 'bool', 'u': 'uint', 'i': 'int', 'bf': 'bfloat', 'f': 'float', 'c': 'complex'}
_ORDER = 'b8 u8 u16 u32 u64 i8 i16 i32 i64 bf16 f16 f32 f64 c64 c128 i32w i64w f32w f64w c128w'.split()
# Promotion of a dtype with itself and those after it in this order; w: weak, !: only in the mode 'all'.
_TABLE = '''
b8: b8 u8 u16 u32 u64 i8 i16 i32 i64 bf16 f16 f32 f64 c64 c128 i32w i64w f32w f64w c128w
u8: u8 u16 u32 u64 i16! i16 i32 i64 bf16 f16 f32 f64 c64 c128 u8 u8 f64w! f64w c128w
u16: u16 u32 u64 i32! i32! i32 i64 bf16! f16! f32 f64 c64 c128 u16 u16 f64w! f64w c128w
u32: u32 u64 i64! i64! i64! i64 bf16! f16! f32! f64 c64! c128 u32 u32 f64w! f64w c128w
u64: u64 f64w! f64w! f64w! f64w! bf16! f16! f32! f64! c64! c128! u64 u64 f64w! f64w! c128w!
i8: i8 i16 i32 i64 bf16 f16 f32 f64 c64 c128 i8 i8 f64w! f64w c128w
i16: i16 i32 i64 bf16! f16! f32 f64 c64 c128 i16 i16 f64w! f64w c128w
i32: i32 i64 bf16! f16! f32! f64 c64! c128 i32 i32 f64w! f64w c128w
i64: i64 bf16! f16! f32! f64! c64! c128! i64 i64 f64w! f64w! c128w!
bf16: bf16 f32! f32 f64 c64 c128 bf16 bf16 bf16 bf16 c64!
f16: f16 f32 f64 c64 c128 f16 f16 f16 f16 c64!
f32: f32 f64 c64 c128 f32 f32 f32 f32 c64!
f64: f64 c128! c128 f64 f64 f64 f64 c128
c64: c64 c128 c64 c64 c64 c64 c64
c128: c128 c128 c128 c128 c128 c128
i32w: i32w i64w f32w f64w c128w
i64w: i64w f32w f64w c128w
f32w: f32w f64w c128w
f64w: f64w c128w
c128w: c128w
'''


def _kind(word):
    """(dtype, whether it is weak) of a word of the table."""
    name = word.rstrip('!w').rstrip('0123456789')
    bits = word.rstrip('!w')[len(name):]
    return tf.as_dtype('bool' if name == 'b' else _SHORT[name] + bits), 'w' in word


_RESULTS = {}
for _line in _TABLE.split('\n'):
    _one, _, _words = _line.partition(':')
    for _other, _word in zip(_ORDER[_ORDER.index(_one):] if _one else (), _words.split()):
        _RESULTS[_kind(_one), _kind(_other)] = _RESULTS[_kind(_other), _kind(_one)] = _kind(_word), _word.endswith('!')
_RESULTS[(tf.string, False), (tf.string, False)] = (tf.string, False), False
_ALLOWED = {dtype for dtype, weak in map(_kind, _ORDER) if weak}
_OF_CLASSES = {bool: (tf.bool, False), int: (tf.int32, True), float: (tf.float32, True), complex: (tf.complex128, True),
               str: (tf.string, False), bytes: (tf.string, False)}


def is_on():
    """Whether dtypes are promoted with weak ones."""
    return _mode in ('all', 'safe')


def _of_one(name):
    def operate(self):
        return finished(getattr(tf.Tensor, name)(self.tensor))
    operate.__name__ = name
    return operate


def _of_two(name):
    plain, is_swapped = getattr(tf.Tensor, name), name.startswith('__r')

    def operate(self, other):
        finish = []
        mine, theirs = self.tensor, other
        if is_on():
            a, b, *finish = promote(other, self) if is_swapped else promote(self, other)
            mine, theirs = (b, a) if is_swapped else (a, b)
            mine = mine.tensor if isinstance(mine, WeakTensor) else mine  # cannot be promoted
        result = plain(mine, theirs)
        return finish[0](result) if finish and result is not NotImplemented else result
    operate.__name__ = name
    return operate


class WeakTensor(tf.experimental.BatchableExtensionType):
    """A tensor whose dtype was inferred of numbers of Python, and gives way to others."""

    __name__ = 'tf.WeakTensor'
    tensor: tf.Tensor

    def __validate__(self):
        if self.tensor.dtype not in _ALLOWED:
            raise TypeError(f'{self.tensor.dtype} not allowed as a weak type. The allowed types are '
                            f'{sorted(dtype.name for dtype in _ALLOWED)}.')

    @classmethod
    def from_tensor(cls, tensor):
        """The same tensor with a dtype that gives way."""
        if not isinstance(tensor, tf.Tensor):
            raise tf.errors.InvalidArgumentError(None, None, 'WeakTensor can only be constructed from tf.Tensor or '
                                                 f'tf.WeakTensor, but {type(tensor)} was given.')
        return cls(tensor)

    dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: self.tensor.shape)
    is_tensor_like = True

    def to_tensor(self):
        """The tensor, whose dtype does not give way."""
        return self.tensor

    def __getattr__(self, name):
        if name == 'tensor':
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.tensor, dtype, name=name)

    def __repr__(self):
        return repr(self.tensor)[:-1] + ', weak=True>'

    def __str__(self):
        text = str(self.tensor)
        return text[:-1] + ', weak=True' + text[-1:]

    def __format__(self, spec):
        return format(self.tensor, spec) + ' weakly typed'

    def __iter__(self):
        return (WeakTensor.from_tensor(row) for row in self.tensor)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.tensor.numpy(), dtype)

    def __hash__(self):
        return hash(self.tensor)

    def __getitem__(self, key):
        return self.tensor[key]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    __len__ = lambda self: len(self.tensor)  # noqa: E731
    __bool__ = lambda self: bool(self.tensor)  # noqa: E731
    __int__ = lambda self: int(self.tensor)  # noqa: E731
    __float__ = lambda self: float(self.tensor)  # noqa: E731
    __complex__ = lambda self: complex(self.tensor.numpy())  # noqa: E731
    __index__ = lambda self: self.tensor.__index__()  # noqa: E731
    __array_priority__ = 100
    __neg__ = _of_one('__neg__')
    __abs__ = _of_one('__abs__')
    __invert__ = _of_one('__invert__')
    __add__, __radd__ = _of_two('__add__'), _of_two('__radd__')
    __sub__, __rsub__ = _of_two('__sub__'), _of_two('__rsub__')
    __mul__, __rmul__ = _of_two('__mul__'), _of_two('__rmul__')
    __truediv__, __rtruediv__ = _of_two('__truediv__'), _of_two('__rtruediv__')
    __floordiv__, __rfloordiv__ = _of_two('__floordiv__'), _of_two('__rfloordiv__')
    __mod__, __rmod__ = _of_two('__mod__'), _of_two('__rmod__')
    __pow__, __rpow__ = _of_two('__pow__'), _of_two('__rpow__')
    __matmul__, __rmatmul__ = _of_two('__matmul__'), _of_two('__rmatmul__')
    __and__, __rand__ = _of_two('__and__'), _of_two('__rand__')
    __or__, __ror__ = _of_two('__or__'), _of_two('__ror__')
    __xor__, __rxor__ = _of_two('__xor__'), _of_two('__rxor__')
    __eq__ = _of_two('__eq__')
    __ne__ = _of_two('__ne__')
    __lt__ = _of_two('__lt__')
    __le__ = _of_two('__le__')
    __gt__ = _of_two('__gt__')
    __ge__ = _of_two('__ge__')


def finished(result):
    """The result of numbers that give way: weak too, where its dtype can be."""
    if isinstance(result, (list, tuple)):
        return type(result)(map(finished, result)) if type(result) in (list, tuple) else result
    return WeakTensor(result) if isinstance(result, tf.Tensor) and result.dtype in _ALLOWED else result


# --- the dtype of several values ---
def _kind_of(value):
    if isinstance(value, WeakTensor):
        return value.dtype, True
    if isinstance(value, tf.DType):
        return value, False
    dtype = getattr(value, 'dtype', None)
    if isinstance(dtype, tf.DType):
        return dtype, False
    if isinstance(dtype, np.dtype) and not isinstance(value, type):
        return tf.as_dtype(dtype), False
    kind = value if isinstance(value, type) else type(value)
    if kind is int and not isinstance(value, type) and not -2 ** 31 <= value < 2 ** 31:
        raise OverflowError(f'Python int {value} too large to convert to np.int32')
    for known, found in _OF_CLASSES.items():
        if kind is known:
            return found
    if isinstance(value, tf.TensorShape):
        return tf.int32, False
    if isinstance(value, np.dtype) or isinstance(value, type) and issubclass(value, np.generic):
        return tf.as_dtype(value), False
    for known, found in _OF_CLASSES.items():
        if isinstance(value, known):
            return found
    raise NotImplementedError(f'Auto dtype conversion semantics does not support {type(value)} type.')


def result_type(*values):
    """(the dtype in which values are combined, whether it is weak); NotImplementedError where there is none."""
    for value in values:
        if hasattr(value, '_type_spec') and not isinstance(value, (WeakTensor, tf.Tensor, tf.Variable, tf.IndexedSlices)):
            raise NotImplementedError(f'Auto dtype conversion semantics does not support {type(value)} type.')
    kinds = [_kind_of(value) for value in tf.nest.flatten([v for v in values if v is not None])] or [(tf.float32, True)]
    found = kinds[0]
    for other in kinds[1:]:
        if (found, other) not in _RESULTS:
            raise NotImplementedError(f'Implicit Conversion between {found[0]} and {other[0]} is not allowed. Please '
                                      'convert the input manually if you need to.')
        result, is_unsafe = _RESULTS[found, other]
        if is_unsafe and _mode != 'all':
            raise TypeError(f'In promotion mode PromoMode.SAFE, implicit dtype promotion between ({found[0]}, '
                            f'weak={found[1]}) and ({other[0]}, weak={other[1]}) is disallowed. You need to explicitly specify '
                            'the dtype in your op, or relax your dtype promotion rules (such as from SAFE mode to ALL mode).')
        found = result
    return found


def _as(value, dtype):
    if isinstance(value, WeakTensor):
        value = value.tensor
    if tf.is_tensor(value) or isinstance(value, tf.Variable):
        return tf.cast(value, dtype)
    return _plain_constant(value, dtype) if not isinstance(value, (np.ndarray, np.generic)) else tf.cast(value, dtype)


_plain_constant = tf.constant


def promote(a, b):
    """Both operands in one dtype, and where the result is weak, what makes it so: for operators."""
    if a is None or b is None:
        return a, b
    try:
        dtype, is_weak = result_type(a, b)
    except NotImplementedError:
        return a, b
    return (_as(a, dtype), _as(b, dtype), finished) if is_weak else (_as(a, dtype), _as(b, dtype))


# --- functions ---
_UNARY = '''abs math.abs math.softplus sign math.sign math.real math.imag math.angle round math.round math.sigmoid math.log_sigmoid
    math.conj math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil math.sqrt math.exp math.rsqrt math.acos
    math.floor bitwise.invert math.acosh math.asin math.asinh math.atan math.atanh math.cos math.cosh math.digamma math.erf
    math.erfc math.expm1 math.lgamma math.log math.log1p math.negative math.reciprocal math.rint math.sin math.sinh math.square
    math.tan math.tanh zeros_like ones_like debugging.check_numerics nn.relu6 nn.leaky_relu nn.gelu nn.log_softmax nn.silu
    nn.elu nn.selu nn.softsign image.random_brightness image.stateless_random_brightness image.adjust_gamma
    clip_by_value math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence
    math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_k0 math.special.bessel_k0e
    math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_y0
    math.special.bessel_y1 math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_min
    math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance linalg.trace reshape nn.depth_to_space expand_dims
    image.extract_patches identity linalg.diag linalg.diag_part linalg.matrix_transpose nn.space_to_depth squeeze stop_gradient
    linalg.tensor_diag_part transpose'''
_NUMPY_UNARY = '''abs absolute angle arccos arcsin arcsinh arctan arctanh bitwise_not cbrt ceil conj conjugate cos cosh deg2rad exp
    exp2 expm1 fabs fix floor log negative rad2deg reciprocal sin sinh sqrt tan tanh nanmean log2 log10 log1p positive sinc square
    diff sort average trace amax amin around arange array asanyarray asarray ascontiguousarray copy cumprod cumsum diag diagflat
    diagonal empty_like expand_dims flatten flip fliplr flipud full_like imag max mean min moveaxis ones_like prod ravel real
    reshape repeat rot90 round squeeze std sum swapaxes transpose triu vander var zeros_like'''
_BINARY = '''math.add math.subtract math.multiply math.multiply_no_nan linalg.matmul math.divide math.divide_no_nan math.truediv
    realdiv truncatediv math.floordiv truncatemod math.floormod math.mod math.pow experimental.numpy.matmul'''
_COMPARED = 'math.maximum math.minimum math.equal'
_SPACES = '. math linalg nn image bitwise debugging math.special experimental.numpy compat.v1'.split()


def _warn(function, *values):
    tf.get_logger().warning('The new dtype semantics do not support %s(%s). Falling back to old semantics.', function.__name__,
                            ', '.join(str(type(value)) for value in values))


def _unary(function):
    signature = inspect.signature(function)
    name = next(iter(signature.parameters))

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not is_on():
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        x = given[name]
        if isinstance(x, tf.Tensor) or given.get('dtype') is not None:
            return function(*args, **kwargs)
        try:
            dtype, is_weak = result_type(x)
        except NotImplementedError:
            _warn(function, x)
            return function(*args, **kwargs)
        given[name] = _as(x, dtype)
        result = function(*given.pop('args', ()), **given)
        return finished(result) if is_weak else result
    return call


def _binary(function, is_weak_kept=True):
    signature = inspect.signature(function)
    first, second = list(signature.parameters)[:2]

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not is_on():
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        try:
            dtype, is_weak = result_type(given[first], given[second])
        except NotImplementedError:
            _warn(function, given[first], given[second])
            return function(*args, **kwargs)
        given[first], given[second] = _as(given[first], dtype), _as(given[second], dtype)
        result = function(**given)
        return finished(result) if is_weak and is_weak_kept else result
    return call


@functools.wraps(_plain_constant)
def _constant(value, dtype=None, shape=None, name='Const'):
    if isinstance(value, WeakTensor):
        value = value.tensor
    if not is_on():
        return _plain_constant(value, dtype, shape, name)
    if dtype is not None:
        if isinstance(value, tf.Tensor) and result_type(value, tf.as_dtype(dtype))[0] == tf.as_dtype(dtype):
            value = tf.cast(value, dtype)
        return _plain_constant(value, dtype, shape, name)
    try:
        dtype, is_weak = result_type(value)
    except NotImplementedError:
        return _plain_constant(value, dtype, shape, name)
    result = _plain_constant(value, dtype, shape, name)
    return finished(result) if is_weak else result


def _assigning(function):
    @functools.wraps(function)
    def call(self, value, *args, **kwargs):
        if not is_on():
            return function(self, value.tensor if isinstance(value, WeakTensor) else value, *args, **kwargs)
        try:
            dtype, _ = result_type(self, value)
        except NotImplementedError:
            return function(self, value, *args, **kwargs)
        if dtype != self.dtype:
            raise TypeError(f'Variable dtype is immutable. Calling {function.__name__} of Variable (with dtype {self.dtype}) on '
                            f'{value} requires converting {value} to {self.dtype}. This is disabled in the current promotion '
                            f'semantics. Please convert {value} manually before calling {function.__name__}.')
        return function(self, _as(value, dtype), *args, **kwargs)
    return call


def _at(path):
    found = tf
    for part in path.split('.'):
        found = getattr(found, part, None)
    return found


def dispatched(function, args, kwargs):
    """Calls a function of the library with the tensors inside of weak tensors."""
    def strong(value):
        if isinstance(value, WeakTensor):
            return value.tensor
        return type(value)(map(strong, value)) if type(value) in (list, tuple) else value
    return function(*map(strong, args), **{name: strong(value) for name, value in kwargs.items()})


_is_installed = False


def install(mode):
    """Sets the mode; the first weak one puts functions that know weak dtypes in the places of the plain ones."""
    global _mode, _is_installed
    _mode = mode
    if not is_on() or _is_installed:
        return
    _is_installed = True
    made = {}  # key of a function -> the one in its place
    for names, make in ((_UNARY, _unary), (_BINARY, _binary), (_COMPARED, lambda f: _binary(f, is_weak_kept=False))):
        for name in names.split():
            function = _at(name)
            if callable(function):
                made.setdefault(_key(function), make(function))
    made[_key(tf.constant)] = _constant
    spaces = [tf if space == '.' else _at(space) for space in _SPACES]
    for space in spaces:
        for name, value in list(vars(space).items()):
            if callable(value) and not isinstance(value, type) and _key(value) in made:
                setattr(space, name, made[_key(value)])
    numpy = tf.experimental.numpy
    for name in _NUMPY_UNARY.split():
        if callable(getattr(numpy, name, None)):
            setattr(numpy, name, _unary(getattr(numpy, name)))
    for name in ('assign', 'assign_add', 'assign_sub'):
        _engine.extend(tf.Variable, name, _assigning(getattr(tf.Variable, name)))


_engine.namespace('python.framework.weak_tensor').WeakTensor = WeakTensor
