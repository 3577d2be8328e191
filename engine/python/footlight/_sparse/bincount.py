"""tf.math.bincount of sparse and ragged tensors: dense counts, of all elements or of each row."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, DTypeLike


def _parts(arr: tf.RaggedTensor | tf.SparseTensor, weights: Any) -> tuple[Any, ...]:
    """The numbers, the row of each, how many rows there are, and the weights."""
    if isinstance(arr, tf.SparseTensor):
        if weights is not None and not isinstance(weights, tf.SparseTensor):
            raise ValueError('Argument `weights` must be a SparseTensor if `values` is a SparseTensor. '
                             f'Received weights={weights} of type: {type(weights).__name__}')
        rows, height = arr.indices[:, 0], arr.dense_shape[0]
    elif isinstance(arr, tf.RaggedTensor):
        if weights is not None and not isinstance(weights, tf.RaggedTensor):
            raise ValueError('`weights` must be a RaggedTensor if `values` is a RaggedTensor. '
                             f'Received argument weights={weights} of type: {type(weights).__name__}')
        rows, height = arr.value_rowids(), arr.nrows()
    else:
        raise ValueError('`weights` can be sparse or ragged only where the numbers to count are')
    flat = [x.flat_values if isinstance(x, tf.RaggedTensor) else None if x is None else x.values for x in (arr, weights)]
    return flat[0], tf.cast(rows, tf.int64), tf.cast(height, tf.int64), flat[1]


def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: DTypeLike = tf.int32,
             name: str | None = None, axis: Any = None, binary_output: bool = False) -> tf.Tensor:
    """How often each number occurs in `arr`, or with axis=-1 in each of its rows: a dense tensor."""
    if weights is not None and binary_output:
        raise ValueError('Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.')
    if axis not in (None, 0, -1):
        raise ValueError(f'Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.')
    with tf.name_scope(name or 'bincount'):
        numbers, rows, height, weights = _parts(arr, weights)
        by_row = axis == -1 and arr.shape.rank != 1
        if by_row and arr.shape.rank not in (None, 2):
            raise ValueError(f'axis=-1 counts the rows of a matrix, the shape of the numbers is {arr.shape}')
        if not by_row:
            return tf.math.bincount(numbers, weights, minlength, maxlength, dtype, binary_output=binary_output)
        numbers = tf.cast(numbers, tf.int64)
        checked = tf.debugging.assert_non_negative(numbers, message='Input must be non-negative [Op:RaggedBincount]')
        with tf.control_dependencies([checked] if checked is not None else []):
            width = tf.reduce_max(tf.concat([numbers, [tf.constant(-1, tf.int64)]], 0)) + 1
        if minlength is not None:
            width = tf.maximum(width, tf.cast(minlength, tf.int64))
        if maxlength is not None:
            width = tf.minimum(width, tf.cast(maxlength, tf.int64))
        kept = numbers < width
        cells = tf.boolean_mask(rows * width + numbers, kept)
        weights = None if weights is None else tf.boolean_mask(weights, kept)
        size = height * width
        counts = tf.math.bincount(cells, weights, size, size, dtype, binary_output=binary_output)
        return tf.reshape(counts, tf.stack([height, width]))
