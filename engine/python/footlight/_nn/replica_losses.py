"""tf.nn.compute_average_loss and scale_regularization_loss: losses of replicas that are summed afterwards."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any

_nn = _engine.namespace('nn')


def _weighted(losses: tf.Tensor, weight: tf.Tensor) -> tf.Tensor:
    losses, weight = tf.cast(losses, tf.float32), tf.cast(weight, tf.float32)
    if weight.shape.rank is not None and losses.shape.rank is not None and weight.shape.rank:
        if weight.shape.rank - losses.shape.rank == 1:
            weight = tf.squeeze(weight, [-1])
        elif losses.shape.rank - weight.shape.rank == 1:
            weight = tf.expand_dims(weight, -1)
    return losses * weight


def _replicas(name: str) -> int:
    if tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context():
        raise RuntimeError(f'You are calling `{name}` in cross replica context, while it was expected to be called in '
                           'replica context.')
    return tf.distribute.get_strategy().num_replicas_in_sync


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> tf.Tensor:
    """The sum of the losses of examples, over the number of examples of all replicas."""
    losses = tf.convert_to_tensor(per_example_loss)
    dtype = losses.dtype
    if losses.shape.rank == 0:
        raise ValueError('Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. '
                         f'Received per_example_loss={per_example_loss!s} with rank 0')
    if sample_weight is not None:
        losses = _weighted(losses, tf.convert_to_tensor(sample_weight))
    losses = tf.cast(losses, dtype)
    if global_batch_size is None:
        global_batch_size = tf.shape(losses)[0] * _replicas('compute_average_loss')
    size = tf.convert_to_tensor(global_batch_size)
    if size.shape.rank not in (None, 0):
        raise ValueError('global_batch_size must be scalar.')
    if not size.dtype.is_integer:
        raise TypeError(f'global_batch_size must be an integer. Found: tensor of dtype {size.dtype}')
    tf.debugging.assert_non_negative(size, message='global_batch_size must be non-negative.')
    return tf.math.divide_no_nan(tf.reduce_sum(losses), tf.cast(size, dtype))


def scale_regularization_loss(regularization_loss: Any) -> tf.Tensor:
    """The sum of the losses, over the number of replicas."""
    return tf.reduce_sum(regularization_loss) / _replicas('scale_regularization_loss')


publish('tf.nn', compute_average_loss, scale_regularization_loss)
