"""Look-ups of several rows for each example, which are summed or averaged: the ids are a sparse tensor."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any


def embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False):
    """The sum, mean or root-weighted mean of the rows that each example names."""
    combiner = 'mean' if combiner is None else combiner
    if combiner not in ('mean', 'sqrtn', 'sum'):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!s}")
    if not isinstance(sp_ids, (tf.SparseTensor, tf.RaggedTensor)):
        raise TypeError(f'sp_ids must be SparseTensor, got {type(sp_ids).__name__}')
    if sp_weights is not None and not isinstance(sp_weights, type(sp_ids)):
        raise TypeError(f'sp_weights must be either None or {type(sp_ids).__name__}, got {type(sp_weights).__name__}')
    if isinstance(sp_ids, tf.RaggedTensor):
        ids, row = sp_ids.flat_values, sp_ids.value_rowids()
        weights = None if sp_weights is None else sp_weights.flat_values
    else:
        ids, row = sp_ids.values, sp_ids.indices[:, 0]
        weights = None if sp_weights is None else sp_weights.values
    rows = tf.nn.embedding_lookup(params, ids, max_norm, name=name)
    if weights is None:
        if combiner == 'sum':  # segment_sum() itself adds half floats in float32
            return tf.math.segment_sum(rows, row)
        weights = tf.ones(tf.shape(ids)[:1], rows.dtype)
    dtype = rows.dtype
    if dtype in (tf.float16, tf.bfloat16):  # whose sums would be rounded at each step
        rows = tf.cast(rows, tf.float32)
    weights = tf.cast(weights, rows.dtype)
    spread = tf.concat([tf.shape(weights), tf.ones([tf.rank(rows) - 1], tf.int32)], 0)
    rank = rows.shape.rank
    weights = tf.reshape(weights, [-1] + [1] * (rank - 1) if rank is not None else spread)
    total = tf.math.segment_sum(rows * weights, row)
    if combiner == 'mean':
        total = tf.math.divide_no_nan(total, tf.math.segment_sum(weights, row))
    elif combiner == 'sqrtn':
        total = tf.math.divide_no_nan(total, tf.sqrt(tf.math.segment_sum(weights * weights, row)))
    return tf.cast(total, dtype)


def safe_embedding_lookup_sparse(embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None,
                                 combiner: str = 'mean', default_id: Any = None, max_norm: Any = None,
                                 name: str | None = None, allow_fast_lookup: bool = False) -> Any:
    """embedding_lookup_sparse() without invalid ids and weights; empty examples give zeros or the row `default_id`."""
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueError(f'Missing embedding_weights {embedding_weights!s}.')
    if isinstance(sparse_ids, tf.RaggedTensor):
        sparse_ids = sparse_ids.to_sparse()
        sparse_weights = None if sparse_weights is None else sparse_weights.to_sparse()
    outer = sparse_ids.dense_shape[:-1]
    known = sparse_ids.shape[:-1]
    two = tf.stack([tf.reduce_prod(outer), sparse_ids.dense_shape[-1]])
    sparse_ids = tf.sparse.reshape(sparse_ids, two)
    wanted = sparse_ids.values >= 0
    if sparse_weights is not None:
        sparse_weights = tf.SparseTensor(sparse_ids.indices, sparse_weights.values, sparse_ids.dense_shape)
        if combiner != 'sum':
            wanted = tf.logical_and(wanted, sparse_weights.values > 0)
        sparse_weights = tf.sparse.retain(sparse_weights, wanted)
    sparse_ids = tf.sparse.retain(sparse_ids, wanted)
    sparse_ids, is_empty = tf.sparse.fill_empty_rows(sparse_ids, 0 if default_id is None else default_id)
    if sparse_weights is not None:
        sparse_weights, _ = tf.sparse.fill_empty_rows(sparse_weights, 1.0)
    found = embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights, combiner, max_norm, name)
    if default_id is None:
        empty = tf.reshape(is_empty, tf.concat([[-1], tf.ones([tf.rank(found) - 1], tf.int32)], 0))
        found = tf.where(empty, tf.zeros_like(found), found, name=name)
    result = tf.reshape(found, tf.concat([tf.cast(outer, tf.int32), tf.shape(found)[1:]], 0))
    if known.rank is not None:
        result.set_shape(known.concatenate(found.shape[1:]))
    return result


tf.nn.embedding_lookup_sparse, tf.nn.safe_embedding_lookup_sparse = embedding_lookup_sparse, safe_embedding_lookup_sparse
