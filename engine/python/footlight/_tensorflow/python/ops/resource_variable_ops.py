"""tensorflow.python.ops.resource_variable_ops: whether a value is a variable."""
import footlight as tf
from footlight._tensorflow.publish import publish


def is_resource_variable(var):
    """Whether it is a variable: all of them are resources."""
    return isinstance(var, tf.Variable) or hasattr(var, '_should_act_as_resource_variable')


publish(globals())
publish(globals(), 'is_resource_variable', '__internal__.ops')
