"""tensorflow.python.ops.weights_broadcast_ops: weights in the shape of values."""
import footlight as tf
from footlight._tensorflow.publish import publish


def broadcast_weights(weights, values):
    """Weights in the shape of values: scalars, or as many dimensions as values of which each is 1 or the same."""
    values, weights = tf.convert_to_tensor(values), tf.convert_to_tensor(weights)
    if weights.dtype != values.dtype and weights.dtype.base_dtype != values.dtype.base_dtype:
        weights = tf.cast(weights, values.dtype)
    ours, theirs = weights.shape, values.shape
    if ours.is_fully_defined() and theirs.is_fully_defined():
        if ours == theirs:
            return weights
        if ours.rank and (ours.rank != theirs.rank or any(a not in (1, b) for a, b in zip(ours, theirs))):
            raise ValueError(f'weights can not be broadcast to values: weights have the shape {ours}, values {theirs}')
        return tf.multiply(weights, tf.ones_like(values))
    shape = tf.shape(values)
    fits = tf.cond(tf.equal(tf.rank(weights), 0), lambda: True, lambda: tf.cond(
        tf.equal(tf.rank(weights), tf.rank(values)),
        lambda: tf.reduce_all(tf.equal(tf.shape(weights), 1) | tf.equal(tf.shape(weights), shape)), lambda: False))
    with tf.control_dependencies([tf.debugging.Assert(fits, [
            'weights can not be broadcast to values. weights.shape=', tf.shape(weights), 'values.shape=', shape])]):
        return tf.multiply(weights, tf.ones_like(values))


publish(globals())
publish(globals(), 'broadcast_weights', '__internal__.ops')
