"""tensorflow.python.framework.ops: names and scopes of graphs."""
from __future__ import annotations

import itertools

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable, DTypeLike


_ids = itertools.count(1)


def inside_function() -> bool:
    """Whether a function is traced."""
    graph = _engine.current_graph()
    return graph is not None and graph.building_function


def uid() -> int:
    """A number that no one has had."""
    return next(_ids)


def strip_name_scope(name: str, export_scope: Any) -> str:
    """A name without the scope before it."""
    if not export_scope:
        return name
    scope = export_scope.rstrip('/') + '/'
    for mark in ('^', 'loc:@', ''):
        if name.startswith(mark + scope):
            return mark + name[len(mark + scope):]
    return name


def prepend_name_scope(name, import_scope):
    """A name with a scope before it."""
    if not import_scope:
        return name
    for mark in ('^', 'loc:@', ''):
        if name.startswith(mark):
            return mark + import_scope.rstrip('/') + '/' + name[len(mark):]


def name_from_scope_name(name):
    """The name of an op of the scope "name/"."""
    return name[:-1] if name and name[-1] == '/' else name


def convert_n_to_tensor(values: Any, dtype: DTypeLike | None = None, name: str | None = None,
                        preferred_dtype: Any = None) -> list[Any]:
    """Each value as a tensor."""
    return [tf.convert_to_tensor(value, dtype, preferred_dtype, None if name is None else f'{name}_{i}')
            for i, value in enumerate(values)]


def add_exit_callback_to_default_func_graph(fn: Callable[..., Any]) -> None:
    """Has fn called when the function that is traced now is traced to its end."""
    graph = _engine.current_graph()
    if graph is None or not graph.building_function:
        raise RuntimeError(f'Cannot add scope exit callbacks when not building a function. Default graph: {graph}')
    graph._state.setdefault('exit_callbacks', []).append(fn)


def get_gradient_function(op):
    """The function that was registered as the gradient of an operation's type, or None."""
    from footlight._control import order as _control
    return _control.RegisterGradient._known.get(op.type)


publish(globals())
