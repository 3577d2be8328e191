"""Descriptors of messages for protobuf's own Python package, whose text_format and json_format work with ours by them."""
from __future__ import annotations

from footlight._typing import Any

_pool: Any = None
_known: set[bytes] = set()  # serialized files that the pool has


def descriptor(name, files):
    """The descriptor of the message type `name`, which one of these files describes; others come before it."""
    global _pool
    try:
        from google.protobuf import descriptor_pool
    except ImportError:
        raise AttributeError('DESCRIPTOR needs the package protobuf: pip install protobuf') from None
    if _pool is None:
        _pool = descriptor_pool.DescriptorPool()
    for file in files:
        if file not in _known:
            _pool.AddSerializedFile(file)
            _known.add(file)
    return _pool.FindMessageTypeByName(name)


def bytes_of(message, other, what):
    """The bytes of a message of protobuf's package that has the type of `message`; `what` takes no other."""
    name = getattr(getattr(other, 'DESCRIPTOR', None), 'full_name', None)
    if name is None or type(other).__module__ == 'footlight' or name != message.DESCRIPTOR.full_name:
        raise TypeError(f'{what} takes a {type(message).__name__}, not {type(other).__name__}')
    return other.SerializeToString()


def set_fields(message: Any) -> list[Any]:
    """[(descriptor of a field, its value)] of the fields that are set, by their numbers."""
    found = []
    for field in sorted(message.DESCRIPTOR.fields, key=lambda field: field.number):
        value = getattr(message, field.name)
        if field.is_repeated:
            is_set = len(value) > 0
        elif field.has_presence:
            is_set = message.HasField(field.name)
        else:
            is_set = value != field.default_value
        if is_set:
            found.append((field, value))
    return found
