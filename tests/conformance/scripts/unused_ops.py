# An op that nothing depends on is not run in a graph, and neither is its error; one with an effect is.
import sys
import tensorflow as tf


def careless(x):
    tf.gather(x, [3])
    tf.print('ran', output_stream=sys.stdout)
    return x * 2.0


short = tf.constant([1.0])
try:
    careless(short)
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
print(tf.function(careless)(short))
