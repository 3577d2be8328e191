"""The parts of tf.debugging that work on Python objects, and its settings."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, DTypeLike


def _prefix(message: Any) -> str:
    return '' if not message else message + '.  '


def assert_proper_iterable(values: Any) -> None:
    """Raises for objects that are iterable only by accident: tensors, arrays, strings."""
    is_array = hasattr(values, '__array__') and not isinstance(values, (list, tuple, dict))
    if isinstance(values, (tf.Tensor, tf.Variable, tf.IndexedSlices, str, bytes)) or is_array:
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, '__iter__'):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def _dtype_of(item, expected, named=None):
    dtype = item.dtype
    if expected is not None and dtype != expected:
        raise ValueError(f'{item}, type={dtype}, must be of the same type ({expected})'
                         + (f' as {named}' if named is not None else '') + '.')
    return dtype


def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> Any:
    """The floating dtype that all have; raises if they differ or are not floating."""
    first = None
    for item in tensors or ():
        if item is not None:
            dtype = _dtype_of(item, dtype, first)
            first = item if first is None else first
    if dtype is None:
        return tf.float32
    dtype = tf.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'Expected floating point type, got {dtype}.')
    return dtype


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers."""
    return isinstance(tensor, tf.Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or
                                              tensor.dtype.is_complex)


def _size(symbol: int | str) -> int | None:
    """A dimension as a number, or None if it is not one."""
    try:
        return None if symbol is None else int(symbol)
    except (TypeError, ValueError):
        return None


def _named(tensor: tf.Tensor) -> str:
    return f'shape={tensor.shape} dtype={tensor.dtype.name}'


def assert_shapes(shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None,
                  name: str | None = None) -> None:
    """Raises unless the shapes match their descriptions: numbers, names for a common size, None, a leading `...`."""
    with tf.name_scope(name or 'assert_shapes'):
        _asserted(shapes, data, summarize, message)


def _old_assert_shapes(shapes: list[Any], data: Any = None, summarize: Any = None, message: str | None = None,
                       name: str | None = None) -> tf.Operation | None:
    """Raises unless the shapes match their descriptions; in a graph, returns the operation that does so when it runs."""
    with tf.name_scope(name or 'assert_shapes'):
        checks = _asserted(shapes, data, summarize, message)
        return None if tf.executing_eagerly() else tf.group(*checks)


def _asserted(shapes, data, summarize, message):
    """Adds the checks that cannot be decided before the graph runs."""
    items = shapes.items() if isinstance(shapes, dict) else shapes
    said = _prefix(message)
    constraints = []
    for x, wanted in items:
        if wanted is None:
            continue
        x = x.deref() if hasattr(x, 'deref') else x
        x = tf.convert_to_tensor(x)
        if not (hasattr(wanted, '__iter__') or hasattr(wanted, '__getitem__')):
            raise ValueError(f'{said}Tensor {_named(x)}.  Specified shape must be an iterable.  An iterable has the '
                             f'attribute `__iter__` or `__getitem__`.  Received specified shape: {wanted}')
        wanted = tuple(wanted)
        for i, symbol in enumerate(wanted):
            if i and (symbol is Ellipsis or symbol == '*'):
                raise ValueError(f'{said}Tensor {_named(x)} specified shape index {i}.  Symbol `...` or `*` for a variable '
                                 'number of unspecified dimensions is only allowed as the first entry')
        open_ended = bool(wanted) and (wanted[0] is Ellipsis or wanted[0] == '*')
        # A scalar counts as a vector with one element.
        constraints.append((x, (wanted[1:] if open_ended else wanted) or (1,), open_ended))
    checks = []
    for x, wanted, open_ended in constraints:
        rank = len(wanted)
        if rank <= 1:
            if not open_ended:
                checks.append(tf.debugging.assert_rank_in(x, [0, 1], message=message))
        elif open_ended:
            checks.append(tf.debugging.assert_rank_at_least(x, rank, message=message))
        else:
            checks.append(tf.debugging.assert_rank(x, rank, message=message))
    sizes = {}
    for x, wanted, open_ended in constraints:
        for i, symbol in enumerate(wanted):
            if symbol is None or symbol == '.':
                continue
            axis = i - len(wanted) if open_ended else i
            actual = _actual_size(x, axis)
            if _size(symbol) is not None:
                expected, why = _size(symbol), 'Specified explicitly'
            elif symbol in sizes:
                expected, by, at = sizes[symbol]
                why = f'Specified by tensor {_named(by)} dimension {at}'
            else:
                sizes[symbol] = (actual, x, axis)
                continue
            if isinstance(actual, int) and isinstance(expected, int):
                if actual != expected:
                    raise ValueError(f'{said}{why}.  Tensor {_named(x)} dimension {axis} must have size {expected}.  '
                                     f'Received size {actual}, shape {x.shape}')
                continue
            checks.append(tf.debugging.Assert(tf.equal(actual, expected), data if data is not None else [
                *[said] * bool(said), why, f'Tensor {_named(x)} dimension', tf.constant(axis), 'must have size',
                tf.convert_to_tensor(expected), 'Received shape: ', tf.shape(x)], summarize))
    return [check for check in checks if check is not None]


def _actual_size(x: tf.Tensor, axis: int) -> int | tf.Tensor:
    if x.shape.rank == 0:
        return 1
    if x.shape.rank is not None and x.shape[axis] is not None:
        return x.shape[axis]
    return tf.shape(x)[axis]


_traceback_filtering = True


def enable_traceback_filtering() -> None:
    """Tracebacks show only the user's frames."""
    global _traceback_filtering
    _traceback_filtering = True


def disable_traceback_filtering() -> None:
    """Tracebacks show the library's frames too."""
    global _traceback_filtering
    _traceback_filtering = False


def is_traceback_filtering_enabled() -> Any:
    return _traceback_filtering


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Checks all floats that ops produce from now on: NaN and infinity raise an error that names op and line."""
    tf._config.check_numerics(True)


def disable_check_numerics():
    """Undoes enable_check_numerics."""
    tf._config.check_numerics(False)


publish('tf.debugging', assert_proper_iterable, assert_same_float_dtype, is_numeric_tensor, assert_shapes,
        enable_traceback_filtering, disable_traceback_filtering, is_traceback_filtering_enabled, enable_check_numerics,
        disable_check_numerics)
publish('tf.compat.v1.debugging', assert_shapes=_old_assert_shapes)
