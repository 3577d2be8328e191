# A condition on a tensor becomes a node with two functions; both branches are traced, one runs.
import tensorflow as tf


@tf.function
def distance(a, b):
    if a > b:
        print('tracing the first branch')
        result = a - b
    else:
        print('tracing the second branch')
        result = b - a
    return result


print(distance(tf.constant(3.0), tf.constant(5.0)).numpy(), distance(tf.constant(9.0), tf.constant(5.0)).numpy())
definition = distance.get_concrete_function(tf.constant(0.0), tf.constant(0.0)).graph.as_graph_def()
print([node.op for node in definition.node if node.op not in ('NoOp',)])
print(len(definition.library.function))
branch = [node for node in definition.node if node.op in ('If', 'StatelessIf')][0]
print(branch.name, list(branch.input), sorted(k for k in branch.attr if not k.startswith('_')))
