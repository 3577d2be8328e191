# Two functions made of one Python function share no trace.
import tensorflow as tf

seen = []


def body(x):
    seen.append(1)
    return x - 1


first, second = tf.function(body), tf.function(body)
first(tf.constant(1))
first(tf.constant(2))
second(tf.constant(3))
print(len(seen), first is second, first.python_function is body)
