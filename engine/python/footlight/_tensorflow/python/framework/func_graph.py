"""tensorflow.python.framework.func_graph: graphs of functions, traced or built by hand."""
from __future__ import annotations

import contextlib
import inspect

import footlight as tf
from footlight import _engine
from footlight._graphs import session as _session
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def _spec_of_value(value: tf.TensorSpec) -> tf.TensorSpec:
    """What an argument is traced as: specs and Python values as they are, of tensors the spec."""
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype)
    return value


def func_graph_from_py_func(name, python_func, args, kwargs, signature=None, func_graph=None, add_control_dependencies=True,
                            arg_names=None, op_return_value=None, collections=None, capture_by_value=None,
                            create_placeholders=True):
    """The graph of a function, traced for these arguments: tensors become placeholders, specs too."""
    if func_graph is not None:
        return _into(func_graph, python_func, args, kwargs, create_placeholders)
    args, kwargs = (signature, {}) if signature is not None else (args or (), kwargs or {})
    args, kwargs = tf.nest.map_structure(_spec_of_value, (tuple(args), dict(kwargs)))

    def body(*args, **kwargs):
        if not add_control_dependencies:
            _engine.as_written()
        result = python_func(*args, **kwargs)
        return tf.nest.map_structure(lambda r: _after(r, op_return_value) if isinstance(r, tf.Operation) else r, result)
    body.__name__ = body.__qualname__ = name
    try:
        body.__signature__ = inspect.signature(python_func)
    except (TypeError, ValueError):
        pass
    with tf._eager_scope():
        concrete = tf.function(body, autograph=False).get_concrete_function(*args, **kwargs)
    if not capture_by_value:
        return concrete.graph
    graph, structured = concrete._frozen_graph(), concrete.structured_outputs
    traced = _session.part(graph, graph.inputs, graph.outputs, name=name).graph
    outputs = iter(traced.outputs)
    traced.structured_outputs = tf.nest.map_structure(lambda t: t if t is None else next(outputs), structured)
    return traced


def _after(operation, value):
    """A value, given when an operation has run; None without one."""
    if value is None:
        return None
    with tf.control_dependencies([operation]):
        return tf.identity(value)


def _into(graph, python_func, args, kwargs, create_placeholders):
    """Traces a function into a graph that is there already."""
    def placeholder(value):
        spec = _spec_of_value(value)
        if not isinstance(spec, tf.TensorSpec) or not create_placeholders:
            return value
        return _engine.placeholder(spec.dtype, spec.shape, spec.name or 'Placeholder')
    with graph.as_default():
        args, kwargs = tf.nest.map_structure(placeholder, (tuple(args or ()), dict(kwargs or {})))
        given = [t for t in tf.nest.flatten((args, kwargs)) if isinstance(t, tf.Tensor)]
        result = python_func(*args, **kwargs)
        result = tf.nest.map_structure(lambda t: t if t is None else tf.convert_to_tensor(t), result)
    graph.structured_outputs = result
    graph.inputs = given + list(graph.internal_captures)
    graph.outputs = [t for t in tf.nest.flatten(result) if t is not None]
    return graph


def convert_structure_to_signature(structure, arg_names=None, signature_context=None):
    """The structure with a spec in place of each tensor, named after where it stands."""
    def spec(path, value):
        name = '/'.join(str(part) for part in path)
        if isinstance(value, (tf.Tensor, tf.Variable)):
            own = value.op.name if isinstance(value, tf.Tensor) and tf.is_symbolic_tensor(value) else None
            return tf.TensorSpec(value.shape, value.dtype, name=own or name or None)
        return value
    return tf.nest.pack_sequence_as(structure, [spec(path, value) for path, value in _paths(structure)])


def _paths(structure: Any, path: Any = ()) -> list[Any]:
    """The leaves of a structure with the keys that lead to them, in the order of flatten()."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in _paths(structure[key], (*path, key))]
    if isinstance(structure, (list, tuple)):
        return [leaf for i, part in enumerate(structure) for leaf in _paths(part, (*path, i))]
    return [(path, structure)]


def check_func_mutation(old_args: Any, old_kwargs: Any, new_args: Any, new_kwargs: Any,
                        func: Callable[..., Any]) -> None:
    """An error if a function has changed the lists and dicts that it was given."""
    if not _same((old_args, old_kwargs), (new_args, new_kwargs)):
        raise ValueError(f"{getattr(func, '__name__', func)} should not modify its Python input arguments. Modifying a "
                         'copy is allowed.')


def _same(a: Any, b: Any) -> bool:
    try:
        tf.nest.assert_same_structure(a, b)
    except (TypeError, ValueError):
        return False
    return all(x is y for x, y in zip(tf.nest.flatten(a), tf.nest.flatten(b)))


def dismantle_func_graph(func_graph: Any) -> None:
    """Does nothing: a graph is freed when nobody has it any more."""


def empty_graph(name: str) -> tf.Graph:
    """The graph of a function that is built by hand."""
    graph = _engine.function_graph(name)
    graph._state['outer'] = tf.compat.v1.get_default_graph()
    return graph


# --- what a graph of a function has, whether it was traced or is built by hand ---
def _hold(graph):
    """What was captured until now, of a graph that is built by hand: inside by outside."""
    kept = graph._state.setdefault('captured', {})
    for outside, inside in graph._captured():
        kept.setdefault(inside.name, (outside, inside))
    return kept


def _as_default(self: tf.Graph) -> Any:
    if _engine.current_graph() is self:  # ops go there already
        return contextlib.nullcontext(self)
    return _Entered(self) if _by_hand(self) else _engine.graph_scope(self)


def _by_hand(graph):
    return graph.building_function and 'outer' in graph._state


class _Entered:
    """The scope of a graph of a function that is built by hand, which remembers what it captured."""

    def __init__(self, graph: Any) -> None:
        self._graph, self._scope = graph, _engine.graph_scope(graph)

    def __enter__(self) -> tf.Graph:
        return self._scope.__enter__()

    def __exit__(self, *error):
        _hold(self._graph)
        done = self._scope.__exit__(*error)
        for callback in self._graph._state.pop('exit_callbacks', ()):
            callback()
        return done


def _settable(name: str, otherwise: Any) -> None:
    """A property of graphs that a program may set; `otherwise` computes the default."""
    def read(self):
        return self._state['own_' + name] if 'own_' + name in self._state else otherwise(self)

    def write(self, value):
        self._state['own_' + name] = value
    _engine.extend(tf.Graph, name, property(read, write))


def _captured_or(member: str, read: Any) -> None:
    """A property about captures: the trace's own, or for a graph built by hand what was recorded here."""
    of_trace = vars(tf.Graph)[member]

    def captured(self):
        if 'concrete' in self._state:
            return of_trace.__get__(self)
        if not self.building_function:
            raise AttributeError(f"'Graph' object has no attribute {member!r}")
        return read(list(_hold(self).values()))
    _engine.extend(tf.Graph, member, property(captured))


def _first_inputs(graph_inputs: Any) -> Callable[..., Any]:
    def inputs(self):
        if not _by_hand(self):
            return graph_inputs.__get__(self)
        own = self._state.setdefault('list_inputs', [])
        for _, inside in _hold(self).values():
            if not any(inside is one for one in own):
                own.append(inside)
        return own
    return inputs


def _own_list(member: Any) -> Callable[..., Any]:
    def read(self):
        return self._state.setdefault('list_outputs', []) if _by_hand(self) else member.__get__(self)
    return read


def capture(self, tensor, name=None, shape=None):
    """What stands in this graph for a value from outside: the same for the same value."""
    value = tensor.handle if isinstance(tensor, tf.Variable) else tf.convert_to_tensor(tensor)
    kept = _hold(self)
    for outside, inside in kept.values():
        if outside is value or outside._id == value._id:
            return inside
    inside = self._capture(value, name)
    if inside is not value and _by_hand(self):
        kept[inside.name] = value, inside
    return inside


_engine.extend(tf.Graph, 'as_default', _as_default)
_engine.extend(tf.Graph, 'capture', capture)
_settable('_last_loss_reduction', lambda self: None)  # strategies read this attribute of losses
_engine.extend(tf.Graph, 'captured', lambda self, tensor: any(tensor is inside for inside in self.internal_captures))
_captured_or('captures', list)
_captured_or('external_captures', lambda pairs: [outside for outside, _ in pairs])
_captured_or('internal_captures', lambda pairs: [inside for _, inside in pairs])
_captured_or('structured_outputs', lambda pairs: None)
_captured_or('structured_input_signature', lambda pairs: None)
_captured_or('variables', lambda pairs: ())
_captured_or('trainable_variables', lambda pairs: ())
_settable('inputs', _first_inputs(vars(tf.Graph)['inputs']))
_settable('outputs', _own_list(vars(tf.Graph)['outputs']))
_settable('structured_outputs', vars(tf.Graph)['structured_outputs'].__get__)
_settable('structured_input_signature', vars(tf.Graph)['structured_input_signature'].__get__)
publish(globals(), 'func_graph_from_py_func convert_structure_to_signature check_func_mutation dismantle_func_graph')
