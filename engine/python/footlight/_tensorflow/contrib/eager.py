"""tf.contrib.eager, the names of TensorFlow 1.5: functions that return functions that compute gradients."""
from __future__ import annotations

import footlight as tf
from footlight._gradients import custom_gradient
from footlight._typing import Any, Callable


def _positions(f: Callable[..., Any], params: list[Any] | None, args: list[Any]) -> Any:
    """The positions of the arguments to compute gradients for."""
    import inspect
    try:
        names = [p.name for p in inspect.signature(f).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    if params is None:
        return range(min(len(names), len(args)) if names else len(args))
    params = params if isinstance(params, (list, tuple)) else [params]
    if all(isinstance(p, str) for p in params):
        return [names.index(p) for p in params]
    if all(isinstance(p, int) for p in params):
        return params
    raise ValueError(f'params must be all strings or all integers; got {params!s}.')


def value_and_gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that returns f's value and the list of its gradients with respect to its arguments (or `params`)."""
    def gradients(*args, **kwargs):
        dy = kwargs.pop('dy', None)
        args, seen = list(args), set()
        wanted = _positions(f, params, args)
        for i in wanted:
            if not isinstance(args[i], tf.Variable):
                args[i] = tf.convert_to_tensor(args[i])
                # The same tensor given twice counts as two arguments.
                if id(args[i]) in seen:
                    args[i] = tf.identity(args[i])
                seen.add(id(args[i]))
        sources = [args[i] for i in wanted]
        with tf.GradientTape() as tape:
            for s in sources:
                tape.watch(s)
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value?')
        if dy is not None:
            dy = [tf.convert_to_tensor(d) for d in tf.nest.flatten(dy)]
        # Scripts of that time expect zeros, not None, for arguments that the result does not depend on.
        return value, tape.gradient(tf.nest.flatten(value), sources, output_gradients=dy,
                                    unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return gradients


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that returns the list of f's gradients with respect to its arguments (or to `params`)."""
    both = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def implicit_value_and_gradients(f: Any) -> Callable[..., Any]:
    """A function that returns f's value and (gradient, variable) pairs for the trainable variables it read."""
    def gradients(*args, **kwargs):
        with tf.GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value?')
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        return value, list(zip(tape.gradient(value, variables), variables))
    return gradients


def implicit_gradients(f: Any) -> Callable[..., Any]:
    """A function that returns (gradient, variable) pairs for the trainable variables that f read."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def install(namespace: Any) -> None:
    for f in (value_and_gradients_function, gradients_function, implicit_value_and_gradients, implicit_gradients):
        setattr(namespace, f.__name__, f)
    namespace.custom_gradient = custom_gradient
    namespace.Variable = tf.Variable
    namespace.executing_eagerly = tf.executing_eagerly
    namespace.in_eager_mode = tf.executing_eagerly


install(tf.contrib.eager)
