# A decorated method keeps its traces per instance.
import tensorflow as tf


class Scale:
    def __init__(self, factor):
        self.factor = tf.constant(factor)
        self.traces = 0

    @tf.function
    def __call__(self, x):
        self.traces += 1
        return x * self.factor


two, three = Scale(2.0), Scale(3.0)
print(two(tf.constant(1.5)).numpy(), three(tf.constant(1.5)).numpy(), two(tf.constant(4.0)).numpy())
print(two.traces, three.traces)
