# A loop whose condition is a tensor runs in the graph, as often as its values say.
import sys
import tensorflow as tf


@tf.function
def halve(x):
    print('tracing')
    while tf.reduce_max(x) > 1.0:
        tf.print(x, output_stream=sys.stdout)
        x = x / 2.0
    return x


print(halve(tf.constant([5.0, 3.0])).numpy())
print(halve(tf.constant([0.5, 9.0])).numpy())
print(halve.get_concrete_function(tf.constant([0.0, 0.0])).graph.as_graph_def().library.function.__len__() > 0)
