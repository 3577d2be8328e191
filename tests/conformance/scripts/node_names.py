# The nodes of a graph, named as TensorFlow names them.
import tensorflow as tf


@tf.function
def small(x, y):
    total = x + y
    product = tf.matmul(total, total)
    with tf.name_scope('tail'):
        return tf.reduce_sum(product * 2.0), product - x


graph = small.get_concrete_function(tf.TensorSpec([2, 2], tf.float32), tf.TensorSpec([2, 2], tf.float32)).graph
for node in graph.as_graph_def().node:
    print(node.op, node.name, list(node.input))
