"""Python structures in messages (StructuredValue): signatures of functions in SavedModels."""
from __future__ import annotations

import collections
import operator

import footlight as tf
from footlight import _proto
from footlight._typing import Any

# Numbers of TypeSpecProto.
_KINDS = {1: 'SparseTensorSpec', 2: 'IndexedSlicesSpec', 3: 'RaggedTensorSpec', 4: 'TensorArraySpec', 5: 'DatasetSpec',
          6: 'IteratorSpec', 7: 'OptionalSpec', 9: 'VariableSpec'}
_PLACES = {'DatasetSpec': 'data.DatasetSpec', 'IteratorSpec': 'data.IteratorSpec', 'OptionalSpec': 'OptionalSpec',
           'VariableSpec': '__internal__.VariableSpec'}


class NotEncodableError(Exception):
    """A file cannot hold this value."""


def shape_of(proto: Any) -> tf.TensorShape:
    """A TensorShape of a message."""
    return tf.TensorShape(None) if proto.unknown_rank else tf.TensorShape(
        [None if d.size < 0 else d.size for d in proto.dim])


def components(spec):
    """How many tensors a value of the spec consists of; none for another value."""
    if isinstance(spec, tf.TensorSpec):
        return 1
    if not isinstance(spec, tf.TypeSpec):
        return 0
    return sum(components(part) for part in tf.nest.flatten(spec._component_specs))


def _fill_numbered(proto: Any, value: Any, kind: str) -> None:
    proto.type_spec_class = {name: number for number, name in _KINDS.items()}[kind]
    proto.type_spec_class_name = kind
    fill(proto.type_state, value._serialize())
    proto.num_flat_components = components(value)


def fill(proto: Any, value: Any) -> None:
    """Writes a value into a StructuredValue."""
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, int):
        proto.int64_value = value
    elif isinstance(value, float):
        proto.float64_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, tf.TensorShape):
        proto.tensor_shape_value.CopyFrom(_proto.shape_proto(value))
    elif isinstance(value, tf.DType):
        proto.tensor_dtype_value = value.as_datatype_enum
    elif type(value) is tf.TensorSpec:
        spec = proto.tensor_spec_value
        spec.name, spec.dtype = value.name or '', value.dtype.as_datatype_enum
        spec.shape.CopyFrom(_proto.shape_proto(value.shape))
    elif type(value).__name__ in _KINDS.values() and isinstance(value, tf.TypeSpec):
        _fill_numbered(proto.type_spec_value, value, type(value).__name__)
    elif isinstance(value, dict):
        proto.dict_value.SetInParent()
        for key in value:
            if not isinstance(key, str):
                raise NotEncodableError(f'No encoder for object {value!r} of type {type(value)}: keys must be strings')
            fill(proto.dict_value.fields[key], value[key])
    elif isinstance(value, tuple) and hasattr(value, '_fields'):
        proto.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value):
            fill(proto.named_tuple_value.values.add(key=key).value, item)
    elif isinstance(value, tuple):
        proto.tuple_value.SetInParent()
        for item in value:
            fill(proto.tuple_value.values.add(), item)
    elif isinstance(value, list):
        proto.list_value.SetInParent()
        for item in value:
            fill(proto.list_value.values.add(), item)
    elif isinstance(value, tf.Tensor) and not tf.is_symbolic_tensor(value):
        proto.tensor_value.CopyFrom(tf.make_tensor_proto(value))
    elif type(value).__module__ == 'numpy':
        proto.numpy_value.CopyFrom(tf.make_tensor_proto(value))
    else:
        raise NotEncodableError(f'No encoder for object {value!r} of type {type(value)}.')


def _numbered(proto):
    kind = _KINDS.get(proto.type_spec_class)
    if kind is None:
        raise NotImplementedError('a SavedModel whose functions take or return '
                                  f"{proto.type_spec_class_name or 'such composite tensors'} is not supported")
    return operator.attrgetter(_PLACES.get(kind, kind))(tf)._deserialize(value_of(proto.type_state))


def value_of(proto):
    """A StructuredValue as a Python value."""
    kind = proto.WhichOneof('kind')
    if kind in (None, 'none_value'):
        return None
    value = getattr(proto, kind)
    if kind in ('tensor_spec_value', 'bounded_tensor_spec_value'):
        return tf.TensorSpec(shape_of(value.shape), tf.as_dtype(value.dtype), value.name or None)
    if kind == 'list_value':
        return [value_of(v) for v in value.values]
    if kind == 'tuple_value':
        return tuple(value_of(v) for v in value.values)
    if kind == 'dict_value':
        return {key: value_of(value.fields[key]) for key in sorted(value.fields)}
    if kind == 'named_tuple_value':
        return collections.namedtuple(value.name, [p.key for p in value.values])(
            *(value_of(p.value) for p in value.values))
    if kind == 'tensor_shape_value':
        return shape_of(value)
    if kind == 'tensor_dtype_value':
        return tf.as_dtype(value)
    if kind in ('tensor_value', 'numpy_value'):
        return tf.make_ndarray(value)
    if kind == 'type_spec_value':
        return _numbered(value)
    return value
