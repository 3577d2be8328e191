# A Python value given to get_concrete_function is bound into the trace.
import tensorflow as tf


@tf.function
def raised(base, exponent):
    return base ** exponent


cubed = raised.get_concrete_function(base=tf.TensorSpec([], tf.float32), exponent=3)
print(cubed(tf.constant(2.0)).numpy(), cubed(base=tf.constant(3.0)).numpy())
try:
    cubed(tf.constant(2.0), exponent=2)
except TypeError:
    print('TypeError')
