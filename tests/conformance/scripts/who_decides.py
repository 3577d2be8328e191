# The same statement goes into the graph or runs in Python, by what its condition holds while tracing.
import tensorflow as tf


@tf.function
def pick(flag, x):
    if flag:
        x = x + 1
    return x


def ops(flag):
    definition = pick.get_concrete_function(flag, tf.constant(1)).graph.as_graph_def()
    return sorted(node.op for node in definition.node if node.op in ('If', 'StatelessIf', 'AddV2'))


print(ops(True), ops(False), ops(tf.constant(True)))
print(pick(True, tf.constant(1)).numpy(), pick(False, tf.constant(1)).numpy(),
      pick(tf.constant(True), tf.constant(1)).numpy(), pick(tf.constant(False), tf.constant(1)).numpy())
