"""The structure of a dataset's elements: tuples and dicts of what consists of tensors. Lists are tensors here."""
from __future__ import annotations

import collections.abc

import footlight as tf
from footlight._public import publish
from footlight._sparse.tensor import SparseTensor
from footlight._types.specs import TypeSpec
from footlight._typing import Any

# Tuples that are one value.
_NOT_OPENED = tf.TensorShape, SparseTensor._Value


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, '_fields')


def _is_attrs(value: Any) -> bool:
    return hasattr(type(value), '__attrs_attrs__')


def is_nested(value: Any) -> bool:
    """Whether the value is a structure with children rather than a leaf."""
    return isinstance(value, (tuple, collections.abc.Mapping)) and not isinstance(value, _NOT_OPENED) or (
        _is_attrs(value))


def _children(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return list(value)
    if _is_attrs(value):
        return [getattr(value, a.name) for a in type(value).__attrs_attrs__]
    return [value[key] for key in sorted_keys(value)]


def sorted_keys(mapping: Any) -> list[Any]:
    """The keys in their order; as they come where they have none."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def _remade(value: Any, children: list[Any]) -> Any:
    """Rebuilds a structure of the same kind with other children."""
    if _is_namedtuple(value):
        return type(value)(*children)
    if isinstance(value, tuple):
        return tuple(children)
    if _is_attrs(value):
        return type(value)(*children)
    by_key = dict(zip(sorted_keys(value), children))
    in_order = {key: by_key[key] for key in value}
    if type(value) is dict:
        return in_order
    if isinstance(value, collections.defaultdict):
        return type(value)(value.default_factory, in_order)
    return type(value)(in_order)


def flatten(value: Any) -> list[Any]:
    """The leaves, mappings by sorted key."""
    if not is_nested(value):
        return [value]
    return [leaf for child in _children(value) for leaf in flatten(child)]


def pack(structure, leaves):
    """The structure with the next leaves of an iterator."""
    if not is_nested(structure):
        return next(leaves)
    return _remade(structure, [pack(child, leaves) for child in _children(structure)])


def map_structure(function, *structures):
    """The structure of the first, with function(leaf of each) as leaves."""
    first = structures[0]
    if not is_nested(first):
        return function(*structures)
    return _remade(first, [map_structure(function, *parts) for parts in zip(*map(_children, structures))])


def flatten_up_to(structure: Any, value: Any) -> list[Any]:
    """The parts of `value` at the leaves of `structure`; TypeError or ValueError where they differ."""
    if not is_nested(structure):
        return [value]
    if isinstance(structure, collections.abc.Mapping):
        if not isinstance(value, collections.abc.Mapping):
            raise TypeError("The two structures don't have the same sequence type: expected "
                            f'{type(structure).__name__}, got {type(value).__name__}')
        if set(structure) != set(value):
            raise ValueError(f"The two dictionaries don't have the same set of keys: {list(structure)}, {list(value)}")
        parts = [value[key] for key in sorted_keys(structure)]
    elif _is_attrs(structure):
        parts = _children(value)
    else:
        if not isinstance(value, (tuple, list)):
            raise TypeError('If shallow structure is a sequence, input must also be a sequence. Input has type: '
                            f'{type(value).__name__}.')
        if len(value) != len(structure):
            raise ValueError("The two structures don't have the same sequence length. Input structure has length "
                             f'{len(value)}, while shallow structure has length {len(structure)}.')
        parts = list(value)
    return [leaf for inner, part in zip(_children(structure), parts) for leaf in flatten_up_to(inner, part)]


class NoneTensorSpec(TypeSpec):
    """The type of None as a part of an element."""

    value_type = property(lambda self: type(None))
    _component_specs = property(lambda self: [])
    _serialize = lambda self: ()
    _to_components: Any = lambda self, value: []
    _from_components = lambda self, parts: None
    __repr__ = lambda self: 'NoneTensorSpec()'


def spec_of(value):
    """The spec of a leaf."""
    if value is None:
        return NoneTensorSpec()
    own = getattr(value, '_type_spec', None)
    if own is not None and not isinstance(value, (tf.Tensor, tf.Variable)):
        return own
    return tf.TensorSpec(value.shape, value.dtype)


def normalized(element: Any, what: str = 'element') -> Any:
    """The element with tensors (or what consists of tensors) as leaves."""
    def leaf(value):
        if isinstance(value, tf.SparseTensor._Value):
            return tf.SparseTensor.from_value(value)
        if hasattr(type(value), '_as_tensor'):  # a RaggedTensorValue
            return value._as_tensor()
        if value is None or getattr(value, '_type_spec', None) is not None and not isinstance(value, tf.Variable):
            return value
        return tf.convert_to_tensor(value, name='component')
    return map_structure(leaf, element)


def specs_of(element):
    """The spec of each leaf, in the same structure."""
    return map_structure(spec_of, element)


def is_plain(spec: Any) -> bool:
    """Whether a leaf is one tensor."""
    return type(spec) is tf.TensorSpec


def all_plain(specs: Any) -> bool:
    """Whether all leaves are tensors, or None."""
    return all(is_plain(spec) or isinstance(spec, NoneTensorSpec) for spec in flatten(specs))


def tensor_specs(specs: Any) -> list[Any]:
    """The specs of the tensors that elements consist of."""
    out = []
    for spec in flatten(specs):
        if is_plain(spec):
            out.append(spec)
        else:
            out.extend(spec.flatten())
    return out


def to_tensors(specs: Any, element: Any) -> list[Any]:
    """The tensors of an element of that structure."""
    out = []
    for spec, value in zip(flatten(specs), flatten_up_to(specs, element)):
        if is_plain(spec):
            out.append(value)
        else:
            out.extend(spec.to_tensors(value))
    return out


def from_tensors(specs, tensors):
    """The element made of these tensors."""
    if is_plain(specs):
        return tensors[0]
    rest = iter(tensors)
    return map_structure(lambda spec: next(rest) if is_plain(spec) else spec.from_tensors(rest), specs)


def maker(specs):
    """Returns a function that builds an element from the engine's tensors (one, or a list)."""
    leaves = flatten(specs)
    if len(leaves) == 1 and is_plain(leaves[0]) or len(tensor_specs(specs)) == 1:
        if is_plain(specs):
            return lambda tensor: tensor
        return lambda tensor: from_tensors(specs, [tensor])
    if type(specs) is tuple and all(map(is_plain, specs)):
        return tuple
    return lambda tensors: from_tensors(specs, tensors)


def types_of(specs: Any) -> list[Any]:
    """For attributes `output_types`."""
    return [spec.dtype for spec in tensor_specs(specs)]


def shapes_of(specs: Any) -> list[Any]:
    """For attributes `output_shapes`."""
    return [spec.shape for spec in tensor_specs(specs)]


def batched(specs, size):
    """The specs of `size` elements stacked."""
    def one(spec):
        if is_plain(spec):
            return tf.TensorSpec(tf.TensorShape([size]).concatenate(spec.shape), spec.dtype)
        return spec._batch(size) if not isinstance(spec, NoneTensorSpec) else spec
    return map_structure(one, specs)


def unbatched(specs):
    """The specs of the rows."""
    def one(spec):
        if is_plain(spec):
            if spec.shape.rank == 0:
                raise ValueError('Unbatching a tensor is only supported for rank >= 1')
            return tf.TensorSpec(spec.shape[1:], spec.dtype)
        return spec._unbatch() if not isinstance(spec, NoneTensorSpec) else spec
    return map_structure(one, specs)


def common(first, second):
    """The most specific specs that cover both, or None."""
    if is_nested(first) != is_nested(second):
        return None
    if is_nested(first):
        if type(first) is not type(second) or len(_children(first)) != len(_children(second)):
            return None
        if isinstance(first, collections.abc.Mapping) and set(first) != set(second):
            return None
        parts = [common(a, b) for a, b in zip(_children(first), _children(second))]
        return None if any(p is None for p in parts) else _remade(first, parts)
    return first.most_specific_common_supertype([second]) if isinstance(first, tf.TypeSpec) else None


publish('tf', NoneTensorSpec)
