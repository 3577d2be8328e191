"""A small training run under TensorFlow, with three habits that cost traces."""
import tensorflow as tf


@tf.function
def update(weights, x, rate):
    return weights - rate * tf.reduce_mean(x, axis=0)


@tf.function
def error(weights, x, y):
    return tf.reduce_mean((tf.tensordot(x, weights, 1) - y) ** 2)


def mean_of(batch):
    @tf.function
    def mean(values):
        return tf.reduce_mean(values)
    return mean(batch)


def main():
    weights = tf.constant([0.5, 0.25])
    for step in range(6):
        weights = update(weights, tf.ones((8, 2)), 0.1 / (step + 1))
        error(weights, tf.ones((4 + step, 2)), tf.zeros(4 + step))
        mean_of(tf.ones((3,)))


main()
