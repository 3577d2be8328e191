"""TensorFlow (pip install tensorflow): a list of tensors grows, and with it the number of inputs of the traced function."""
import tensorflow as tf


@tf.function
def smooth(history):
    return tf.add_n(history) / float(len(history))


history = []
for step in range(8):
    history.append(tf.fill([4], float(step)))
    mean = smooth(history)
print(f'mean {float(mean[0]):.2f}')
