"""TensorFlow (pip install tensorflow): NumPy's random numbers are float64, and a file's are float32."""
import numpy as np
import tensorflow as tf


def from_file():
    return np.linspace(0.0, 1.0, 8).astype('float32')


def from_generator(generator):
    return generator.normal(size=8)


@tf.function
def spread(values):
    return tf.reduce_max(values) - tf.reduce_min(values)


generator = np.random.default_rng(3)
for step in range(8):
    values = from_file() if step % 2 else from_generator(generator)
    width = spread(values)
print(f'width {float(width):.3f}')
