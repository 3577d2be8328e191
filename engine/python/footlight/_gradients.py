"""Gradients that call user functions: custom_gradient and functions based on it, jacobians, hessians."""
from __future__ import annotations

import contextlib
import functools

import footlight as tf
from footlight import _engine
from footlight._enums import UnconnectedGradients
from footlight._public import publish
from footlight._typing import Any, Callable, Iterator, TensorLike


class _WithGradient:
    """A function or method decorated with tf.custom_gradient."""

    def __init__(self, function: Any) -> None:
        self._function = function
        functools.update_wrapper(self, function)
        self.__original_wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> tf.Tensor:
        return _engine.call_custom_gradient(self._function, args, kwargs)

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> _WithGradient:
        return self if instance is None else _WithGradient(self._function.__get__(instance, owner))


def custom_gradient(f=None):
    """Decorates a function that returns (result, gradient function)."""
    if f is None:
        return custom_gradient
    if not callable(f):
        raise TypeError(f'tf.custom_gradient: a function is wanted, not {type(f).__name__}')
    return _WithGradient(f)


def grad_pass_through(f: Any) -> Callable[..., Any]:
    """A function like `f` through which gradients flow as if it were the identity."""
    @custom_gradient
    def passing(*args, **kwargs):
        def grad(*args, **kwargs):
            variables = kwargs.get('variables')
            if variables is not None:
                return args, [None] * len(variables)
            return args
        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return passing(*args, **kwargs)
    return wrapper


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` that keeps only its arguments for its gradient, and runs again to compute it."""
    @custom_gradient
    def inner(*args, **kwargs):
        def grad(*gradients, **given):
            variables = given.get('variables')
            leaves = [a for a in tf.nest.flatten(args)]
            sources = [a for a in leaves if isinstance(a, (tf.Tensor, tf.Variable))]
            with tf.GradientTape() as tape:
                copies = iter([tf.identity(a) if isinstance(a, tf.Tensor) else a for a in leaves])
                again = tf.nest.map_structure(lambda a: next(copies), args)
                watched = [a for a in tf.nest.flatten(again) if isinstance(a, (tf.Tensor, tf.Variable))]
                tape.watch(watched)
                if variables is not None:
                    tape.watch(variables)
                result = f(*again, **kwargs)
            found = tape.gradient(result, watched + list(variables or ()), output_gradients=_as(result, gradients))
            flowing = iter(found[:len(sources)])
            inputs = [next(flowing) if isinstance(a, (tf.Tensor, tf.Variable)) else None for a in leaves]
            if variables is not None:
                return inputs, found[len(sources):]
            return inputs
        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return inner(*args, **kwargs)
    return wrapper


def _as(structure: Any, leaves: tuple[Any, ...]) -> tf.Tensor:
    return leaves[0] if isinstance(structure, tf.Tensor) else tf.nest.pack_sequence_as(structure, list(leaves))


_not_differentiable: set[str] = set()


def no_gradient(op_type: Any) -> None:
    """Declares that a custom op type has no gradient."""
    if not isinstance(op_type, str):
        raise TypeError(f'op_type must be a string, not {type(op_type).__name__}')
    if op_type in _not_differentiable or op_type in _engine.op_names():
        raise KeyError(f'there is something said about the gradient of {op_type!r} already')
    _not_differentiable.add(op_type)


def hessians(ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None,
             name: str | None = 'hessians') -> Any:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, inside of a traced function."""
    several = isinstance(xs, (list, tuple))
    out = []
    with tf.name_scope(name):
        for x in xs if several else [xs]:
            first = tf.gradients(ys, x)[0]
            if first is None:
                raise ValueError('hessians: ys do not depend on one of xs')
            flat = tf.reshape(first, [-1])
            if flat.shape[0] is None:
                raise ValueError(f'hessians: the shape of an x must be known while tracing; it is {x.shape}')
            rows = [tf.gradients(flat[i], x)[0] for i in range(flat.shape[0])]
            rows = [tf.zeros_like(x) if r is None else tf.convert_to_tensor(r) for r in rows]
            out.append(tf.reshape(tf.stack(rows), tf.concat([tf.shape(x), tf.shape(x)], 0)))
    return out


def old_gradients(ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False, gate_gradients=False,
                  aggregation_method=None, stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    """The gradients of the sum of `ys` with respect to each of `xs`, inside of a graph."""
    return tf.gradients(ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients)


def old_hessians(ys: Any, xs: Any, name: str | None = 'hessians', colocate_gradients_with_ops: bool = False,
                 gate_gradients: bool = False, aggregation_method: Any = None) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, inside of a graph."""
    return hessians(ys, xs, gate_gradients, aggregation_method, name)


# --- jacobians ---
def _checked(tape: Any, use_pfor: bool) -> None:
    if not use_pfor and tf.executing_eagerly() and not tape._persistent:
        raise RuntimeError('GradientTape must be created with persistent=True to compute the jacobian with eager '
                           'execution enabled and with experimental_use_pfor set to False.')


def _rows(tape: Any, flat: Any, sources: Any, count: int | None, unconnected: Any) -> Any:
    """For each source, the stacked gradients of each element of `flat` (or each column, if it is a matrix)."""
    columns = flat.shape.rank == 2

    def seed(i):
        one = tf.one_hot(i, tf.shape(flat)[-1], dtype=flat.dtype)
        return tf.broadcast_to(one, tf.shape(flat)) if columns else one

    def row(i, last):
        ask = tape.gradient if last else tape._gradient_and_keep
        return ask(flat, sources, output_gradients=seed(i), unconnected_gradients=unconnected)

    if count is not None:
        rows = [row(i, i == count - 1) for i in range(count)]
        return [tf.stack([tf.convert_to_tensor(r[k]) for r in rows], 1 if columns else 0)
                if rows and rows[0][k] is not None else None for k in range(len(sources))]
    # The number of rows is only known at run time: use a staged loop that appends to each result.
    probe = row(tf.constant(0), False)
    use = [k for k, p in enumerate(probe) if p is not None]
    shapes = [tf.convert_to_tensor(probe[k]) for k in use]
    start = [tf.zeros(tf.concat([[0], tf.shape(s)], 0), s.dtype) for s in shapes]

    def body(i, *done):
        found = row(i, False)
        grown = [tf.concat([d, tf.expand_dims(tf.convert_to_tensor(found[k]), 0)], 0) for d, k in zip(done, use)]
        return (i + 1,) + tuple(grown)
    invariants = [tf.TensorShape([])] + [tf.TensorShape([None]).concatenate(s.shape) for s in shapes]
    done = tf.while_loop(lambda i, *_: i < tf.shape(flat)[-1], body, (tf.constant(0),) + tuple(start),
                         shape_invariants=tuple(invariants))[1:]
    out = [None] * len(sources)
    for k, d in zip(use, done):
        if columns:
            d = tf.transpose(d, tf.concat([[1, 0], tf.range(2, tf.rank(d))], 0))
        out[k] = d
    return out


@contextlib.contextmanager
def _recording(tape: Any) -> Iterator[Any]:
    """A context in which the tape records, even if it is paused."""
    if tape._recording:
        yield
    else:
        with tape:
            yield


def jacobian(self: Any, target: TensorLike, sources: TensorLike, unconnected_gradients: Any = UnconnectedGradients.NONE,
             parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> tf.Tensor:
    """The derivative of each element of `target` with respect to each source: shape target.shape + source.shape."""
    _checked(self, experimental_use_pfor)
    target = tf.convert_to_tensor(target)
    flat_sources = tf.nest.flatten(sources)
    with _recording(self):
        flat = tf.reshape(target, [-1])
    found = _rows(self, flat, flat_sources, flat.shape[0], unconnected_gradients)
    for k, rows in enumerate(found):
        source = flat_sources[k]
        if rows is not None:
            rows = tf.reshape(rows, tf.concat([tf.shape(target), tf.shape(rows)[1:]], 0))
            rows.set_shape(target.shape.concatenate(source.shape))
            found[k] = rows
        elif flat.shape[0] == 0:
            found[k] = tf.zeros(tf.concat([tf.shape(target), tf.shape(source)], 0), source.dtype)
    return tf.nest.pack_sequence_as(sources, found)


def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                   experimental_use_pfor=True):
    """The jacobian of each example: shape [batch] + target.shape[1:] + source.shape[1:]."""
    _checked(self, experimental_use_pfor)
    target_shape = target.shape
    if target_shape.rank is None:
        size = None
    else:
        if target_shape.rank == 0:
            raise IndexError('batch_jacobian: the target has no dimensions; the first one is the batch')
        size = target_shape[0]
    if target_shape.rank == 1 or source.shape.rank in (0, 1):
        raise ValueError('batch_jacobian: target and source must have a batch and at least one dimension more, not the '
                         f'shapes {target_shape} and {source.shape}')
    if None not in (size, source.shape[0]) and size != source.shape[0]:
        raise ValueError(f'Need first dimension of target shape ({target_shape}) and source shape ({source.shape}) to '
                         'match.')
    rest = target_shape[1:] if target_shape.rank is not None else None
    known = rest is not None and rest.is_fully_defined()
    with _recording(self):
        width = rest.num_elements() if known else tf.reduce_prod(tf.shape(target)[1:])
        flat = tf.reshape(target, tf.stack([tf.shape(target)[0], width]))
        flat.set_shape([size, width if known else None])
    rows = _rows(self, flat, [source], flat.shape[1], unconnected_gradients)[0]
    shape = tf.concat([tf.shape(target), tf.shape(source)[1:]], 0)
    if rows is None:
        return tf.zeros(shape, target.dtype)
    out = tf.reshape(rows, shape)
    out.set_shape(target_shape.concatenate(source.shape[1:]))
    return out


_engine.extend(tf.GradientTape, 'jacobian', jacobian)
_engine.extend(tf.GradientTape, 'batch_jacobian', batch_jacobian)
publish('tf', custom_gradient, grad_pass_through, recompute_grad, no_gradient, hessians)
publish('tf.compat.v1', gradients=old_gradients, hessians=old_hessians)
