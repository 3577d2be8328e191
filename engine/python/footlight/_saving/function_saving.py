"""Functions as tf.saved_model.save stores them: traces as children, a FullArgSpec, names of tensors."""
from __future__ import annotations

import collections

import footlight as tf
from footlight import _engine
from footlight._saving.trackable import CHECKPOINT
from footlight._typing import Any

FullArgSpec = collections.namedtuple('FullArgSpec', 'args varargs varkw defaults kwonlyargs kwonlydefaults annotations')
_Function = tf.types.experimental.PolymorphicFunction
_Concrete = tf.types.experimental.ConcreteFunction


def argument_spec(parameters):
    """A FullArgSpec of the parameters of a signature."""
    args, defaults, only, only_defaults = [], [], [], {}
    varargs = varkw = None
    for p in parameters:
        if p.kind == p.VAR_POSITIONAL:
            varargs = p.name
        elif p.kind == p.VAR_KEYWORD:
            varkw = p.name
        elif p.kind == p.KEYWORD_ONLY:
            only.append(p.name)
            if p.default is not p.empty:
                only_defaults[p.name] = p.default
        else:
            args.append(p.name)
            if p.default is not p.empty:
                defaults.append(p.default)
    return FullArgSpec(args, varargs, varkw, tuple(defaults) or None, only, only_defaults or None, {})


def spec_of_function(function):
    """The FullArgSpec of a tf.function, without `self`."""
    saved = getattr(function, '_spec', None)  # the function was loaded from a file
    if saved is not None:
        return saved
    import inspect
    spec = argument_spec(inspect.signature(function.python_function).parameters.values())
    if spec.args[:1] == ['self']:
        raise TypeError("Can not serialize tf.function with unbound 'self' parameter.")
    return spec


def traces_to_save(self):
    """The traces to save. A function with an input_signature is traced now if it was not."""
    found = self._list_all_concrete_functions()
    if not found and self.input_signature is not None:
        found = [self.get_concrete_function()]
    return found


def _children(self: Any, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[Any, Any]:
    if save_type == CHECKPOINT:
        return {}
    return {f'trace_{i}': trace for i, trace in enumerate(self._list_all_concrete_functions_for_serialization())}


def argument_inputs(concrete: Any) -> list[Any]:
    """The tensors of a trace's graph that are arguments rather than captures."""
    inputs = concrete.inputs
    return inputs[:len(inputs) - len(concrete.captured_inputs)]


def unique_names(names):
    """The names, each with the first number behind it that makes it another than those before."""
    found, counts = {}, {}
    for name in names:
        unique = name
        while unique in found:
            counts[name] = counts.get(name, 0) + 1
            unique = f'{name}_{counts[name]}'
        found[unique] = True
    return list(found)


def names_of_arguments(concrete: Any) -> list[Any]:
    """The name of each argument's tensor, as the user has it where no other one has it; of those of one composite argument,
    as the graph has it."""
    inside = [not isinstance(leaf, tf.TensorSpec) for leaf in tf.nest.flatten(concrete.structured_input_signature)
              if isinstance(leaf, tf.TypeSpec)
              for _ in tf.nest.flatten(getattr(leaf, '_component_specs', leaf), expand_composites=True)]
    found = []
    for i, tensor in enumerate(argument_inputs(concrete)):
        try:
            found.append(tensor.op.name if inside[i:i + 1] == [True] else
                         tensor.op.get_attr('_user_specified_name').decode())
        except ValueError:
            found.append(tensor.op.name)
    return unique_names(found)


def named_outputs(value, path=()):
    """The specs of a structure of tensors, each named by the way to it."""
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype, '_'.join(path) or 'unknown')
    if isinstance(value, dict):
        return {key: named_outputs(value[key], path + (str(key),)) for key in value}
    if isinstance(value, (list, tuple)):
        items = [named_outputs(item, path + (str(i),)) for i, item in enumerate(value)]
        return items if isinstance(value, list) else \
            type(value)(*items) if hasattr(value, '_fields') else tuple(items)
    spec = None if isinstance(value, tf.Variable) else getattr(value, '_type_spec', None)
    return value if spec is None else spec


_engine.extend(_Function, '_list_all_concrete_functions_for_serialization', traces_to_save)
_engine.extend(_Function, '_trackable_children', _children)
