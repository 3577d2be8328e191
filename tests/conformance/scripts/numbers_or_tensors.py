# A Python number is part of the key, a tensor is not: its value may change without a new trace.
import tensorflow as tf

traces = []


@tf.function
def scaled(x, factor):
    traces.append(type(factor).__name__)
    return x * factor


one = tf.constant([1.0, 2.0])
for factor in (2.0, 3.0, 2.0, 2, True, tf.constant(4.0), tf.constant(5.0), tf.constant(6.0)):
    print(scaled(one, factor).numpy(), len(traces))
print([name if name in ('int', 'float', 'bool') else 'tensor' for name in traces])
