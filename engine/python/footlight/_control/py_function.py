"""Python functions that run with the graph: tf.py_function, tf.numpy_function, tf.compat.v1.py_func."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import alias
from footlight._typing import Any, Callable


def _checked(public: str, func: Callable[..., Any], inp: list[Any] | None, Tout: Any, call: Callable[..., Any]) -> Any:
    """call(func, inp), or the decorator that makes such calls."""
    if Tout is None:
        raise TypeError("Missing required argument: 'Tout'")
    if func is None:
        if inp is not None:
            raise TypeError(f'{public} used as a decorator takes no `inp`: the arguments of each call are it')
        return lambda function: lambda *args: _checked(public, function, args, Tout, call)
    if inp is None:
        raise TypeError("Missing required argument: 'inp'")
    if not callable(func):
        raise ValueError(f'Expected func to be callable. Received func={func!r} of type {type(func)}.')
    return call(tf.autograph.experimental.do_not_convert(func), inp)


def _result(outputs):
    """The result of the op: its outputs or, in a graph if it has none, the operation itself, so that it can be run."""
    if isinstance(outputs, (list, tuple)) and not outputs and not tf.executing_eagerly():
        return tf.compat.v1.get_default_graph().get_operations()[-1]
    return outputs


def _is_composite(value: Any) -> bool:
    return hasattr(type(value), '_type_spec') and not isinstance(value, (tf.Tensor, tf.Variable))


def _is_composite_spec(wanted: Any) -> bool:
    return isinstance(wanted, tf.TypeSpec) and not isinstance(wanted, tf.TensorSpec)


def _of_tensors(function: Callable[..., Any], values: list[Any], Tout: Any, name: Any) -> Any:
    """Wraps the op, which handles plain tensors, for a function of composite values."""
    many = isinstance(Tout, (list, tuple))
    wanted = list(Tout) if many else [Tout]
    if not any(map(_is_composite, values)) and not any(map(_is_composite_spec, wanted)):
        return _result(_engine.call_python('EagerPyFunc', function, values, Tout, name))
    given = [value._type_spec if _is_composite(value) else None for value in values]

    def on_tensors(*tensors):
        tensors = iter(tensors)
        results = function(*[next(tensors) if spec is None else spec.from_tensors(tensors) for spec in given])
        results = list(results) if many and isinstance(results, (list, tuple)) else [results]
        mismatch = f'py_function: func={function} returned {results}, which did not match Tout={wanted}.'
        if len(results) != len(wanted):
            raise ValueError(f'{mismatch}\nThere are {len(results)} values, but {len(wanted)} are expected.')
        parts = []
        for spec, result in zip(wanted, results):
            if _is_composite_spec(spec):
                if not _is_composite(result) or not spec.is_compatible_with(result):
                    raise ValueError(f'{mismatch}\nIn particular, {result!r} does not fit {spec!r}.')
                parts += spec.to_tensors(result)
            elif _is_composite(result):
                raise ValueError(f'{mismatch}\nIn particular, {result!r} is not a Tensor.')
            else:
                parts.append(result)
        return parts

    flat = [part for value, spec in zip(values, given) for part in (spec.to_tensors(value) if spec else [value])]
    types = [part for spec in wanted for part in (spec.flatten() if _is_composite_spec(spec) else [spec])]
    made = iter(_engine.call_python('EagerPyFunc', on_tensors, flat, types, name))
    made = [spec.from_tensors(made) if _is_composite_spec(spec) else next(made) for spec in wanted]
    return made if many else made[0]


def _with_arrays(public: str, func: Callable[..., Any], inp: list[Any] | None, Tout: Any, stateful: bool,
                 name: str | None) -> tf.Operation | tf.Tensor | None:
    def call(function, values):
        if not tf.executing_eagerly():
            return _result(_engine.call_python('PyFunc' if stateful else 'PyFuncStateless', function, values, Tout, name))
        results = [r if r is None else tf.convert_to_tensor(r)
                   for r in tf.nest.flatten(_engine.call_with_arrays(function, values, stateful))]
        return results[0] if len(results) == 1 else results
    return _checked(public, func, inp, Tout, call)


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Calls `func` with tensors that have values, each time the graph runs; gradients go through it.

    Without `func` and `inp`, a decorator."""
    return _checked('tf.py_function', func, inp, Tout,
                    lambda function, values: _of_tensors(function, values, Tout, name))


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True,
                   name: str | None = None) -> tf.Operation | tf.Tensor | None:
    """Calls `func` with NumPy arrays, each time the graph runs. Not differentiable."""
    return _with_arrays('tf.numpy_function', func, inp, Tout, stateful, name)


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """The old name of tf.numpy_function."""
    return _with_arrays('tf.compat.v1.py_func', func, inp, Tout, stateful, name)


alias('tf', py_function, numpy_function)
alias('tf.compat.v1', py_func)
alias('tf.contrib.eager', py_func=py_function)
