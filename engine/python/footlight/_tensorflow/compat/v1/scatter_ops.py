"""Functions of TensorFlow 1 that today have other parameters, or are methods: parts of variables, sparse tensors, texts, blocks."""
from __future__ import annotations

import footlight as tf
from footlight._public import alias, publish
from footlight._typing import Any, Callable, TensorLike


def _by_rows(name: str, what: str) -> Callable[..., Any]:
    def scatter(ref, indices, updates, use_locking=False, name=None):
        return getattr(ref, method)(tf.IndexedSlices(updates, indices), name=name)
    method = name
    scatter.__name__, scatter.__doc__ = name, what
    return scatter


def _by_index(name: str, what: str) -> Callable[..., Any]:
    def scatter(ref, indices, updates, use_locking=True, name=None):
        return getattr(ref, method)(indices, updates, name=name)
    method = name
    scatter.__name__, scatter.__doc__ = name, what
    return scatter


scatter_div = _by_rows('scatter_div', 'Divides rows of a variable.')
scatter_max = _by_rows('scatter_max', 'The larger of rows of a variable and of updates.')
scatter_min = _by_rows('scatter_min', 'The smaller of rows of a variable and of updates.')
scatter_mul = _by_rows('scatter_mul', 'Multiplies rows of a variable.')
batch_scatter_update = _by_rows('batch_scatter_update', 'Replaces rows of a variable, for each item of the batch.')
scatter_nd_add = _by_index('scatter_nd_add', 'Adds to parts of a variable.')
scatter_nd_sub = _by_index('scatter_nd_sub', 'Subtracts from parts of a variable.')
scatter_nd_update = _by_index('scatter_nd_update', 'Replaces parts of a variable.')


def _given(first: int | None, second: Any, names: tuple[Any, ...]) -> Any:
    """What two names of one argument say."""
    if first is not None and second is not None:
        raise ValueError(f'Cannot specify both {names[0]!r} and {names[1]!r}.')
    return first if second is None else second


def reduce_join(inputs: TensorLike, axis: Any = None, keep_dims: bool | None = None, separator: str = '',
                name: str | None = None, reduction_indices: Any = None, keepdims: bool | None = None) -> tf.Tensor:
    """Joins the strings along dimensions; from the last one on, where none is given."""
    axis = _given(axis, reduction_indices, ('axis', 'reduction_indices'))
    return tf.strings.reduce_join(inputs, axis, bool(_given(keepdims, keep_dims, ('keepdims', 'keep_dims'))), separator, name)


def batch_to_space(input: TensorLike, crops: Any, block_size: Any, name: str | None = None,
                   block_shape: Any = None) -> tf.Tensor:
    """Parts of the batch put together as blocks of space."""
    block = block_shape if block_shape is not None else [block_size, block_size]
    return tf.batch_to_space(input, block, crops, name)


def sparse_add(a: TensorLike, b: TensorLike, threshold: Any = None, thresh: Any = None) -> tf.SparseTensor | tf.Tensor:
    """The sum of two sparse tensors, or of a sparse one and a whole one."""
    threshold = _given(threshold, thresh, ('threshold', 'thresh'))
    return tf.sparse.add(a, b, 0 if threshold is None else threshold)


def _sparse_result(reduce: Callable[..., Any], what: str) -> Callable[..., Any]:
    def reduced(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
        axis = _given(axis, reduction_axes, ('axis', 'reduction_axes'))
        return reduce(sp_input, axis, bool(_given(keepdims, keep_dims, ('keepdims', 'keep_dims'))), output_is_sparse=True)
    reduced.__name__, reduced.__doc__ = f'sparse_reduce_{what}_sparse', f'The {what} along dimensions, as a sparse tensor.'
    return reduced


sparse_reduce_max_sparse = _sparse_result(tf.sparse.reduce_max, 'max')
sparse_reduce_sum_sparse = _sparse_result(tf.sparse.reduce_sum, 'sum')


def erosion2d(value: TensorLike, kernel: TensorLike, strides: Any, rates: Any, padding: Any,
              name: str | None = None) -> tf.Tensor:
    """The smallest of input minus filter in each window."""
    return tf.nn.erosion2d(value, kernel, strides, padding, 'NHWC', rates, name)


publish('tf.compat.v1', scatter_div, scatter_max, scatter_min, scatter_mul, batch_scatter_update, scatter_nd_add,
        scatter_nd_sub, scatter_nd_update, reduce_join, batch_to_space, sparse_add, sparse_reduce_max_sparse,
        sparse_reduce_sum_sparse)
alias('tf.compat.v1.nn', erosion2d)
alias('tf.compat.v1.strings', reduce_join)
alias('tf.compat.v1.sparse', add=sparse_add, reduce_max_sparse=sparse_reduce_max_sparse,
      reduce_sum_sparse=sparse_reduce_sum_sparse)
