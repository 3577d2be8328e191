"""Switches of tf.compat.v1 between the two ways of running, and tf.compat.v1.InteractiveSession."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._graphs import graph as _graph, session as _session
from footlight._typing import Any, Callable

_v1 = tf.compat.v1
_entered: list[Any] = []  # the scope of the program's graph, while eager execution is off


def disable_eager_execution() -> None:
    """Ops go into the program's graph from now on, outside of functions too."""
    if not _entered and not tf.executing_eagerly():
        return
    if not _entered:
        _enter()


def _enter() -> None:
    scope = _engine.graph_scope(_graph.get_default_graph())
    scope.__enter__()
    _entered.append(scope)


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Ops run when they are called from now on, which is how programs start."""
    if _entered:
        if _graph.get_default_graph().num_operations():
            raise ValueError('tf.enable_eager_execution must be called at program startup.')
        _entered.pop().__exit__(None, None, None)


def reset_default_graph() -> None:
    """Forgets the program's graph; ops go into a new one where eager execution is off."""
    if not _entered:
        _graph.reset_default_graph()
        return
    if _engine.current_graph() is not _graph._default:
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs.')
    _entered.pop().__exit__(None, None, None)
    _graph.reset_default_graph()
    _enter()


def disable_v2_behavior() -> None:
    """Ops go into the program's graph from now on; names of TensorFlow 1 are in tf.compat.v1 either way."""
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Ops run when they are called from now on, which is how programs start."""
    enable_eager_execution()


def _kept_as_it_is(name: str, what: Any) -> Callable[..., Any]:
    def function():
        pass
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Does nothing: {what}.'
    return function


class InteractiveSession(_session.Session):
    """A session that is the default one from when it is made until it is closed."""

    def __init__(self, target: str = '', graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._scopes = [self.as_default()]
        if graph is not None:
            self._scopes.insert(0, graph.as_default())
        for scope in self._scopes:
            scope.__enter__()

    def close(self) -> None:
        """Lets go of what was prepared to run; the session is no longer the default one."""
        super().close()
        while self._scopes:
            self._scopes.pop().__exit__(None, None, None)


for _object in (disable_eager_execution, enable_eager_execution, disable_v2_behavior, enable_v2_behavior, reset_default_graph,
                InteractiveSession,
                _kept_as_it_is('disable_resource_variables', 'variables are objects of their own'),
                _kept_as_it_is('disable_control_flow_v2', 'branches and loops are functions'),
                _kept_as_it_is('disable_tensor_equality', '== compares elements'),
                _kept_as_it_is('disable_v2_tensorshape', 'a dimension of a shape is a number or None'),
                _kept_as_it_is('enable_v2_tensorshape', 'a dimension of a shape is a number or None')):
    _object.__module__ = 'footlight.compat.v1'
    setattr(_v1, _object.__name__, _object)
