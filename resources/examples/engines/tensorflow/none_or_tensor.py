"""TensorFlow (pip install tensorflow): a mask is None in most calls, and a tensor in some: two traces take turns."""
import tensorflow as tf


@tf.function
def mean(values, mask=None):
    if mask is None:
        return tf.reduce_mean(values)
    return tf.reduce_sum(values * mask) / tf.reduce_sum(mask)


values = tf.range(6.0)
for step in range(8):
    mask = tf.constant([1.0, 1.0, 0.0, 1.0, 0.0, 1.0]) if step % 4 == 3 else None
    result = mean(values, mask)
print(f'mean {float(result):.3f}')
