"""tensorflow.python.eager.backprop: functions that return functions which compute gradients."""
from __future__ import annotations

import inspect
import functools

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def _numbers_of(f, params):
    """The numbers of the parameters to differentiate by, which may be given by name."""
    names = list(inspect.signature(f).parameters)
    params = range(len(names)) if params is None else params
    chosen = [names.index(one) if isinstance(one, str) else one for one in params]
    if not all(isinstance(one, int) for one in chosen):
        raise ValueError(f'params must be all strings or all integers; got {params!s}.')
    return chosen


def _named_arguments(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    return list(inspect.signature(f).bind(*args, **kwargs).arguments.values()) if kwargs else list(args)


def make_vjp(f: Callable[..., Any], params: Any = None, persistent: bool = True) -> Callable[..., Any]:
    """A function that gives the result of f, and a function from its gradients to those of the parameters."""
    def decorated(*args, **kwargs):
        values = _named_arguments(f, args, kwargs)
        chosen = _numbers_of(f, params)[:len(values)] if params is None else _numbers_of(f, params)
        tape = tf.GradientTape(persistent=persistent)
        with tape:
            sources = []
            for i in chosen:
                if isinstance(values[i], tf.Variable):
                    tape.watch(values[i])
                else:  # a tensor of its own: the same one may be given twice
                    values[i] = tf.nest.map_structure(lambda t: tf.identity(tf.convert_to_tensor(t)), values[i])
                    tape.watch(values[i])
                sources.append(values[i])
            result = f(*values)
            if result is None:
                raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value '
                                 f"from {getattr(f, '__name__', f)}?")
            flat = tf.nest.map_structure(lambda t: tf.identity(tf.convert_to_tensor(t)), result)

        def vjp(dy=None):
            if dy is not None:
                dy = tf.nest.map_structure(tf.convert_to_tensor, dy)
            return tape.gradient(flat, sources, output_gradients=dy)
        return flat, vjp
    return functools.wraps(f)(decorated)


def val_and_grad_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that gives the result of f and the gradients of its parameters; `dy` is that of the result."""
    def decorated(*args, **kwargs):
        dy = kwargs.pop('dy', None)
        if kwargs:
            raise ValueError('Functions to be differentiated cannot receive keyword arguments.')
        value, vjp = make_vjp(f, params)(*args)
        return value, vjp(dy)
    return functools.wraps(f)(decorated)


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that gives the gradients of f with respect to its parameters."""
    def decorated(*args, **kwargs):
        return val_and_grad_function(f, params)(*args, **kwargs)[1]
    return functools.wraps(f)(decorated)


def implicit_val_and_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives the result of f, and pairs of a gradient and the variable of each that f reads."""
    def decorated(*args, **kwargs):
        with tf.GradientTape() as tape:
            result = f(*args, **kwargs)
            if result is None:
                raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value '
                                 f"from {getattr(f, '__name__', f)}?")
        variables = tape.watched_variables()
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        return result, list(zip(tape.gradient(result, variables), variables))
    return functools.wraps(f)(decorated)


def implicit_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives pairs of a gradient and the variable of each that f reads."""
    def decorated(*args, **kwargs):
        return implicit_val_and_grad(f)(*args, **kwargs)[1]
    return functools.wraps(f)(decorated)


def aggregate_indexed_slices_gradients(grads):
    """The sum of gradients of which some are rows of a tensor."""
    if not grads:
        raise ValueError('aggregate_indexed_slices_gradients: no gradients are given')
    given = [g for g in grads if g is not None]
    if len(given) == 1:
        return given[0]
    if any(isinstance(g, tf.Tensor) for g in given):
        return tf.add_n([tf.convert_to_tensor(g) for g in given])
    return tf.IndexedSlices(tf.concat([g.values for g in given], 0), tf.concat([g.indices for g in given], 0),
                            given[0].dense_shape)


publish(globals())
