"""tf.raw_ops whose attributes are functions of tensors: If, Case, While, PartitionedCall."""
from __future__ import annotations

import inspect

import footlight as tf
from footlight._typing import Any, Callable


def _flat(results: Any) -> list[Any]:
    return [r for r in tf.nest.flatten(results, expand_composites=True) if r is not None]


def _calls(function: Callable[..., Any], inputs: Any) -> list[Any]:
    """The results of a function of tensors, flat."""
    if not callable(function):
        raise TypeError(f'a function is wanted, such as get_concrete_function() returns, not {function!r}')
    return _flat(function(*inputs))


def _truth(value):
    value = tf.convert_to_tensor(value)
    return value if value.dtype == tf.bool else tf.raw_ops.ToBool(input=value)


# --- tf.raw_ops: ops whose attributes are functions of tensors ---
def If(*, cond: Any, input: Any, Tout: Any, then_branch: Any, else_branch: Any, output_shapes: Any = (),
       name: str | None = None) -> list[Any]:
    """The results of one of two functions, as a list."""
    return _flat(tf.cond(_truth(cond), lambda: _calls(then_branch, input), lambda: _calls(else_branch, input), name))


def Case(*, branch_index, input, Tout, branches, output_shapes=(), name=None):
    """The results of the function of that number, as a list; the last one's for all other numbers."""
    return _flat(tf.switch_case(tf.convert_to_tensor(branch_index), [lambda branch=branch: _calls(branch, input) for branch in branches],
                                name=name or 'case'))


def While(*, input: Any, cond: Any, body: Callable[..., Any], output_shapes: Any = (), parallel_iterations: int = 10,
          name: str | None = None) -> list[Any]:
    """Repeats a function of the loop variables while a condition holds; returns their final values as a list."""
    if not input:
        return []
    return list(tf.while_loop(lambda *now: _truth(_calls(cond, now)[0]), lambda *now: _calls(body, now),
                              [tf.convert_to_tensor(value) for value in input], parallel_iterations=parallel_iterations,
                              name=name))


def PartitionedCall(*, args: Any, Tout: Any, f: Any, config: str = '', config_proto: str = '', executor_type: str = '',
                    name: str | None = None) -> list[Any]:
    """The results of a function, as a list."""
    return _calls(f, args)


def _named(function, name):
    def same(**arguments):
        return function(**arguments)
    same.__name__ = same.__qualname__ = name
    same.__doc__, same.__signature__ = function.__doc__, inspect.signature(function)
    return same


RAW = {'If': If, 'Case': Case, 'While': While, 'PartitionedCall': PartitionedCall}
for _name, _of in (('StatelessIf', If), ('StatelessCase', Case), ('StatelessWhile', While),
                   ('StatefulPartitionedCall', PartitionedCall)):
    RAW[_name] = _named(_of, _name)
