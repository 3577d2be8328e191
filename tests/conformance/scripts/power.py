# A Python loop of matrix products, eager and traced.
import tensorflow as tf


def power(x, n):
    result = tf.eye(3, dtype=tf.int32)
    for _ in range(n):
        result = tf.matmul(x, result)
    return result


x = tf.constant([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
traced = tf.function(power)
print(power(x, 20).numpy().tolist())
print(traced(x, 20).numpy().tolist() == power(x, 20).numpy().tolist())
print(sum(node.op == 'MatMul' for node in traced.get_concrete_function(x, 20).graph.as_graph_def().node))
