"""Collects the results of tf.map_fn: dense tensors are stacked, ragged ones joined with their row lengths."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any


class Whole:
    """Results of one shape."""

    def __init__(self, spec: Any, count: Any, infer_shape: bool) -> None:
        self._arrays = [tf.TensorArray(spec.dtype, size=count, dynamic_size=False, infer_shape=infer_shape,
                                       element_shape=spec.shape)]

    arrays = property(lambda self: self._arrays)

    def write(self, arrays: Any, i: Any, value: Any) -> list[Any]:
        """The arrays with another result."""
        return [arrays[0].write(i, value)]

    def result(self, arrays: Any) -> tf.Tensor:
        """All results."""
        return arrays[0].stack()


class Ragged:
    """Results whose first dimension differs, or that are ragged themselves."""

    def __init__(self, spec: Any, count: Any, infer_shape: Any) -> None:
        self._depth, self._splits = spec.ragged_rank, spec.row_splits_dtype
        inner = None if spec.shape.rank is None else spec.shape[self._depth + 1:]
        flat = None if inner is None else tf.TensorShape([None]).concatenate(inner)

        def array(dtype, shape):
            return tf.TensorArray(dtype, size=count, dynamic_size=False, infer_shape=False, element_shape=shape)
        self._spec = spec
        self._arrays = [array(spec.dtype, flat), array(self._splits, [])] + [array(self._splits, [None])
                                                                            for _ in range(self._depth)]

    arrays = property(lambda self: self._arrays)

    def write(self, arrays: Any, i: Any, value: Any) -> list[Any]:
        """The arrays with another result."""
        if not isinstance(value, tf.RaggedTensor):
            value = tf.convert_to_tensor(value)
            if self._depth:
                value = tf.RaggedTensor.from_tensor(value, ragged_rank=self._depth, row_splits_dtype=self._splits)
        ragged = isinstance(value, tf.RaggedTensor)
        if (value.ragged_rank if ragged else 0) != self._depth or value.dtype != self._spec.dtype:
            raise ValueError(f'fn returned {value!r}, which does not fit {self._spec!r}')
        count = value.nrows() if ragged else tf.shape(value)[0]
        parts = [value.flat_values if ragged else value, tf.cast(count, self._splits)]
        parts += [tf.cast(lengths, self._splits) for lengths in (value.nested_row_lengths() if ragged else ())]
        return [a.write(i, part) for a, part in zip(arrays, parts)]

    def result(self, arrays):
        """All results, as the rows of a ragged tensor."""
        flat, counts, *lengths = arrays
        return tf.RaggedTensor.from_nested_row_lengths(flat.concat(), [counts.stack(), *[a.concat() for a in lengths]],
                                                       validate=False)


class Sparse:
    """Results that are sparse: one sparse tensor, in which the first index is the row."""

    def __init__(self, spec: Any, count: Any, infer_shape: Any) -> None:
        self._spec, self._count = spec, count
        rank = spec.shape.rank

        def array(dtype, shape):
            return tf.TensorArray(dtype, size=count, dynamic_size=False, infer_shape=False, element_shape=shape)
        self._arrays = [array(tf.int64, [None, None if rank is None else rank + 1]), array(spec.dtype, [None]),
                        array(tf.int64, [rank])]

    arrays = property(lambda self: self._arrays)

    def write(self, arrays: Any, i: Any, value: Any) -> list[Any]:
        """The arrays with another result."""
        if not isinstance(value, tf.SparseTensor) or value.dtype != self._spec.dtype:
            raise ValueError(f'fn returned {value!r}, which does not fit {self._spec!r}')
        row = tf.fill(tf.stack([tf.shape(value.indices)[0], 1]), tf.cast(i, tf.int64))
        parts = [tf.concat([row, value.indices], 1), value.values, value.dense_shape]
        return [a.write(i, part) for a, part in zip(arrays, parts)]

    def result(self, arrays):
        """All results."""
        indices, values, shapes = arrays
        shape = tf.reduce_max(shapes.stack(), 0)
        made = tf.SparseTensor(indices.concat(), values.concat(), tf.concat([[tf.cast(self._count, tf.int64)], shape], 0))
        made.set_shape(tf.TensorShape([None]).concatenate(self._spec.shape))
        return made


def collected(spec, count, infer_shape):
    """Returns the collector for results of this spec."""
    kind = {tf.RaggedTensorSpec: Ragged, tf.SparseTensorSpec: Sparse}.get(type(spec), Whole)
    return kind(spec, count, infer_shape)
