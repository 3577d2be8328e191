# One trace taken out of its function: called with tensors or by name, strict about dtypes.
import numpy as np
import tensorflow as tf


@tf.function
def join(a, b):
    return a + b


words = join.get_concrete_function(tf.constant('x'), tf.constant('y'))
print(words(tf.constant('left'), tf.constant('right')))
print(words(a=tf.constant('1'), b=tf.constant('2')))
numbers = join.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32))
print(numbers(tf.constant([1.0, 2.0, 3.0]), tf.constant(0.5)).numpy())
print(numbers.structured_input_signature)
print(join.experimental_get_tracing_count())
try:
    words(tf.constant(1), tf.constant(2))
except tf.errors.InvalidArgumentError:
    print('InvalidArgumentError')
print(numbers([1., 2.], 3).numpy(), numbers(np.array([1., 2.]), b=0.5).numpy(), words('a', b='b').numpy())
try:
    numbers('x', 1.)
except (TypeError, ValueError):
    print('not a number')
