"""tensorflow.python.data.util.nest: structures of elements, in which lists are tensors."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class _Leaf:
    def __init__(self, value: Any) -> None:
        self.value = value


def _hide_lists(structure):
    if isinstance(structure, list):
        return _Leaf(structure)
    if isinstance(structure, dict):
        made = {key: _hide_lists(value) for key, value in structure.items()}
        return made if type(structure) is dict else tf.nest.pack_sequence_as(structure, tf.nest.flatten(made))
    if isinstance(structure, tuple):
        parts = [_hide_lists(value) for value in structure]
        return type(structure)(*parts) if hasattr(structure, '_fields') else tuple(parts)
    return structure


def _shown(value):
    return value.value if isinstance(value, _Leaf) else value


def is_nested(structure: Any) -> bool:
    """Whether an element has parts: a list has none."""
    return not isinstance(structure, list) and tf.nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """The values of an element, lists among them."""
    return [_shown(value) for value in tf.nest.flatten(_hide_lists(structure))]


def pack_sequence_as(structure, flat_sequence):
    """An element of this structure with these values."""
    hidden = [_Leaf(value) for value in flat_sequence]
    return tf.nest.map_structure(_shown, tf.nest.pack_sequence_as(_hide_lists(structure), hidden))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """An error unless both have the same structure."""
    tf.nest.assert_same_structure(_hide_lists(nest1), _hide_lists(nest2), check_types=check_types)


def map_structure(func, *structure, **check_types_dict):
    """An element whose values are those that `func` makes of the values of some elements."""
    check_types = check_types_dict.pop('check_types', True)
    if check_types_dict:
        raise ValueError(f'Only valid keyword argument is `check_types`, not: `{"`, `".join(check_types_dict)}`')
    if not callable(func):
        raise TypeError(f'`func` must be callable, got: {func}')
    if not structure:
        raise ValueError('Must provide at least one structure')
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return pack_sequence_as(structure[0], [func(*values) for values in zip(*map(flatten, structure))])


publish(globals(), 'is_nested flatten pack_sequence_as assert_same_structure map_structure is_sequence=is_nested')
