# With run_functions_eagerly a traced function is plain Python again.
import tensorflow as tf


@tf.function
def mean_square(a, b):
    print('body')
    return tf.reduce_mean(tf.square(a - b))


a, b = tf.constant([1.0, 2.0]), tf.constant([0.0, 4.0])
print(mean_square(a, b).numpy(), mean_square(a, b).numpy())
tf.config.run_functions_eagerly(True)
print(tf.config.functions_run_eagerly())
print(mean_square(a, b).numpy(), mean_square(a, b).numpy())
tf.config.run_functions_eagerly(False)
print(mean_square(a, b).numpy())
