"""tf.sparse: functions on sparse tensors, each in a few ops on their indices and values."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Callable, DTypeLike, TensorLike

SparseTensor = tf.SparseTensor


def _checked(value, name='sp_input'):
    """The sparse tensor, made of the arrays of one where it is a SparseTensorValue."""
    if isinstance(value, SparseTensor._Value):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f'Input must be a SparseTensor: {name} is a {type(value).__name__}')
    return value


def _made(indices: tf.Tensor, values: tf.Tensor, dense_shape: tf.Tensor,
          shape: tf.TensorShape | None = None) -> tf.SparseTensor:
    made = SparseTensor(indices, values, dense_shape)
    if shape is not None and shape.rank is not None:
        made.set_shape(shape)
    return made


def _places(indices: tf.Tensor, dense_shape: tf.Tensor) -> tf.Tensor:
    """One number for each index, in row-major order."""
    strides = tf.math.cumprod(dense_shape, exclusive=True, reverse=True)
    return tf.reduce_sum(indices * strides, axis=1)


def map_values(op, *args, **kwargs):
    """op(...) on the values of the sparse tensors among the arguments, which have the same indices."""
    sparse = [a for a in [*args, *kwargs.values()] if isinstance(a, SparseTensor)]
    if not sparse:
        raise ValueError('No SparseTensor in argument list of map_values')

    def inner(value):
        return value.values if isinstance(value, SparseTensor) else value
    found = op(*[inner(a) for a in args], **{k: inner(v) for k, v in kwargs.items()})
    return _made(sparse[0].indices, found, sparse[0].dense_shape, sparse[0].shape)


def reorder(sp_input: Any, name: str | None = None) -> tf.SparseTensor:
    """The same with the indices in row-major order."""
    sp_input = _checked(sp_input)
    order = tf.argsort(_places(sp_input.indices, sp_input.dense_shape), stable=True)
    return _made(tf.gather(sp_input.indices, order), tf.gather(sp_input.values, order), sp_input.dense_shape, sp_input.shape)


def _joined(parts: list[Any], dense_shape: tf.Tensor, shape: tf.TensorShape | None,
            combine: Callable[..., Any]) -> tf.SparseTensor:
    """All elements of sparse tensors of one shape; `combine(values, group, count)` makes one of those at one place."""
    indices = tf.concat([p.indices for p in parts], 0)
    values = tf.concat([p.values for p in parts], 0)
    places, group = tf.unique(_places(indices, dense_shape))
    count = tf.size(places)
    firsts = tf.math.unsorted_segment_max(indices, group, count)
    order = tf.argsort(places)
    return _made(tf.gather(firsts, order), tf.gather(combine(values, group, count), order), dense_shape, shape)


def add(a, b, threshold=0):
    """The sum of two sparse tensors, or of a sparse one and a dense one, which is dense."""
    a, b = (_checked(part) if isinstance(part, SparseTensor._Value) else part for part in (a, b))
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        b = tf.convert_to_tensor(b, a.dtype)
        with _of_one_shape(a.dense_shape, tf.shape(b, tf.int64), 'Dimensions of the sparse and the dense operand'):
            return tf.tensor_scatter_nd_add(b, a.indices, a.values)
    if a.dtype != b.dtype:
        raise tf.errors.InvalidArgumentError(None, None, f'cannot compute SparseAdd of {a.dtype.name} and '
                                                         f'{b.dtype.name}')
    with _of_one_shape(a.dense_shape, b.dense_shape, "The operands' shapes"):
        total = _joined([a, b], a.dense_shape, a.shape.merge_with(b.shape) if a.shape.rank == b.shape.rank else a.shape,
                        tf.math.unsorted_segment_sum)
    known = tf.get_static_value(threshold)
    if known is not None and not known:
        return total
    return retain(total, tf.abs(total.values) >= tf.cast(threshold, tf.abs(total.values).dtype))


def _of_one_shape(a: tf.Tensor, b: tf.Tensor, what: str) -> Any:
    """A scope in which two shapes, as tensors, are the same."""
    same = tf.equal(tf.size(a), tf.size(b)) & tf.reduce_all(tf.equal(a[:tf.size(b)], b[:tf.size(a)]))
    check = tf.debugging.Assert(same, [f'{what} do not match: ', a, b])
    return tf.control_dependencies([check] if check is not None else [])


def _extreme(name: str, kept: Callable[..., Any]) -> Callable[..., Any]:
    def choose(sp_a, sp_b, name=None):
        both = [_checked(sp_a, 'sp_a'), _checked(sp_b, 'sp_b')]
        with _of_one_shape(both[0].dense_shape, both[1].dense_shape, "The operands' shapes"):
            return chosen(both)

    def chosen(both):
        zeros = [_made(p.indices, tf.zeros_like(p.values), p.dense_shape) for p in both]
        filled = [_joined([p, z], p.dense_shape, p.shape, tf.math.unsorted_segment_sum) for p, z in zip(both, zeros[::-1])]
        return _made(filled[0].indices, kept(filled[0].values, filled[1].values), both[0].dense_shape, both[0].shape)
    choose.__name__ = choose.__qualname__ = name
    choose.__doc__ = f'The {name} of two sparse tensors, element by element; where one has none it counts as zero.'
    return choose


maximum, minimum = _extreme('maximum', tf.maximum), _extreme('minimum', tf.minimum)


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The same with another dimension of size one."""
    sp_input = _checked(sp_input)
    rank = sp_input.dense_shape.shape[0]
    axis = -1 if axis is None else axis
    if rank is not None:
        if not -rank - 1 <= axis <= rank:
            raise tf.errors.InvalidArgumentError(None, None, f'axis {axis} is not in [{-rank - 1}, {rank}]')
        axis = axis + rank + 1 if axis < 0 else axis
    elif axis < 0:
        axis = tf.shape(sp_input.dense_shape)[0] + axis + 1
    zeros = tf.zeros([tf.shape(sp_input.indices)[0], 1], tf.int64)
    indices = tf.concat([sp_input.indices[:, :axis], zeros, sp_input.indices[:, axis:]], 1)
    size = sp_input.dense_shape
    shape = tf.TensorShape(None)
    if rank is not None:
        known = sp_input.shape.as_list()
        shape = tf.TensorShape(known[:axis] + [1] + known[axis:])
    return _made(indices, sp_input.values, tf.concat([size[:axis], tf.ones([1], tf.int64), size[axis:]], 0), shape)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> Any:
    """The same elements in another shape."""
    sp_input = _checked(sp_input)
    known = tf.get_static_value(shape) if tf.is_tensor(shape) else shape
    shape = tf.cast(shape, tf.int64)
    total = tf.reduce_prod(sp_input.dense_shape)
    is_open = tf.equal(shape, -1)
    rest = tf.reduce_prod(tf.where(is_open, tf.ones_like(shape), shape))
    asserts = [
        tf.debugging.Assert(tf.reduce_sum(tf.cast(is_open, tf.int32)) <= 1, ['only one output dimension may be -1, shape is ', shape]),
        tf.debugging.Assert(tf.reduce_all(shape >= -1), ['sizes must be non-negative, shape is ', shape]),
        tf.debugging.Assert(tf.logical_not(tf.reduce_any(is_open)) | tf.not_equal(rest, 0), [
            'reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero'])]
    shape = tf.where(is_open, total // tf.maximum(rest, 1), shape)
    asserts.append(tf.debugging.Assert(tf.equal(tf.reduce_prod(shape), total), [
        'Cannot reshape: Input to reshape is a tensor with ', total, ' dense values, but the requested shape has another size']))
    with tf.control_dependencies([check for check in asserts if check is not None]):
        places, shape = _places(sp_input.indices, sp_input.dense_shape), tf.identity(shape)
    strides = tf.math.cumprod(shape, exclusive=True, reverse=True)
    indices = places[:, tf.newaxis] // tf.maximum(strides, 1) % tf.maximum(shape, 1)
    return _made(indices, sp_input.values, shape, _reshaped(sp_input.shape, known))


def _reshaped(shape, known):
    """The static shape after tf.sparse.reshape."""
    if known is None:
        return None
    sizes = [None if d is None or int(d) < 0 else int(d) for d in known]
    if sizes.count(None) == 1 and shape.is_fully_defined():
        rest = tf.TensorShape([d for d in sizes if d is not None]).num_elements()
        if rest:
            if shape.num_elements() % rest:
                raise ValueError(f'Cannot reshape a tensor with {shape.num_elements()} elements to shape {sizes} ({rest} elements)')
            sizes[sizes.index(None)] = shape.num_elements() // rest
    return tf.TensorShape(sizes)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> tf.SparseTensor:
    """The same with dimensions in another order: the reverse one if none is given."""
    sp_input = _checked(sp_input)
    rank = sp_input.dense_shape.shape[0]
    perm = list(range(rank))[::-1] if perm is None else [int(p) for p in perm]
    if all(0 <= p < rank for p in perm) and sorted(perm) != list(range(rank)):
        raise ValueError(f'tf.sparse.transpose: perm must name each of the {rank} dimensions once, got {perm}')
    if sorted(perm) != list(range(rank)):
        raise tf.errors.InvalidArgumentError(None, None, f'tf.sparse.transpose: perm {perm} names dimensions outside of [0, {rank})')
    known = sp_input.shape.as_list()
    return reorder(_made(tf.gather(sp_input.indices, perm, axis=1), sp_input.values, tf.gather(sp_input.dense_shape, perm),
                         tf.TensorShape([known[p] for p in perm])))


def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> tf.SparseTensor:
    """Sparse tensors joined along an axis."""
    parts = [_checked(p, 'sp_inputs') for p in sp_inputs]
    rank = parts[0].dense_shape.shape[0]
    for p in parts[1:]:
        if p.dense_shape.shape[0] not in (None, rank):
            raise tf.errors.InvalidArgumentError(None, None, f'Ranks of all input tensors must match: expected {rank} but got '
                                                 f'{p.dense_shape.shape[0]}')
    if not -rank <= axis < rank:
        raise tf.errors.InvalidArgumentError(None, None, f'Concat dimension must be in range [{-rank}, {rank}), got '
                                                         f'{axis}')
    axis %= rank
    one = tf.one_hot(axis, rank, dtype=tf.int64)
    offset, indices = tf.zeros([], tf.int64), []
    for p in parts:
        indices.append(p.indices + one * offset)
        offset += p.dense_shape[axis]
    largest, fits = parts[0].dense_shape, []
    for p in parts[1:]:
        if expand_nonconcat_dims:
            largest = tf.maximum(largest, p.dense_shape)
        else:
            fits.append(tf.debugging.Assert(tf.reduce_all((one > 0) | tf.equal(p.dense_shape, largest)), [
                f'Concat dimensions must match but for dimension {axis}: ', largest, p.dense_shape]))
    with tf.control_dependencies([check for check in fits if check is not None]):
        largest = tf.identity(largest)
    size = tf.where(one > 0, offset, largest)
    known = [p.shape.as_list() for p in parts]
    said = [None if expand_nonconcat_dims else next((k[d] for k in known if k[d] is not None), None) for d in range(rank)]
    said[axis] = None if any(k[axis] is None for k in known) else sum(k[axis] for k in known)
    return reorder(_made(tf.concat(indices, 0), tf.concat([p.values for p in parts], 0), size, tf.TensorShape(said)))


def retain(sp_input: Any, to_retain: Any) -> tf.SparseTensor:
    """The elements for which `to_retain` holds."""
    sp_input = _checked(sp_input)
    to_retain = tf.convert_to_tensor(to_retain)
    to_retain.shape.assert_has_rank(1)
    wanted = sp_input.values.shape[0]
    if wanted is not None and to_retain.shape[0] is not None:
        tf.TensorShape([wanted]).assert_is_compatible_with(to_retain.shape)
    kept = tf.where(to_retain)[:, 0]
    return _made(tf.gather(sp_input.indices, kept), tf.gather(sp_input.values, kept), sp_input.dense_shape, sp_input.shape)


def _reduced(sp_input: tf.SparseTensor, axis: int | None, keepdims: bool | None, combine: Callable[..., Any],
             reduce_all: Callable[..., Any], output_is_sparse: bool) -> tf.SparseTensor | tf.Tensor:
    rank = sp_input.dense_shape.shape[0]
    axes = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else [int(a) for a in axis]
    for a in axes:
        if not -rank <= a < rank:
            raise tf.errors.InvalidArgumentError(None, None, f'Invalid reduction dimension {a}: a sparse tensor of {rank} dimensions')
    axes = [a % rank for a in axes]
    kept = [d for d in range(rank) if d not in axes]
    if not output_is_sparse and not kept and not keepdims:
        return reduce_all(sp_input.values)
    if keepdims:
        stays = tf.constant([d in kept for d in range(rank)])
        indices = tf.where(stays, sp_input.indices, tf.zeros([], tf.int64))
        size = tf.where(stays, sp_input.dense_shape, tf.ones([], tf.int64))
        said = [d if i in kept else 1 for i, d in enumerate(sp_input.shape.as_list())]
    else:
        places = tf.constant(kept, tf.int32)
        indices, size = tf.gather(sp_input.indices, places, axis=1), tf.gather(sp_input.dense_shape, places)
        said = [sp_input.shape.as_list()[d] for d in kept]
    found = _joined([_made(indices, sp_input.values, size)], size, tf.TensorShape(said), combine)
    if output_is_sparse:
        return found
    dense = tf.sparse.to_dense(found)
    dense.set_shape(said)
    return dense


def reduce_sum(sp_input: Any, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False,
               name: str | None = None) -> tf.SparseTensor | tf.Tensor:
    """Sums along dimensions."""
    return _reduced(sp_input, axis, keepdims, tf.math.unsorted_segment_sum, tf.reduce_sum, output_is_sparse)


def reduce_max(sp_input: Any, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False,
               name: str | None = None) -> Any:
    """The largest of the elements that are there, along dimensions; zero where there are none."""
    return _reduced(sp_input, axis, keepdims, tf.math.unsorted_segment_max, tf.reduce_max, output_is_sparse)


def sparse_dense_matmul(sp_a: Any, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False,
                        name: str | None = None) -> tf.Tensor:
    """The product of a sparse and a dense matrix, in either order."""
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return tf.transpose(turned, conjugate=turned.dtype.is_complex)
    sp_a = _checked(sp_a, 'sp_a')
    b = tf.convert_to_tensor(b, sp_a.dtype)
    b = tf.linalg.adjoint(b) if adjoint_b else b
    b = tf.reshape(b, tf.shape(b))  # makes the gradient dense; that of a plain gather would be IndexedSlices
    rows, columns = sp_a.indices[:, 0], sp_a.indices[:, 1]
    values, size = sp_a.values, sp_a.dense_shape[0]
    if adjoint_a:
        rows, columns, size = columns, rows, sp_a.dense_shape[1]
        values = tf.math.conj(values) if values.dtype.is_complex else values
    if b.shape.rank not in (None, 2):
        raise ValueError(f'sparse_dense_matmul: the dense matrix must have two dimensions, its shape is {b.shape}')
    inner, known = sp_a.dense_shape[0 if adjoint_a else 1], sp_a.shape[0 if adjoint_a else 1] if sp_a.shape.rank else None
    if not tf.executing_eagerly() and known is not None and b.shape.rank and b.shape[0] not in (None, known):
        raise ValueError(f'Dimensions must be equal, but are {known} and {b.shape[0]} for sparse_dense_matmul')
    asserts = [
        tf.debugging.Assert(tf.equal(inner, tf.shape(b, out_type=tf.int64)[0]), [
            'Cannot multiply A and B because inner dimension does not match: ', inner, ' vs. ', tf.shape(b)[0]]),
        tf.debugging.Assert(tf.reduce_all((columns >= 0) & (columns < inner)), [
            'sparse_dense_matmul: k of an index of A is out of bounds, there are ', inner, ' columns']),
        tf.debugging.Assert(tf.reduce_all((rows >= 0) & (rows < size)), [
            'sparse_dense_matmul: m of an index of A is out of bounds, there are ', size, ' rows'])]
    with tf.control_dependencies([check for check in asserts if check is not None]):
        columns = tf.identity(columns)
    dtype = values.dtype
    if dtype in (tf.float16, tf.bfloat16):  # sums use a wider dtype
        values, b = tf.cast(values, tf.float32), tf.cast(b, tf.float32)
    product = tf.math.unsorted_segment_sum(values[:, tf.newaxis] * tf.gather(b, columns), rows, size)
    product = product if product.dtype == dtype else tf.cast(product, dtype)
    product.set_shape([sp_a.shape[1 if adjoint_a else 0] if sp_a.shape.rank else None, b.shape[1]])
    return product


def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """An IndexedSlices without the rows of these indices."""
    indices = tf.convert_to_tensor(a.indices)
    a = tf.IndexedSlices(tf.convert_to_tensor(a.values), indices, a.dense_shape)
    kept = tf.where(tf.logical_not(tf.reduce_any(tf.equal(indices[:, tf.newaxis], tf.cast(mask_indices, a.indices.dtype)), 1)))[:, 0]
    return tf.IndexedSlices(tf.gather(a.values, kept), tf.gather(a.indices, kept), a.dense_shape)


def eye(num_rows: Any, num_columns: Any = None, dtype: DTypeLike = tf.float32, name: str | None = None) -> Any:
    """The identity matrix."""
    columns = num_rows if num_columns is None else num_columns
    count = min(num_rows, columns)
    places = tf.range(count, dtype=tf.int64)
    return SparseTensor(tf.stack([places, places], 1), tf.ones([count], dtype), [num_rows, columns])


def softmax(sp_logits: Any, name: str | None = None) -> Any:
    """The softmax over the last dimension, of the elements that are there."""
    sp_logits = _checked(sp_logits, 'sp_logits')
    rows = _places(sp_logits.indices[:, :-1], sp_logits.dense_shape[:-1])
    group = tf.unique(rows)[1]
    count = tf.size(rows)
    top = tf.gather(tf.math.unsorted_segment_max(sp_logits.values, group, count), group)
    powers = tf.exp(sp_logits.values - top)
    return sp_logits.with_values(powers / tf.gather(tf.math.unsorted_segment_sum(powers, group, count), group))


def slice_(sp_input: Any, start: Any, size: Any, name: str | None = None) -> Any:
    """The part from `start` on of at most `size`."""
    sp_input = _checked(sp_input)
    start, size = tf.cast(start, tf.int64), tf.cast(size, tf.int64)
    rank = sp_input.shape.rank
    for what, given in (('start', start), ('size', size)):
        if rank is not None and not given.shape.is_compatible_with([rank]):
            raise tf.errors.InvalidArgumentError(None, None, f'Expected {what} to be a vector of length {rank}, its shape is {given.shape}')
    check = tf.debugging.Assert(tf.reduce_all(size >= 0), ['the size of a slice must not be negative, got ', size])
    with tf.control_dependencies([check] if check is not None else []):
        size = tf.identity(size)
    inside = tf.reduce_all((sp_input.indices >= start) & (sp_input.indices < start + size), 1)
    part = retain(sp_input, inside)
    return SparseTensor(part.indices - start, part.values, tf.maximum(tf.minimum(size, sp_input.dense_shape - start), 0))


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[Any, ...]:
    """Rows without elements get one at their beginning; and which rows had none."""
    sp_input = _checked(sp_input)
    default = tf.cast(default_value, sp_input.dtype) if sp_input.dtype != tf.string else tf.convert_to_tensor(default_value)
    rows = sp_input.dense_shape[0]
    count = tf.math.unsorted_segment_sum(tf.ones_like(sp_input.indices[:, 0]), sp_input.indices[:, 0], rows)
    empty = tf.where(tf.equal(count, 0))
    new = tf.concat([empty, tf.zeros([tf.shape(empty)[0], tf.shape(sp_input.indices)[1] - 1], tf.int64)], 1)
    indices = tf.concat([sp_input.indices, new], 0)
    values = tf.concat([sp_input.values, tf.fill([tf.shape(empty)[0]], default)], 0)
    order = tf.argsort(indices[:, 0], stable=True)  # within a row, elements stay in the order in which they are given
    return _made(tf.gather(indices, order), tf.gather(values, order), sp_input.dense_shape, sp_input.shape), tf.equal(count, 0)


def bincount(values: TensorLike, weights: TensorLike | None = None, axis: Any = 0, minlength: Any = None,
             maxlength: Any = None, binary_output: bool = False, name: str | None = None) -> tf.SparseTensor:
    """How often each number occurs, as a sparse tensor: in all (axis 0) or in each row (axis -1)."""
    if weights is not None and binary_output:
        raise ValueError('Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.')
    if axis not in (0, -1):
        raise ValueError(f'Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.')
    for kind in (SparseTensor, tf.RaggedTensor):
        if weights is not None and isinstance(values, kind) and not isinstance(weights, kind):
            raise ValueError(f'Argument `weights` must be a {kind.__name__} if `values` is a {kind.__name__}. '
                             f'Received weights={weights} of type: {type(weights).__name__}')
    if isinstance(values, SparseTensor):
        numbers = values.values
        rows = values.indices[:, 0] if axis == -1 and values.shape.rank == 2 else tf.zeros_like(values.indices[:, 0])
        height = values.dense_shape[0]
        weights = weights.values if isinstance(weights, SparseTensor) else weights
    elif isinstance(values, tf.RaggedTensor):
        numbers, rows, height = values.values, values.value_rowids(), values.nrows()
        weights = weights.values if isinstance(weights, tf.RaggedTensor) else weights
    else:
        values = tf.convert_to_tensor(values)
        numbers = tf.reshape(values, [-1])
        height = tf.shape(values, out_type=tf.int64)[0]
        by_row = axis == -1 and values.shape.rank == 2
        rows = tf.repeat(tf.range(height), tf.shape(values)[1]) if by_row else tf.zeros_like(numbers, tf.int64)
        weights = None if weights is None else tf.reshape(tf.convert_to_tensor(weights), [-1])
    kept_dtype = numbers.dtype if numbers.dtype in (tf.int32, tf.int64) else tf.int64
    by_row = axis == -1 and (isinstance(values, tf.RaggedTensor) or values.shape.rank == 2)
    numbers, rows = tf.cast(numbers, tf.int64), tf.cast(rows, tf.int64)
    width = tf.reduce_max(tf.concat([numbers, [tf.constant(0, tf.int64)]], 0)) + 1  # never empty
    if maxlength is not None:
        kept = numbers < tf.cast(maxlength, tf.int64)
        numbers, rows = tf.boolean_mask(numbers, kept), tf.boolean_mask(rows, kept)
        weights = None if weights is None else tf.boolean_mask(weights, kept)
    if maxlength is not None:
        width = tf.cast(maxlength, tf.int64)
    elif minlength is not None:
        width = tf.maximum(width, tf.cast(minlength, tf.int64))
    amounts = tf.ones_like(numbers, kept_dtype) if weights is None or binary_output else tf.convert_to_tensor(weights)
    combine = tf.math.unsorted_segment_max if binary_output else tf.math.unsorted_segment_sum
    indices = tf.stack([rows, numbers], 1) if by_row else numbers[:, tf.newaxis]
    size = tf.stack([height, width]) if by_row else width[tf.newaxis]
    return _joined([SparseTensor(indices, amounts, size)], size, None, combine)


_home = _engine.namespace('sparse')
slice_.__name__ = slice_.__qualname__ = 'slice'
publish('tf.sparse', map_values, reorder, add, maximum, minimum, expand_dims, reshape, transpose, concat, retain,
        reduce_sum, reduce_max, sparse_dense_matmul, mask, eye, softmax, slice_, fill_empty_rows, bincount)
