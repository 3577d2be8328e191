# How tensors, variables and specs show themselves.
import tensorflow as tf

for value in (1, 2.5, True, 'text', [1, 2, 3], [[1.0, -2.0], [3.5, 4.0]], [], [['a', 'b']]):
    tensor = tf.constant(value)
    print(tensor)
    print(repr(tensor))
print(tf.Variable([1, 2], name='pair'))
print(tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec(None, tf.string, name='s'))
print(tf.float32, repr(tf.int64), tf.TensorShape([None, 2]))


@tf.function
def show(x, y):
    print(x)
    print(y + 1)
    return x


show(tf.constant([1.0]), tf.constant(2))
