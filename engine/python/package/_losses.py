"""tf.nn: sums of losses over a batch that several replicas share."""
import footlight as tf


def _replicas():
    return tf.distribute.get_strategy().num_replicas_in_sync


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of the losses of examples, over the size of the batch of all replicas."""
    losses = tf.convert_to_tensor(per_example_loss)
    kind = losses.dtype
    if losses.shape.rank == 0:
        raise ValueError('Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received '
                         'per_example_loss=%s with rank 0' % (per_example_loss,))
    if sample_weight is not None:
        losses = tf.cast(losses, tf.float32) * tf.cast(sample_weight, tf.float32)
        losses = tf.cast(losses, kind)
    if global_batch_size is None:
        global_batch_size = tf.cast(tf.shape(losses)[0], kind) * _replicas()
    elif not tf.is_tensor(global_batch_size):
        if not isinstance(global_batch_size, int):
            raise TypeError('global_batch_size must be an int.')
        if global_batch_size < 0:
            raise ValueError('global_batch_size must be non-negative, it is %d' % global_batch_size)
    return tf.math.divide_no_nan(tf.reduce_sum(losses), tf.cast(global_batch_size, kind))


def scale_regularization_loss(regularization_loss):
    """The sum of the losses, as the share of this replica."""
    total = tf.reduce_sum(regularization_loss)
    return tf.math.divide_no_nan(total, tf.cast(_replicas(), total.dtype))


for _f in (compute_average_loss, scale_regularization_loss):
    setattr(tf.nn, _f.__name__, _f)
