"""TensorFlow (pip install tensorflow): a learning rate that is a Python number makes a trace for each of its values."""
import tensorflow as tf

weights = tf.Variable([1.0, -2.0, 0.5])


@tf.function
def update(rate):
    weights.assign_sub(rate * 2.0 * weights)
    return tf.reduce_sum(tf.square(weights))


for step in range(8):
    loss = update(0.1 / (step + 1))
print(f'loss {float(loss):.4f}')
