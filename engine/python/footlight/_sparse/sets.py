"""tf.sets: the values in the last dimension of tensors as sets."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, TensorLike

_op = _engine.dataset_op


def _given(a):
    return a if isinstance(a, tf.SparseTensor) else tf.convert_to_tensor(a)


def _parts(t):
    return [t.indices, t.values, t.dense_shape] if isinstance(t, tf.SparseTensor) else [t]


def _joined(a, b, operation, validate_indices):
    a, b = _given(a), _given(b)
    if a.dtype != b.dtype:
        raise TypeError(f'Types of inputs do not match: {a.dtype} vs {b.dtype}.')
    sparse = [isinstance(t, tf.SparseTensor) for t in (a, b)]
    if sparse == [True, False]:
        operation = {'a-b': 'b-a', 'b-a': 'a-b'}.get(operation, operation)
        a, b, sparse = b, a, [False, True]
    name = {(False, False): 'DenseToDense', (False, True): 'DenseToSparse', (True, True): 'SparseToSparse'}[tuple(sparse)]
    return tf.SparseTensor(*_op(name + 'SetOperation', [*_parts(a), *_parts(b)],
                                {'set_operation': operation, 'validate_indices': bool(validate_indices)}))


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> Any:
    """The values that both have, in each row."""
    return _joined(a, b, 'intersection', validate_indices)


def difference(a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> Any:
    """The values of `a` that `b` has not, or the other way round, in each row."""
    return _joined(a, b, 'a-b' if aminusb else 'b-a', validate_indices)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> Any:
    """The values of both, in each row."""
    return _joined(a, b, 'union', validate_indices)


def size(a: TensorLike, validate_indices: bool = True) -> Any:
    """How many different values each row has."""
    if not isinstance(a, tf.SparseTensor):
        raise TypeError(f'Expected `SparseTensor`, got {type(a)}.')
    return _op('SetSize', _parts(a), {'validate_indices': bool(validate_indices)})[0]


publish('tf.sets', intersection, difference, union, size)
