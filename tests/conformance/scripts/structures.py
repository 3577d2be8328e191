# Lists, tuples and dicts of tensors go in and come out; their structure is part of the key.
import tensorflow as tf

traces = []


@tf.function
def swap(pair):
    traces.append(1)
    return {'second': pair[1], 'first': [pair[0], (pair[0] + 1, None)]}


print(swap((tf.constant(1), tf.constant('x'))))
print(swap((tf.constant(5), tf.constant('y')))['first'][1])
swap([tf.constant(1), tf.constant('x')])
swap((tf.constant(1), tf.constant('x'), tf.constant(3)))
print(len(traces))
