"""tf.ragged.boolean_mask: of ragged or whole tensors, with masks of either kind."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._ragged import partition_checks
from footlight._ragged.tensor import RaggedTensor, _count, _values_of, gather
from footlight._typing import Any


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of each row where the mask holds."""
    with tf.name_scope(name or 'RaggedMask'):
        data, mask = _values_of(data), _as_mask(mask)
        if mask.shape.rank is None:
            raise ValueError('mask.shape.ndims must be known statically.')
        if mask.shape.rank == 0:
            raise ValueError('mask cannot be scalar.')
        return _masked(data, mask)


def _as_mask(mask):
    if isinstance(mask, RaggedTensor) or hasattr(type(mask), '_as_tensor'):
        mask = _values_of(mask)
        if mask.dtype != tf.bool:
            raise ValueError(f'Tensor conversion requested dtype bool for RaggedTensor with dtype {mask.dtype.name}: {mask!r}')
        return mask
    return tf.convert_to_tensor(mask, tf.bool)


def _rows_of(value):
    """Converts to a ragged tensor; the rows of a dense one run along its second dimension."""
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)


def _masked(data, mask):
    if mask.shape.rank == 1:
        data.shape[:1].assert_is_compatible_with(mask.shape)
        mask = partition_checks.checked('', mask, [
            ('the mask must be as long as the data', lambda: tf.equal(tf.size(mask, tf.int64), tf.cast(_count(data), tf.int64)))])
        kept = tf.where(mask)[:, 0]
        return gather(data, kept) if isinstance(data, RaggedTensor) else tf.gather(data, kept)
    if not isinstance(mask, RaggedTensor) and not isinstance(data, RaggedTensor):
        data.shape[:2].assert_is_compatible_with(mask.shape[:2])
    if data.shape.rank is not None and data.shape.rank < 2:
        raise ValueError(f'the mask has {mask.shape.rank} dimensions, the data only {data.shape.rank}')
    data, mask = _rows_of(data), _rows_of(mask)
    splits = tf.cast(mask.row_splits, data.row_splits.dtype)
    splits = partition_checks.checked('', data.row_splits, partition_checks.equal_vectors(
        'Inputs must have identical ragged splits', splits, data.row_splits))
    values = _masked(data.values, mask.values)
    if mask.shape.rank > 2:
        return RaggedTensor(values, splits)
    before = tf.concat([tf.zeros([1], splits.dtype), tf.cumsum(tf.cast(mask.values, splits.dtype))], 0)
    return RaggedTensor(values, tf.gather(before, splits))


publish('tf.ragged', boolean_mask)
