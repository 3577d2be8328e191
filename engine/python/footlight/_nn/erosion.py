"""tf.nn.erosion2d: the smallest of input minus filter in each window."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, TensorLike


def erosion2d(value: TensorLike, filters: TensorLike, strides: Any, padding: Any, data_format: Any, dilations: Any,
              name: str | None = None) -> tf.Tensor:
    """The grayscale erosion of images: the dual of tf.nn.dilation2d.

    `value` is [batch, height, width, depth], `filters` [height, width, depth].
    """
    if data_format != 'NHWC':
        raise ValueError(f"`data_format` of tf.nn.erosion2d must be 'NHWC', not {data_format!r}: transpose the images to "
                         '[batch, height, width, depth]')
    with tf.name_scope(name or 'erosion2d'):
        value = tf.convert_to_tensor(value)
        mirrored = tf.reverse(tf.convert_to_tensor(filters, value.dtype), [0, 1])
        return -tf.nn.dilation2d(-value, mirrored, strides, padding, 'NHWC', dilations)


publish('tf.nn', erosion2d)
