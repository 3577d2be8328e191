"""tf.compat: bytes and str from one another, kinds of values, dimensions, and what a program asks of versions."""
from __future__ import annotations

import contextlib
import datetime
import numbers
import os

import numpy as np

from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Iterator


def as_bytes(bytes_or_text: Any, encoding: str = 'utf-8') -> bytes:
    """Converts a str or bytes to bytes."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


def as_text(bytes_or_text: Any, encoding: str = 'utf-8') -> str:
    """Converts bytes or a str to a str."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


def as_str(bytes_or_text: Any, encoding: str = 'utf-8') -> str:
    """Converts bytes or a str to a str."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = 'utf-8') -> Any:
    """Anything as str; bytes are decoded."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """The path that an object stands for."""
    return os.fspath(path) if hasattr(path, '__fspath__') else path


def dimension_value(dimension):
    """The number that a dimension is, or None."""
    return getattr(dimension, 'value', dimension)


def dimension_at_index(shape, index):
    """The dimension of a shape at a place, as an object; of an unknown one where the shape is."""
    from footlight._tensorflow.compat.v1.check_ops import Dimension
    return Dimension(None if shape.rank is None else shape[index])


# The day that TensorFlow 2.21 takes for its own: what is to be there three weeks later is not.
_horizon = [datetime.date(2026, 2, 6)]


def forward_compatible(year, month, day):
    """Whether programs of that day need not run with this version."""
    return _horizon[0] > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: Any, month: Any, day: Any) -> Iterator[Any]:
    """A context with another day."""
    _horizon.insert(0, datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizon.pop(0)


_home = _engine.namespace('compat')
_home.bytes_or_text_types, _home.integral_types = (bytes, str), (numbers.Integral, np.integer)
_home.real_types, _home.complex_types = (numbers.Real, np.integer, np.floating), (numbers.Complex, np.number)
publish('tf.compat', as_bytes, as_text, as_str, as_str_any, path_to_str, dimension_value, dimension_at_index,
        forward_compatible, forward_compatibility_horizon)
