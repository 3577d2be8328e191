"""TensorFlow (pip install tensorflow): one trace serves all lengths, but XLA compiles it again for each of them."""
import tensorflow as tf


@tf.function(reduce_retracing=True, jit_compile=True)
def energy(series):
    return tf.reduce_sum(tf.square(series[1:] - series[:-1]))


total = 0.0
for length in (20, 33, 27, 41, 36, 24, 30):
    total += float(energy(tf.linspace(0.0, 1.0, length)))
print(f'total {total:.3f}')
