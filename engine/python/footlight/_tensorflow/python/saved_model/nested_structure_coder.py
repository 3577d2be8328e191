"""tensorflow.python.saved_model.nested_structure_coder: structures as messages, and back."""
from __future__ import annotations

from footlight._saving import structure_coder as _structure_coder
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def encode_structure(nested_structure):
    """A structure of specs and plain values as a message."""
    from footlight import _proto
    found = _proto.StructuredValue()
    _structure_coder.fill(found, nested_structure)
    return found


def decode_proto(proto: Any) -> tuple[Any, ...]:
    """What encode_structure() was given."""
    return _structure_coder.value_of(proto)


def can_encode(nested_structure: Any) -> bool:
    """Whether encode_structure() takes it."""
    try:
        encode_structure(nested_structure)
    except _structure_coder.NotEncodableError:
        return False
    return True

NotEncodableError = _structure_coder.NotEncodableError
publish(globals(), 'encode_structure decode_proto can_encode NotEncodableError')
