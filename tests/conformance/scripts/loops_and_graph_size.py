# A Python loop unrolls, node by node; a loop over a tensor is one node however long it runs.
import tensorflow as tf


@tf.function
def total(items):
    result = tf.constant(0)
    for item in items:
        result = result + item
    return result


def nodes(*arguments):
    return len(total.get_concrete_function(*arguments).graph.as_graph_def().node)


few, many = nodes([1, 2]), nodes([1, 2, 3, 4, 5, 6])
print(many - few)
print(nodes(tf.constant([1, 2])) == nodes(tf.constant([1, 2, 3, 4, 5, 6])))
print(total([1, 2, 3]).numpy(), total(tf.constant([4, 5, 6])).numpy(), total(tf.range(100)).numpy())
