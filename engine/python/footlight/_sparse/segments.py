"""tf.sparse: segment sums, splits and shapes of sparse tensors, and sparse tensors as strings."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._sparse.functions import SparseTensor, _checked, _made, retain
from footlight._typing import Any, DTypeLike, ShapeLike, TensorLike


def reset_shape(sp_input, new_shape=None):
    """The same elements in another shape of the same rank; without one, in the smallest."""
    sp_input = _checked(sp_input)
    indices, size = tf.identity(sp_input.indices), tf.identity(sp_input.dense_shape)
    if new_shape is None:
        smallest = tf.maximum(tf.constant(0, tf.int64), tf.reduce_max(indices, 0) + 1)
        return SparseTensor(indices, tf.identity(sp_input.values), smallest)
    known = tf.get_static_value(new_shape) if tf.is_tensor(new_shape) else new_shape
    wanted = tf.cast(tf.convert_to_tensor(new_shape), tf.int64)
    if sp_input.shape.rank is not None and wanted.shape.num_elements() is not None and (
            wanted.shape.num_elements() != sp_input.shape.rank):
        raise ValueError(f'Shapes ({wanted.shape.num_elements()},) and ({sp_input.shape.rank},) are not compatible')
    before = sp_input.shape
    if known is not None and before.is_fully_defined():
        if any(int(n) < b for n, b in zip(known, before.as_list())):
            raise ValueError(f'Shape {[int(n) for n in known]} is smaller than {before!s}')
    check = tf.debugging.Assert(tf.reduce_all(wanted >= size), ['new_shape is smaller than the shape: ', size])
    with tf.control_dependencies([check] if check is not None else []):
        return _made(indices, tf.identity(sp_input.values), tf.identity(wanted),
                     None if known is None else tf.TensorShape([int(n) for n in known]))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> Any:
    """Parts along an axis; the first ones are longer by one where it does not divide evenly."""
    if sp_input is None:
        raise ValueError('sp_input is required')
    if num_split is None:
        raise ValueError('num_split is required')
    if axis is None:
        raise ValueError('axis is required')
    sp_input = _checked(sp_input)
    rank = sp_input.shape.rank
    axis = int(axis)
    if num_split < 1:
        raise tf.errors.InvalidArgumentError(None, None, f'Input num_split should be >= 1 but got {num_split}')
    if not -rank <= axis < rank:
        raise tf.errors.InvalidArgumentError(None, None, f'Input axis should be in range [{-rank}, {rank}), got {axis}')
    axis %= rank
    size = sp_input.dense_shape[axis]
    if sp_input.shape[axis] is not None and sp_input.shape[axis] < num_split:
        raise tf.errors.InvalidArgumentError(None, None, 'Input num_split should be between 1 and the splitting '
                                                         f'dimension size ({sp_input.shape[axis]}), got {num_split}')
    whole, more = size // num_split, size % num_split
    along = tf.one_hot(axis, rank, dtype=tf.int64)
    parts, start = [], tf.zeros([], tf.int64)
    for number in range(num_split):
        length = whole + tf.cast(number < more, tf.int64)
        column = sp_input.indices[:, axis]
        part = retain(sp_input, (column >= start) & (column < start + length))
        known = sp_input.shape.as_list()
        known[axis] = None if known[axis] is None else known[axis] // num_split + (number < known[axis] % num_split)
        parts.append(_made(part.indices - along * start, part.values, tf.where(along > 0, length, sp_input.dense_shape),
                           tf.TensorShape(known)))
        start += length
    return parts


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Which numbers each row has, as flags."""
    sp_input = _checked(sp_input)
    places = tf.concat([sp_input.indices[:, :-1], tf.cast(sp_input.values, tf.int64)[:, tf.newaxis]], 1)
    size = tf.concat([sp_input.dense_shape[:-1], [tf.cast(vocab_size, tf.int64)]], 0)
    found = tf.tensor_scatter_nd_update(tf.zeros(size, tf.bool), places, tf.ones(tf.shape(sp_input.values), tf.bool))
    found.set_shape(sp_input.shape[:-1].concatenate([None if tf.is_tensor(vocab_size) else vocab_size]))
    return found


def _segments(data, indices, segment_ids, num_segments, plain, unsorted):
    data = tf.convert_to_tensor(data)
    rows, ids = tf.gather(data, indices), tf.convert_to_tensor(segment_ids)
    if num_segments is None:
        return plain(rows, ids)
    return unsorted(rows, ids, num_segments)


def segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None,
                sparse_gradient: bool = False, name: str | None = None) -> Any:
    """Sums of the rows with these indices, by segment."""
    return _segments(data, indices, segment_ids, num_segments, tf.math.segment_sum, tf.math.unsorted_segment_sum)


def segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None,
                 sparse_gradient: bool = False, name: str | None = None) -> Any:
    """Means of the rows with these indices, by segment."""
    return _segments(data, indices, segment_ids, num_segments, tf.math.segment_mean, tf.math.unsorted_segment_mean)


def segment_sqrt_n(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None,
                   sparse_gradient: bool = False, name: str | None = None) -> Any:
    """Sums of the rows with these indices, over the root of their number, by segment."""
    ids = tf.convert_to_tensor(segment_ids)
    total = segment_sum(data, indices, segment_ids, num_segments)
    count = segment_sum(tf.ones(tf.shape(data)[:1], total.dtype), indices, ids, num_segments)
    root = tf.sqrt(tf.maximum(count, 1))
    return total / tf.reshape(root, tf.concat([tf.shape(root), tf.ones([tf.rank(total) - 1], tf.int32)], 0))


def sparse_placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> tf.SparseTensor:
    """A sparse tensor of a graph whose parts Session.run is given."""
    if tf.executing_eagerly():
        raise RuntimeError('`sparse_placeholder` is not compatible with eager execution.')
    v1, shape = tf.compat.v1, tf.TensorShape(shape)
    names = [name and name + part for part in ('/shape', '/values', '/indices')]
    dense_shape = v1.placeholder(tf.int64, [shape.rank], names[0])
    values = v1.placeholder(dtype, [None], names[1])
    made = tf.SparseTensor(v1.placeholder(tf.int64, [None, shape.rank], names[2]), values, dense_shape)
    if shape.rank is not None:
        made.set_shape(shape)
    return made


# --- as strings ---
def serialize_sparse(sp_input: Any, out_type: DTypeLike = tf.string, name: str | None = None) -> Any:
    """The indices, the values and the shape as three strings."""
    sp_input = _checked(sp_input)
    if tf.as_dtype(out_type) != tf.string:
        raise NotImplementedError(f'serialize_sparse: only strings are made, not {tf.as_dtype(out_type).name}')
    with tf.name_scope(name or 'serialize_sparse'):
        return tf.stack([tf.io.serialize_tensor(part) for part in (sp_input.indices, sp_input.values, sp_input.dense_shape)])


def serialize_many_sparse(sp_input: Any, out_type: DTypeLike = tf.string, name: str | None = None) -> Any:
    """Three strings for each row of the first dimension."""
    sp_input = _checked(sp_input)

    def row(number):
        first, last = tf.unstack(tf.searchsorted(sp_input.indices[:, 0], tf.stack([number, number + 1])))
        return serialize_sparse(SparseTensor(sp_input.indices[first:last, 1:], sp_input.values[first:last],
                                             sp_input.dense_shape[1:]), out_type)
    with tf.name_scope(name or 'serialize_many_sparse'):
        made = tf.map_fn(row, tf.range(sp_input.dense_shape[0]), fn_output_signature=tf.TensorSpec([3], tf.string))
        return tf.ensure_shape(made, [None, 3])


def deserialize_many_sparse(serialized_sparse: Any, dtype: DTypeLike, rank: Any = None, name: str | None = None) -> Any:
    """Joins serialized sparse tensors to one; the number of each becomes the first index, which `rank` includes."""
    with tf.name_scope(name or 'deserialize_many_sparse'):
        texts = tf.convert_to_tensor(serialized_sparse, tf.string)
        if not texts.shape.is_compatible_with([None, 3]):
            raise tf.errors.InvalidArgumentError(None, None, 'Serialized sparse as a matrix must have 3 columns; its '
                                                             f'shape is {texts.shape}')
        texts = tf.ensure_shape(texts, [None, 3])
        count = tf.shape(texts)[0]
        arrays = [tf.TensorArray(kind, count, infer_shape=False) for kind in (tf.int64, dtype, tf.int64)]

        def read(number, arrays):
            indices, values, size = (tf.io.parse_tensor(texts[number, k], kind)
                                     for k, kind in enumerate((tf.int64, dtype, tf.int64)))
            entries = tf.shape(indices)[0]
            indices = tf.concat([tf.fill([entries, 1], tf.cast(number, tf.int64)), indices], 1)
            return number + 1, [array.write(number, part) for array, part in zip(arrays, (indices, values, size[None]))]
        _, (indices, values, sizes) = tf.while_loop(lambda number, _: number < count, read, (0, arrays))
        shape = tf.concat([[tf.cast(count, tf.int64)], tf.reduce_max(sizes.concat(), 0)], 0)
        indices = indices.concat()
        if rank is not None:
            indices, shape = tf.ensure_shape(indices, [None, rank]), tf.ensure_shape(shape, [rank])
        return SparseTensor(indices, values.concat(), shape)


publish('tf.sparse', reset_shape, split, to_indicator, segment_sum, segment_mean, segment_sqrt_n)
publish('tf.io', deserialize_many_sparse, serialize_many_sparse, serialize_sparse)
_engine.namespace('compat.v1').sparse_placeholder = sparse_placeholder
