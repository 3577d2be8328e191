"""tensorflow.python.ops.control_flow_ops: order."""
import footlight as tf
from footlight._tensorflow.publish import publish


def with_dependencies(dependencies, output_tensor, name=None):
    """The tensor, given when the dependencies have run."""
    if tf.executing_eagerly():
        return output_tensor
    with tf.name_scope(name or 'control_dependency'), tf.control_dependencies(dependencies):
        return tf.nest.map_structure(tf.identity, output_tensor, expand_composites=True)


publish(globals())
