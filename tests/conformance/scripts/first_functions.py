# A traced function is called like the one that it was made of, alone, inside another, and under a tape.
import tensorflow as tf


def mix(x, weights, offset):
    return tf.matmul(x, weights) + offset


x = tf.constant([[1.0, -2.0, 0.5]])
weights = tf.constant([[2.0], [0.25], [4.0]])
traced = tf.function(mix)
print(mix(x, weights, 0.5).numpy() == traced(x, weights, 0.5).numpy())


@tf.function
def twice(x, weights):
    return traced(x, weights, 0.0) * 2.0


print(twice(x, weights))

slope = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.function(lambda a: a * a + a)(slope)
print(repr(tape.gradient(y, slope)))
