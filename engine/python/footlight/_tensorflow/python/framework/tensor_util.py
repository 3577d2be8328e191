"""tensorflow.python.framework.tensor_util: questions about tensors."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.framework.tensor_shape import unknown_shape
from footlight._typing import TensorLike


def is_tf_type(x):
    """Whether it is a tensor, a variable or a composite of tensors."""
    return tf.is_tensor(x)


def constant_value_as_shape(tensor: TensorLike) -> tf.TensorShape:
    """The shape that a tensor has as its value, as far as that is known."""
    tensor = tf.convert_to_tensor(tensor)
    known = tf.get_static_value(tensor)
    if known is not None:
        return tf.TensorShape([None if d == -1 else int(d) for d in known])
    if tensor.shape.rank not in (None, 1):
        raise ValueError(f'Only a vector is a shape, not a tensor of shape {tensor.shape}')
    op = tensor.op
    if op.type == 'Shape':
        return op.inputs[0].shape
    if op.type in ('Pack', 'ConcatV2') and (op.type != 'Pack' or op.get_attr('axis') == 0):
        shape = tf.TensorShape([])
        for part in op.inputs if op.type == 'Pack' else op.inputs[:-1]:
            value = tf.get_static_value(part)
            shape = shape.concatenate(constant_value_as_shape(part) if op.type == 'ConcatV2' else
                                      tf.TensorShape([None if value is None or value < 0 else int(value)]))
        return shape
    return unknown_shape(tensor.shape[0])


def is_tensor(x):
    """Whether it is a tensor, a variable or a composite of tensors."""
    return tf.is_tensor(x)


publish(globals())
