"""Functions of elements: tf.function traces them, and the engine runs them for each element."""
from __future__ import annotations

import footlight as tf
from footlight._data import structure
from footlight._control.functional import _staged
from footlight._typing import Any, Callable


def _name_of(function: Callable[..., Any]) -> str:
    function = getattr(function, 'func', function)  # functools.partial
    name = getattr(function, '__name__', type(function).__name__)
    return 'lambda' if name == '<lambda>' else name


class ElementFunction:
    """A function of elements of one structure: its trace, what it captured, and the structure of what it returns."""

    def __init__(self, function, what, specs, several=False):
        """`specs`: of its argument; `several`: of all its arguments. A tuple is passed as several arguments."""
        if not callable(function):
            raise ValueError(f'`{what}` of a dataset takes a function, not {function!r}')
        staged = _staged(function, always=True)
        given = structure.flatten(specs)
        found = []

        def traced(*tensors):
            element = structure.from_tensors(specs, list(tensors))
            result = staged(*element) if type(element) is tuple else staged(element)
            if several is not None:
                result = _checked(result, what)
            found[:] = [structure.specs_of(result)]
            return tuple(structure.to_tensors(found[0], result))
        traced.__name__ = traced.__qualname__ = f'Dataset_{what}_{_name_of(function)}'
        traced._footlight_runs = function  # recordings show this name
        made = tf.function(traced)  # the wrapper itself is not converted, so that errors name the lines of the function
        wanted = [tf.TensorSpec(s.shape, s.dtype) for s in structure.tensor_specs(specs)]
        self.concrete = made.get_concrete_function(*wanted)
        self.captures = list(self.concrete.captured_inputs)
        self.output_specs = found[0]
        self._kept = made, given

    def attributes(self, name: str | None = 'f', arguments: str = 'Targuments') -> dict[Any, Any]:
        """The attributes of an op that holds the function."""
        return {name: self.concrete, arguments: [c.dtype if isinstance(c, tf.Tensor) else tf.resource
                                                 for c in self.captures]}


def _checked(result: Any, what: str) -> Any:
    if isinstance(result, list):
        result = tuple(result)
    try:
        return structure.normalized(result)
    except (TypeError, ValueError) as error:
        raise TypeError(f'Unsupported return value from function passed to Dataset.{what}(): {result!s}. '
                        f'{error}') from error
