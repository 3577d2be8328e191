# return inside branches, on tensors and on Python values.
import tensorflow as tf


@tf.function
def size_of(x):
    if x > 100:
        return x * 2
    elif x > 10:
        return x + 1
    else:
        y = x * x
        if y == 49:
            return y
        return -y


for value in (200, 50, 7, 3):
    print(size_of(tf.constant(value)).numpy(), size_of(value))
