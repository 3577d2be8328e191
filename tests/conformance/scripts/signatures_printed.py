# What a function prints about the traces that it holds.
import tensorflow as tf


@tf.function
def clip(x, low=0.0):
    return tf.maximum(x, low)


clip(tf.constant(1.5))
clip(tf.constant([1.0, -1.0]), 0.5)
clip([2, -2], 0)
print(clip.pretty_printed_concrete_signatures())
