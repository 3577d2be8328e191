"""TensorFlow (pip install tensorflow): a function is decorated again in each round, and nothing is kept from the round before."""
import tensorflow as tf


def run_round(weights, scale):
    @tf.function
    def update(values):
        return values - 0.1 * scale * values

    for _ in range(3):
        weights = update(weights)
    return weights


weights = tf.ones(32)
scale = tf.constant(0.5)
for number in range(5):
    weights = run_round(weights, scale)
print(f'weights {float(weights[0]):.4f}')
