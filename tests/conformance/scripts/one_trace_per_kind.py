# Every new combination of dtype and shape is traced once; the body's print tells when.
import tensorflow as tf


@tf.function
def plus_itself(value):
    print('body runs with', value)
    return value + value


for value in (tf.constant(4), tf.constant(2.5), tf.constant('ab'), tf.constant(9), tf.constant([1, 2]),
              tf.constant([[0.5]]), tf.constant([7, 8]), tf.constant('cd')):
    print(plus_itself(value))
print(plus_itself.experimental_get_tracing_count())
