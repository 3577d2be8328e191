# Assignments and reads keep the order of the program; variables are made on the first call only.
import tensorflow as tf

a = tf.Variable(1.0)
b = tf.Variable(2.0)


@tf.function
def change(x):
    a.assign(x * b)
    b.assign_add(x * a)
    a.assign_sub(1.0)
    return a + b


print(change(tf.constant(3.0)).numpy(), a.numpy(), b.numpy())
print(change(tf.constant(1.0)).numpy(), a.numpy(), b.numpy())

kept = []


@tf.function
def first_call_only(x):
    if not kept:
        kept.append(tf.Variable(10.0))
    return kept[0] * x


print(first_call_only(tf.constant(2.0)).numpy(), first_call_only(tf.constant(3.0)).numpy())


@tf.function
def every_call(x):
    return tf.Variable(1.0) + x


try:
    every_call(tf.constant(1.0))
except ValueError:
    print('ValueError')
