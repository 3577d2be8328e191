"""TensorFlow (pip install tensorflow): an object that is made for each call is another one each time."""
import tensorflow as tf


class Options:
    def __init__(self, scale):
        self.scale = scale


@tf.function
def scaled(values, options):
    return values * options.scale


for step in range(8):
    result = scaled(tf.range(4.0), Options(tf.constant(0.5)))
print(f'result {float(result[3]):.2f}')
