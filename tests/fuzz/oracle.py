"""NumPy's answers, for functions with a NumPy counterpart of the same meaning."""
import numpy as np

import surface


def elementwise(function):
    return lambda x: function(x)


def expm1(x):
    y = np.expm1(x)
    return None if y.dtype.kind == 'c' and not np.all(np.isfinite(y)) else y  # inf+nanj for large real numbers


def listed(axis):
    return tuple(np.reshape(
        axis, -1).tolist()) if axis is not None and np.ndim(axis) else None if axis is None else int(axis)


def reduction(function):
    def answer(input_tensor, axis=None, keepdims=False):
        return function(input_tensor, axis=listed(axis), keepdims=bool(keepdims))
    return answer


def same_dtype(function):
    """Sums in the dtype of the input, as ours do."""
    return lambda x, **named: function(x, dtype=x.dtype, **named)


def product(x, **named):
    """None where the order of the factors decides: what underflows or overflows first meets an infinity."""
    return None if x.dtype.kind in 'fc' and not np.all(np.isfinite(x)) else np.prod(x, dtype=x.dtype, **named)


RULES = {
    'tf.math.' + name: elementwise(getattr(np, theirs))
    for name, theirs in (('abs', 'abs'), ('negative', 'negative'), ('sign', 'sign'), ('square', 'square'),
                         ('exp', 'exp'), ('log', 'log'), ('log1p', 'log1p'), ('sqrt', 'sqrt'),
                         ('tan', 'tan'), ('sin', 'sin'), ('cos', 'cos'), ('tanh', 'tanh'), ('sinh', 'sinh'),
                         ('cosh', 'cosh'), ('asin', 'arcsin'), ('acos', 'arccos'), ('atan', 'arctan'),
                         ('asinh', 'arcsinh'), ('acosh', 'arccosh'), ('atanh', 'arctanh'), ('floor', 'floor'),
                         ('ceil', 'ceil'), ('rint', 'rint'), ('is_nan', 'isnan'), ('is_inf', 'isinf'),
                         ('is_finite', 'isfinite'), ('logical_not', 'logical_not'), ('reciprocal', 'reciprocal'))
}
RULES.update({
    'tf.math.' + name: (lambda f: lambda x, y: f(x, y))(getattr(np, theirs))
    for name, theirs in (('add', 'add'), ('subtract', 'subtract'), ('multiply', 'multiply'), ('maximum', 'maximum'),
                         ('minimum', 'minimum'), ('equal', 'equal'), ('not_equal', 'not_equal'), ('less', 'less'),
                         ('less_equal', 'less_equal'), ('greater', 'greater'), ('greater_equal', 'greater_equal'),
                         ('logical_and', 'logical_and'), ('logical_or', 'logical_or'), ('logical_xor', 'logical_xor'),
                         ('floormod', 'mod'))
})
RULES.update({
    'tf.bitwise.bitwise_' + name: (lambda f: lambda x, y: f(x, y))(getattr(np, 'bitwise_' + name))
    for name in ('and', 'or', 'xor')
})
RULES.update({
    'tf.math.floordiv':  # floor(inf / y), as in TensorFlow; NumPy says nan
    lambda x, y: np.floor_divide(x, y) if np.all(np.isfinite(x)) else None,
    'tf.math.expm1':
    expm1,
    'tf.bitwise.invert':
    np.invert,
    'tf.math.reduce_sum':
    reduction(same_dtype(np.sum)),
    'tf.math.reduce_prod':
    reduction(product),
    'tf.math.reduce_max':
    reduction(np.max),
    'tf.math.reduce_min':
    reduction(np.min),
    'tf.math.reduce_all':
    reduction(np.all),
    'tf.math.reduce_any':
    reduction(np.any),
    'tf.transpose':
    lambda a, perm=None, conjugate=False: np.transpose(np.conj(a) if conjugate and a.dtype.kind == 'c' else a, perm),
    'tf.reshape':
    lambda tensor, shape: np.reshape(tensor,
                                     np.reshape(shape, -1).tolist()),
    'tf.expand_dims':
    lambda input, axis: np.expand_dims(input, int(axis)),
    'tf.squeeze':
    lambda input, axis=None: np.squeeze(input, listed(axis)) if axis is None or np.size(axis) else None,
    'tf.tile':
    lambda input, multiples: np.tile(input,
                                     np.reshape(multiples, -1).tolist()),
    'tf.broadcast_to':
    lambda input, shape: np.broadcast_to(input,
                                         np.reshape(shape, -1).tolist()),
    'tf.reverse':
    lambda tensor, axis: np.flip(tensor,
                                 np.reshape(axis, -1).tolist()),
    'tf.roll':
    lambda input, shift, axis: np.roll(input, listed(shift), listed(axis)),
    'tf.where':
    lambda condition, x=None, y=None: (None if type(x) in (int, bool) else np.where(condition, x, y))  # y becomes int32
    if x is not None and y is not None else np.argwhere(condition),
    'tf.gather':
    lambda params, indices, axis=0: np.take(params, indices, int(axis)) if np.min(indices, initial=0) >= 0 else None,
    'tf.math.cumsum':
    lambda x, axis=0: np.cumsum(x, int(axis), x.dtype),
    'tf.stack':
    lambda values, axis=0: np.stack(values, int(axis)),
    'tf.concat':
    lambda values, axis: np.concatenate(values, int(axis)),
    'tf.linalg.matmul':
    lambda a, b: np.matmul(a, b) if np.ndim(a) > 1 and np.ndim(b) > 1 else None,
    'tf.linalg.diag_part':
    lambda input: np.diagonal(input, axis1=-2, axis2=-1),
    'tf.shape':
    lambda input: np.array(np.shape(input), 'int32'),
    'tf.size':
    lambda input: np.array(np.size(input), 'int32'),
    'tf.rank':
    lambda input: np.array(np.ndim(input), 'int32'),
    'tf.zeros_like':
    np.zeros_like,
    'tf.ones_like':
    np.ones_like,
    'tf.sort':
    lambda values: np.sort(values),
    'tf.unstack':
    lambda value, axis=0: list(np.moveaxis(value, int(axis), 0)),
    'operator.getitem':
    lambda x, index: x[index]
})
SPECIAL = ('tf.math.', 'tf.linalg.', 'tf.')
FIRST_IS_TENSOR = 'operator.getitem'


def rule_of(name, function):
    """The rule of a function, under any of its names."""
    if name in RULES:
        return RULES[name]
    leaf = name.rpartition('.')[2]
    import footlight as tf
    for prefix in SPECIAL:
        rule = RULES.get(prefix + leaf)
        if rule and getattr(tf.math, leaf, None) is function:
            return rule
    return None


def as_array(tf, value):
    """A tensor or an array as an array; (lists of) numbers unchanged; None if NumPy would treat it differently."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return None if tf.as_dtype(value.dtype) in (tf.bfloat16,
                                                    tf.string) or tf.is_symbolic_tensor(value) else value.numpy()
    if tf.is_tensor(value):
        return None  # sparse
    if isinstance(value, np.ndarray):
        return value if value.dtype.isnative and value.dtype.kind in 'fciub' and type(value) is np.ndarray else None
    if type(value) in (list, tuple):
        parts = [as_array(tf, v) for v in value]
        return None if any(p is None for p in parts) else parts
    return value if type(value) in (int, bool) and abs(value) < 2 ** 31 else None


def answer(tf, name, function, arguments, named):
    """NumPy's result as an array or a list of them, or None if there is nothing to compare with."""
    rule = rule_of(name, function)
    if rule is None:
        return None
    if name == FIRST_IS_TENSOR:
        x, index = arguments
        if not tf.is_tensor(x) or as_array(tf, x) is None or not plain_index(index):
            return None
        values = {'x': as_array(tf, x), 'index': index}
    else:
        known = [p[0] for p in surface.parameters(function) or ()]
        values = {**dict(zip(known, arguments)), **named}
        values.pop('name', None)
        if not values or any(v is None and k not in ('x', 'y', 'axis', 'perm') for k, v in values.items()):
            return None
        first = next(iter(values.values()))
        tensors = first if type(first) in (list, tuple) and first else [first]
        if not all(tf.is_tensor(v) or isinstance(v, np.ndarray) for v in tensors):
            return None  # NumPy does not decide which dtype a Python value gets
        arrays = {k: None if v is None else as_array(tf, v) for k, v in values.items()}
        if any(arrays[k] is None and v is not None for k, v in values.items()):
            return None
        values = arrays
    pair = [v for k, v in values.items() if k in ('x', 'y')]
    if any(type(v) in (list, tuple) for v in pair) and any(isinstance(v, (np.ndarray, np.generic)) for v in pair):
        return None  # a list takes the dtype of the tensor beside it
    if len({v.dtype for v in pair if isinstance(v, (np.ndarray, np.generic))}) > 1:
        return None  # arrays take the dtype of the tensors beside them
    if any(type(v) is int and v < 0 for v in pair) and any(isinstance(v, np.ndarray) and v.dtype.kind == 'u' for v in pair):
        return None  # NumPy compares the numbers, we (like TensorFlow) values of the dtype
    if any(isinstance(v, np.ndarray) and v.dtype.kind == 'c' and not np.all(np.isfinite(v)) for v in values.values()):
        return None
    try:
        with np.errstate(all='ignore'):
            return rule(**values)
    except Exception:
        return None


def plain_index(index):
    """Whether the index is only ints, slices of ints, None and ..., which mean the same to both."""
    parts = index if type(index) is tuple else (index,)
    for part in parts:
        ends = (part.start, part.stop, part.step) if type(part) is slice else (part,)
        if any(not (e is None or e is Ellipsis or type(e) is int) for e in ends):
            return False
    return True
