"""tensorflow.python.eager.execute: runs an op by its name, with its attributes in a row."""
import inspect

import footlight as tf
from footlight import _engine


def execute(op_name, num_outputs, inputs, attrs, ctx=None, name=None):
    """Runs the op of this name on a list of inputs, with attributes as ('T', type, 'axis', 1, ...): a list of its outputs."""
    op_name = tf.compat.as_str(op_name)
    function = getattr(tf.raw_ops, op_name, None)
    if function is None:
        raise tf.errors.NotFoundError(None, None, f'Op type not registered {op_name!r}')
    attributes = dict(zip((tf.compat.as_str(one) for one in (attrs or ())[::2]), (attrs or ())[1::2]))
    parameters = inspect.signature(function).parameters
    order = [one for one, parameter in parameters.items() if parameter.default is parameter.empty and one not in attributes]
    if len(inputs) > len(order) == 1:
        inputs = [list(inputs)]
    if len(inputs) != len(order):
        raise tf.errors.InvalidArgumentError(None, None, f'Operation {op_name} has {len(order)} inputs but {len(inputs)} were given')
    attributes = {key: value for key, value in attributes.items() if key in parameters}
    outputs = function(**dict(zip(order, inputs)), **attributes, name=name)
    outputs = [] if outputs is None else list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if len(outputs) != num_outputs:
        raise ValueError(f'The op {op_name} has {len(outputs)} outputs, not the {num_outputs} asked for')
    return outputs


_engine.namespace('python.eager.execute').execute = execute
