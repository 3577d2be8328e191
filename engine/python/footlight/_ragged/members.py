"""Members of tf.RaggedTensor beside those that it consists of: operators, parts, other ways to make one; more of tf.ragged."""
import builtins

import footlight as tf
from footlight import _engine
from footlight._ragged.tensor import RaggedTensor, gather


# --- parts ---
def item(value, keys):
    """value[keys], `keys` a tuple."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[keys]
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return item(value, _filled(value, rest))
    if first is None:
        inner = item(value, rest)
        return tf.expand_dims(inner, 0)
    if isinstance(first, slice):
        rows = value if first == slice(None) else gather(value, tf.range(value.nrows())[first])
        return _inner(rows, rest)
    known = first if isinstance(first, int) else None
    if known is None and not (tf.is_tensor(first) or hasattr(first, '__index__')):
        raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                        f'tf.int32/tf.int64 tensors are valid indices, got {first!r}')
    if known is not None and value.shape[0] is not None and not -value.shape[0] <= known < value.shape[0]:
        raise IndexError(f'Row key {known} out of bounds')
    begin = value.row_starts()[first]
    row = value.values[begin:value.row_limits()[first]]
    return item(row, rest)


def _filled(value, rest):
    """Keys with the dimensions that an ellipsis stands for."""
    if Ellipsis in [k for k in rest if k is Ellipsis]:
        raise ValueError('Only one ellipsis is allowed')
    return (slice(None),) * builtins.max(0, value.shape.rank - builtins.len([k for k in rest if k is not None])) + rest


def _inner(value, keys):
    """The keys applied to the dimensions below the rows."""
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        count = value.shape.rank - 1 - builtins.len([k for k in rest if k is not None])
        return _inner(value, (slice(None),) * builtins.max(0, count) + rest)
    if first is None:
        return RaggedTensor.from_uniform_row_length(_inner(value, rest), 1, nrows=value.nrows(), validate=False)
    if not isinstance(first, slice):
        if value._uniform is not None:
            count = value._uniform
            if isinstance(first, int) and not -count <= first < count:
                raise tf.errors.InvalidArgumentError(None, None, f'slice index {first} out of bounds')
            column = value.row_starts() + tf.cast(first if not isinstance(first, int) else first % count, value.row_splits.dtype)
            return item(gather(value.values, column) if isinstance(value.values, RaggedTensor) else tf.gather(
                value.values, column), (slice(None), *rest))
        raise ValueError('Cannot index into an inner ragged dimension.')
    part = value if first == slice(None) else _cut(value, first)
    if not rest:
        return part
    values = part.values
    return part.with_values(_inner(values, rest) if isinstance(values, RaggedTensor) else values[(slice(None), *rest)])


def _cut(value, part):
    """part of each row."""
    step = 1 if part.step is None else part.step
    known = tf.get_static_value(step) if tf.is_tensor(step) else step
    if known is None:
        raise ValueError('the step of a slice of a ragged dimension must be known')
    step = int(known)
    if step == 0:
        raise ValueError('slice step cannot be zero')
    lengths = value.row_lengths()
    low, high = (tf.zeros_like(lengths), lengths) if step > 0 else (tf.zeros_like(lengths) - 1, lengths - 1)

    def place(given, otherwise):
        if given is None:
            return otherwise
        given = tf.cast(given, lengths.dtype)
        return tf.clip_by_value(tf.where(given < 0, lengths + given, given + tf.zeros_like(lengths)), low, high)
    begin = place(part.start, low if step > 0 else high)
    end = place(part.stop, high if step > 0 else low)
    counts = tf.maximum((end - begin + (step - 1 if step > 0 else step + 1)) // step, 0)
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(counts)], 0)
    rows = tf.repeat(tf.range(tf.size(counts)), counts)
    within = tf.range(splits[-1]) - tf.gather(splits, rows)
    places = tf.gather(value.row_starts() + begin, rows) + within * step
    inner = value.values
    return RaggedTensor(gather(inner, places) if isinstance(inner, RaggedTensor) else tf.gather(inner, places), splits)


# --- other ways to make one ---
def _nested(make, flat_values, parts, counts=None, validate=True):
    if isinstance(flat_values, RaggedTensor):
        raise ValueError('Argument `flat_values` must not be a RaggedTensor')
    found = flat_values
    for at, part in reversed(list(enumerate(parts))):
        found = make(found, part, validate=validate) if counts is None else make(found, part, counts[at], validate=validate)
    return found


def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
    """Of where rows begin, for each ragged dimension."""
    return _nested(cls.from_row_splits, flat_values, nested_row_splits, None, validate)


def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
    """Of how many values rows have, for each ragged dimension."""
    return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, None, validate)


def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
    """Of the rows of values, for each ragged dimension."""
    counts = [None] * builtins.len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
    if builtins.len(counts) != builtins.len(nested_value_rowids):
        raise ValueError('Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. '
                         f'len(nested_nrows) = {builtins.len(counts)} vs. len(nested_values_rowids) = '
                         f'{builtins.len(nested_value_rowids)}.')
    return _nested(cls.from_value_rowids, flat_values, nested_value_rowids, counts, validate)


def from_row_limits(cls, values, row_limits, name=None, validate=True):
    """Of where each row ends."""
    limits = tf.convert_to_tensor(row_limits, tf.int64 if not tf.is_tensor(row_limits) else None)
    return cls.from_row_splits(values, tf.concat([tf.zeros([1], limits.dtype), limits], 0), name, validate)


def from_sparse(cls, st_input, name=None, row_splits_dtype=tf.int64):
    """Of a sparse matrix whose rows have their values at the beginning."""
    if not isinstance(st_input, tf.SparseTensor):
        raise TypeError(f'Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.')
    if not st_input.dense_shape.shape.is_compatible_with([2]) or not st_input.indices.shape.is_compatible_with([None, 2]):
        raise ValueError('rank(st_input) must be 2.')
    rows, columns = st_input.indices[:, 0], st_input.indices[:, 1]
    first = tf.concat([tf.ones([1], tf.bool), tf.not_equal(rows[1:], rows[:-1])], 0)[:tf.size(rows)]
    before = tf.concat([tf.zeros([1], columns.dtype) - 1, columns[:-1]], 0)[:tf.size(columns)]
    fits = tf.reduce_all(tf.equal(columns, tf.where(first, tf.zeros_like(columns), before + 1)))
    check = tf.debugging.Assert(fits, ['SparseTensor is not right-ragged'])
    with tf.control_dependencies([check] if check is not None else []):
        rows = tf.cast(tf.identity(rows), row_splits_dtype)
    return cls.from_value_rowids(st_input.values, rows, nrows=tf.cast(st_input.dense_shape[0], row_splits_dtype), validate=False)


# --- what it consists of ---
def nested_row_lengths(self, name=None):
    """How many values rows have, for each ragged dimension."""
    return (self.row_lengths(), *(self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()))


def nested_value_rowids(self, name=None):
    """The rows of values, for each ragged dimension."""
    return (self.value_rowids(), *(self.values.nested_value_rowids() if isinstance(self.values, RaggedTensor) else ()))


def merge_dims(self, outer_axis, inner_axis):
    """With the dimensions from `outer_axis` to `inner_axis` as one."""
    from footlight._ragged.dispatch import axis_of
    outer, inner = axis_of(outer_axis, self.shape.rank, 'outer_axis'), axis_of(inner_axis, self.shape.rank, 'inner_axis')
    if not outer <= inner:
        raise ValueError(f'Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})')
    return _merged(self, outer, inner)


def _merged(value, outer, inner):
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        shape = tf.shape(value)
        return tf.reshape(value, tf.concat([shape[:outer], [-1], shape[inner + 1:]], 0))
    if outer == 0:
        return _merged(value.values, 0, inner - 1)
    if outer > 1:
        return value.with_values(_merged(value.values, outer - 1, inner - 1))
    # The rows of rows become one.
    below = value.values
    if isinstance(below, RaggedTensor):
        merged = RaggedTensor(below.values, tf.gather(below.row_splits, value.row_splits))
    else:
        width = tf.cast(tf.shape(below, out_type=tf.int64)[1], value.row_splits.dtype)
        shape = tf.shape(below)
        merged = RaggedTensor(tf.reshape(below, tf.concat([[shape[0] * shape[1]], shape[2:]], 0)), value.row_splits * width)
    return _merged(merged, 1, inner - 1)


def consumers(self):
    """The ops that take a part of it, in a graph."""
    found = []
    for part in (self.flat_values, *self.nested_row_splits):
        found += [op for op in part.consumers() if op not in found]
    return found


# --- operators ---
def _operator(name, function, swapped=False):
    def operator(self, other):
        if isinstance(other, (str, bytes)) or other is None or (
                not isinstance(other, (RaggedTensor, tf.Tensor, tf.Variable, int, float, complex, list, tuple)) and
                not hasattr(other, '__array__') and not hasattr(type(other), '_as_tensor')):
            return NotImplemented
        if hasattr(type(other), '_as_tensor'):  # arrays, which take the dtype of the tensor unless that loses fractions
            other = other._as_tensor()
            if self.dtype.is_floating or not other.dtype.is_floating:
                other = tf.cast(other, self.dtype)
        return function(other, self) if swapped else function(self, other)
    operator.__name__ = name
    return operator


def _compared(function, where_unlike):
    """`==` or `!=`, which give one truth value where shapes do not fit each other."""
    def operator(self, other):
        if other is None or isinstance(other, (str, tf.SparseTensor)):
            return where_unlike
        try:
            return function(self, other)
        except (tf.errors.InvalidArgumentError, ValueError):  # a rule about shapes raises ValueError while tracing
            return where_unlike
    return operator


def _by_type(flags, bits):
    def function(x, y):
        dtype = next(v.dtype for v in (x, y) if hasattr(v, 'dtype'))
        return (flags if dtype == tf.bool else bits)(x, y)
    return function


def _no_truth(self):
    raise TypeError('RaggedTensor may not be used as a boolean.')


def _add_operators():
    math, bits = tf.math, tf.bitwise
    both = {'add': math.add, 'sub': math.subtract, 'mul': math.multiply, 'truediv': math.truediv, 'floordiv': math.floordiv,
            'mod': math.floormod, 'pow': math.pow, 'and': _by_type(math.logical_and, bits.bitwise_and),
            'or': _by_type(math.logical_or, bits.bitwise_or), 'xor': _by_type(math.logical_xor, bits.bitwise_xor)}
    for name, function in both.items():
        setattr(RaggedTensor, f'__{name}__', _operator(f'__{name}__', function))
        setattr(RaggedTensor, f'__r{name}__', _operator(f'__r{name}__', function, swapped=True))
    for name, function in (('lt', math.less), ('le', math.less_equal), ('gt', math.greater), ('ge', math.greater_equal)):
        setattr(RaggedTensor, f'__{name}__', _operator(f'__{name}__', function))
    RaggedTensor.__eq__, RaggedTensor.__ne__ = _compared(math.equal, False), _compared(math.not_equal, True)
    RaggedTensor.__hash__ = lambda self: builtins.id(self)
    RaggedTensor.__bool__ = RaggedTensor.__nonzero__ = _no_truth
    RaggedTensor.__neg__ = lambda self: math.negative(self)
    RaggedTensor.__abs__ = lambda self: math.abs(self)
    RaggedTensor.__invert__ = lambda self: (math.logical_not if self.dtype == tf.bool else bits.invert)(self)
    RaggedTensor.__array_priority__ = 100


_add_operators()
for _f in (from_nested_row_splits, from_nested_row_lengths, from_nested_value_rowids, from_row_limits, from_sparse):
    setattr(RaggedTensor, _f.__name__, classmethod(_f))
for _f in (nested_row_lengths, nested_value_rowids, merge_dims, consumers):
    setattr(RaggedTensor, _f.__name__, _f)


# --- tf.ragged ---
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value, of where rows begin."""
    splits = tf.convert_to_tensor(splits, None if tf.is_tensor(splits) else tf.int64)
    if splits.dtype not in (tf.int32, tf.int64):
        raise ValueError(f'splits must have dtype int32 or int64, received {splits.dtype}.')
    if splits.shape.rank is not None:
        splits.shape.assert_has_rank(1)
    if splits.shape[0] == 0:
        raise ValueError('Invalid row_splits: []')
    out_type = splits.dtype if out_type is None else tf.as_dtype(out_type)
    return tf.repeat(tf.range(tf.cast(tf.size(splits) - 1, out_type)), splits[1:] - splits[:-1])


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where rows begin, of the row of each value."""
    ids = tf.convert_to_tensor(segment_ids, dtype_hint=tf.int64)
    if ids.dtype not in (tf.int32, tf.int64):
        raise TypeError(f'Argument `tensor` (name: segment_ids) must be of type integer (int32 or int64), not {ids.dtype.name}')
    if ids.shape.rank not in (None, 1):
        raise ValueError(f'Shape {ids.shape} must have rank 1')
    out_type = ids.dtype if out_type is None else tf.as_dtype(out_type)
    if num_segments is None:
        num_segments = tf.reduce_max(tf.concat([ids, tf.constant([-1], ids.dtype)], 0)) + 1
    lengths = tf.math.unsorted_segment_sum(tf.ones_like(ids, out_type), ids, num_segments)
    return tf.concat([tf.zeros([1], out_type), tf.cumsum(lengths)], 0)


for _f in (row_splits_to_segment_ids, segment_ids_to_row_splits):
    _f.__module__ = 'footlight.ragged'
    setattr(_engine.namespace('ragged'), _f.__name__, _f)


def printed(value, summarize):
    """What tf.print shows of a ragged or sparse tensor: texts and tensors. None: of another value."""
    if isinstance(value, tf.SparseTensor):
        return ["'SparseTensor(indices=", value.indices, ', values=', value.values, ', shape=', value.dense_shape, ")'"]
    if not isinstance(value, tf.RaggedTensor):
        return None
    from footlight._ragged.formatting import ragged_tensor_to_string
    return [ragged_tensor_to_string(value, summarize)]
