"""tensorflow.python.eager.execute: runs an op by its name, with its attributes in a row."""
from __future__ import annotations

import inspect
import numbers

import footlight as tf
from footlight import _engine
from footlight._typing import Any


def _invalid(message: str) -> Any:
    return tf.errors.InvalidArgumentError(None, None, message)


def _is_shape(value: list[Any]) -> bool:
    if value is None or isinstance(value, tf.TensorShape) or hasattr(value, 'unknown_rank'):
        return True
    return isinstance(value, (list, tuple)) and all(size is None or isinstance(size, numbers.Integral) for size in value)


# By the type of an attribute: what values it takes, and how to call these.
_KINDS = {
    'string': (lambda value: isinstance(value, (str, bytes)), 'a string'),
    'int': (lambda value: isinstance(value, numbers.Integral), 'an int'),
    'float': (lambda value: isinstance(value, numbers.Real), 'a float'),
    'bool': (lambda value: isinstance(value, (bool, int)), 'a bool'),
    'type': (lambda value: isinstance(value, (numbers.Integral, tf.DType)), 'a type'),
    'shape': (_is_shape, 'a shape, whose sizes are a Dimension or None,')}


def _check_attribute(name: str, kind: str, value: Any) -> None:
    """An error unless the value is one for an attribute of this type."""
    is_list, kind = kind.startswith('list('), kind[len('list('):-1] if kind.startswith('list(') else kind
    if kind not in _KINDS:
        return
    fits, words = _KINDS[kind]
    if is_list and not isinstance(value, (list, tuple)):
        raise _invalid(f'Expecting a list value for attr {name}, got {type(value).__name__}')
    for one in value if is_list else [value]:
        if fits(one):
            continue
        if kind == 'shape' and isinstance(one, (list, tuple)):
            odd = next(size for size in one if size is not None and not isinstance(size, numbers.Integral))
            raise _invalid(f'Expecting a Dimension for attr {name}, got {type(odd).__name__}')
        raise _invalid(f'Expecting {words} value for attr {name}, got {type(one).__name__}')


def _checked_attributes(op_name, attrs):
    """The attributes by name, each of the type that the op's definition says."""
    found = dict(zip((tf.compat.as_str(one) for one in (attrs or ())[::2]), (attrs or ())[1::2]))
    kinds = {one.name: one.type for one in tf.Graph().op_def_for_type(op_name).attr}
    for name, value in found.items():
        if name not in kinds:
            raise _invalid(f'{op_name} has no attribute {name!r}: it has {sorted(kinds)}')
        _check_attribute(name, kinds[name], value)
    return found


def execute(op_name, num_outputs, inputs, attrs, ctx=None, name=None):
    """Runs the op of this name on a list of inputs, with attributes as ('T', type, 'axis', 1, ...): a list of its outputs."""
    op_name = tf.compat.as_str(op_name)
    function = getattr(tf.raw_ops, op_name, None)
    if function is None:
        raise tf.errors.NotFoundError(None, None, f'Op type not registered {op_name!r}')
    if not isinstance(num_outputs, int):
        raise TypeError(f'num_outputs of {op_name} must be a number, got {num_outputs!r}')
    attributes = _checked_attributes(op_name, attrs)
    parameters = inspect.signature(function).parameters
    order = [one for one, parameter in parameters.items() if parameter.default is parameter.empty and one not in attributes]
    if len(inputs) > len(order) == 1:
        inputs = [list(inputs)]
    if len(inputs) != len(order):
        raise _invalid(f'Operation {op_name} has {len(order)} inputs but {len(inputs)} were given')
    attributes = {key: value for key, value in attributes.items() if key in parameters}
    outputs = function(**dict(zip(order, inputs)), **attributes, name=name)
    outputs = [] if outputs is None else list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if len(outputs) > num_outputs:
        raise _invalid(f'Expecting {len(outputs)} outputs, but the num_outputs given for {op_name} is {num_outputs}')
    return outputs


def convert_to_mixed_eager_tensors(values: Any, ctx: Any = None) -> tuple[Any, ...]:
    """The dtypes of values, and these as tensors."""
    tensors = [tf.convert_to_tensor(value) for value in values]
    return [tensor.dtype for tensor in tensors], tensors


_home = _engine.namespace('python.eager.execute')
_home.execute, _home.convert_to_mixed_eager_tensors = execute, convert_to_mixed_eager_tensors
