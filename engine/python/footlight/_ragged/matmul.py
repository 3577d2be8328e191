"""tf.matmul where a matrix is ragged: a batch of matrices of several sizes, padded with zeros, is one product, and the rows
and columns that the padding added are cut off afterwards."""
from __future__ import annotations

import footlight as tf
from footlight._ragged.dispatch import _deepened, _rule, is_ragged
from footlight._ragged.tensor import RaggedTensor
from footlight._typing import Any, Callable


@_rule('linalg.matmul')
def _matmul(function: Callable[..., Any], a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
            adjoint_a: bool = False, adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
            output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None) -> Any:
    if transpose_a and adjoint_a:
        raise ValueError('Only one of transpose_a and adjoint_a can be True.')
    if transpose_b and adjoint_b:
        raise ValueError('Only one of transpose_b and adjoint_b can be True.')
    options = {'transpose_a': transpose_a, 'transpose_b': transpose_b, 'adjoint_a': adjoint_a, 'adjoint_b': adjoint_b,
               'a_is_sparse': a_is_sparse, 'b_is_sparse': b_is_sparse, 'output_type': output_type}
    with tf.name_scope(name or 'RaggedMatMul'):
        a = a if is_ragged(a) else tf.convert_to_tensor(a)
        b = b if is_ragged(b) else tf.convert_to_tensor(b)
        if a.dtype != b.dtype:
            raise ValueError(f'`a` and `b` must have the same dtype. Those given are {a.dtype.name} and {b.dtype.name}')
        a, b = _of_one_rank(a, b)
        return _product(a, b, options)


def _of_one_rank(a: Any, b: Any) -> tuple[Any, ...]:
    ranks = {v.shape.rank for v in (a, b)} - {None}
    if not ranks:
        raise ValueError('matmul requires at least one input to have known rank if either input is ragged.')
    if len(ranks) > 1:
        raise ValueError(f'`a` and `b` must have the same rank. Their shapes are {a.shape} and {b.shape}')
    rank = ranks.pop()
    if rank < 2:
        raise ValueError(f'matmul of ragged tensors: `a` and `b` must have two dimensions or more, not {rank}')
    return _with_rank(a, rank), _with_rank(b, rank)


def _with_rank(value, rank):
    if value.shape.rank is not None:
        return value
    if not is_ragged(value):
        return tf.ensure_shape(value, [None] * rank)
    return value.with_flat_values(tf.ensure_shape(value.flat_values, [None] * (rank - value.ragged_rank)))


def _product(a, b, options):
    if not is_ragged(a) and not is_ragged(b):
        return tf.linalg.matmul(a, b, **options)
    if a.shape.rank == 2:
        return tf.linalg.matmul(_whole_matrix(a), _whole_matrix(b), **options)
    if a.shape.rank == 3:
        return _batch_product(a, b, options)
    rows = a if is_ragged(a) else b
    a, b = _deepened(a, 1), _deepened(b, 1)
    check = _equal(a.row_lengths(), tf.cast(b.row_lengths(), a.row_splits.dtype),
                   'Batch dimensions of `a` and `b` do not have the same size')
    with tf.control_dependencies(check):
        return _deepened(rows, 1).with_values(_product(a.values, b.values, options))


def _equal(x: Any, y: Any, words: str) -> Any:
    same = tf.equal(tf.size(x), tf.size(y))
    count = tf.minimum(tf.size(x), tf.size(y))
    check = tf.debugging.Assert(same & tf.reduce_all(tf.equal(x[:count], y[:count])), [words, x, y])
    return [] if check is None else [check]


def _even(lengths, longest):
    return _equal(lengths, longest, 'The matrices in `a` and `b` may not be ragged in their innermost dimension.')


def _whole_matrix(value):
    if not is_ragged(value):
        return value
    lengths = value.row_lengths()
    with tf.control_dependencies(_even(lengths, tf.gather(lengths, tf.zeros_like(lengths)))):
        return value.to_tensor()


class _Matrices:
    """The matrices of a tensor of rank 3: padded to one size, with the rows and columns of each."""

    def __init__(self, value: Any, swapped: Any, dtype: Any) -> None:
        self.rows_are_ragged, self.columns_are_ragged = is_ragged(value), is_ragged(value) and value.ragged_rank > 1
        shape = value.shape
        if not is_ragged(value):
            size = tf.shape(value, dtype)
            rows, columns = tf.fill(size[:1], size[1]), tf.fill(size[:1], size[2])
            self.checks, self.padded = [], value
        else:
            rows = tf.cast(value.row_lengths(), dtype)
            self.padded = value.to_tensor()
            if self.columns_are_ragged:
                lengths, at = tf.cast(value.values.row_lengths(), dtype), value.value_rowids()
                columns = tf.maximum(tf.math.unsorted_segment_max(lengths, at, tf.size(rows)), 0)
                self.checks = _even(lengths, tf.gather(columns, at))
            else:
                columns = tf.fill(tf.shape(rows), tf.shape(value.values, dtype)[1])
                self.checks = []
        self.rows, self.columns, self.shape = rows, columns, [shape[1], shape[2]]
        if swapped:
            self.rows, self.columns, self.shape = columns, rows, self.shape[::-1]
            self.rows_are_ragged, self.columns_are_ragged = self.columns_are_ragged, self.rows_are_ragged


def _batch_product(a, b, options):
    dtypes = [v.row_splits.dtype for v in (a, b) if is_ragged(v)]
    dtype = tf.int64 if tf.int64 in dtypes and len(set(dtypes)) == 1 else tf.int32
    # As in TensorFlow, columns are ragged where those of `b` may be, and where `b` is ragged and transposed.
    is_transposed = options['transpose_b'] or options['adjoint_b']
    columns_are_ragged = is_ragged(b) and (b.ragged_rank > 1 or is_transposed)
    batch = a.shape[0] if a.shape[0] is not None else b.shape[0]
    a = _Matrices(a, options['transpose_a'] or options['adjoint_a'], dtype)
    b = _Matrices(b, is_transposed, dtype)
    fits = _equal(a.columns, b.rows, 'Matrix size-incompatible: columns of the matrices in `a`, rows of those in `b`')
    with tf.control_dependencies([*a.checks, *b.checks, *fits]):
        whole = tf.linalg.matmul(a.padded, b.padded, **options)
    lengths = [a.rows, tf.repeat(b.columns, a.rows)] if columns_are_ragged else a.rows
    cut = RaggedTensor.from_tensor(whole, lengths=lengths, row_splits_dtype=dtype)
    values = cut.values
    if columns_are_ragged:
        values = RaggedTensor(values.values, values.row_splits, b.shape[1])
    elif b.shape[1] is not None:
        values = tf.ensure_shape(values, [None, b.shape[1]])
    made = RaggedTensor(values, cut.row_splits, a.shape[0])
    if batch is not None and made.shape[0] is None:
        made.row_splits.set_shape([batch + 1])
    return made
