# What the body reads from Python is read while tracing, and stays in the trace.
import tensorflow as tf

offset = 1
items = []


@tf.function
def shifted(x):
    items.append(len(items))
    return x + offset


print(shifted(tf.constant(1)).numpy())
offset = 100
print(shifted(tf.constant(1)).numpy(), shifted(tf.constant([1])).numpy(), items)

source = iter([10, 20, 30])


@tf.function
def next_of(x):
    return x + next(source)


print(next_of(tf.constant(0)).numpy(), next_of(tf.constant(1)).numpy(), next_of(tf.constant(1.0)).numpy())
