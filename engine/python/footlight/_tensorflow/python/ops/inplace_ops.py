"""tensorflow.python.ops.inplace_ops: rows of a tensor replaced, in a new tensor."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable, DTypeLike, ShapeLike, TensorLike


def _update_rows(change: Callable[..., Any]) -> Callable[..., Any]:
    def update(x, i, v):
        x = tf.convert_to_tensor(x)
        v = tf.convert_to_tensor(v, x.dtype)
        if i is None:
            return change(x, None, v)
        i = tf.cast(tf.convert_to_tensor(i), tf.int32)
        if i.shape.rank == 0:
            i, v = tf.expand_dims(i, 0), tf.expand_dims(v, 0)
        return change(x, tf.expand_dims(i, 1), v)
    return update


_update = _update_rows(lambda x, i, v: tf.identity(v) if i is None else tf.tensor_scatter_nd_update(x, i, v))
_add = _update_rows(lambda x, i, v: x + v if i is None else tf.tensor_scatter_nd_add(x, i, v))
_sub = _update_rows(lambda x, i, v: x - v if i is None else tf.tensor_scatter_nd_sub(x, i, v))


def alias_inplace_update(x: TensorLike, i: Any, v: Any) -> tf.Tensor:
    """`x` with rows `i` replaced by `v`; all of it where `i` is None."""
    return _update(x, i, v)


def alias_inplace_add(x: TensorLike, i: Any, v: Any) -> tf.Tensor:
    """`x` with `v` added to rows `i`; to all of it where `i` is None."""
    return _add(x, i, v)


def alias_inplace_sub(x: TensorLike, i: Any, v: TensorLike) -> tf.Tensor:
    """`x` with `v` subtracted from rows `i`; from all of it where `i` is None."""
    return _sub(x, i, v)


def empty(shape: ShapeLike, dtype: DTypeLike, init: bool = False) -> Any:
    """A tensor of zeros: TensorFlow's has any values, unless `init` is True."""
    return tf.zeros(shape, dtype)


def empty_like(x, init=None):
    """A tensor of zeros like `x`."""
    return tf.zeros_like(x)


publish(globals())
publish(globals(), 'inplace_add=alias_inplace_add inplace_sub=alias_inplace_sub inplace_update=alias_inplace_update')
