# Python runs while tracing only; tf.print and assignments run at every call.
import sys
import tensorflow as tf

log = []
counter = tf.Variable(0)


@tf.function
def step(x):
    log.append('traced')
    counter.assign_add(1)
    tf.print('step', counter, x, output_stream=sys.stdout)
    return x + tf.cast(counter, tf.float32)


for value in (1.0, 2.0, 3.0):
    print(step(tf.constant(value)).numpy())
print(log, counter.numpy())
