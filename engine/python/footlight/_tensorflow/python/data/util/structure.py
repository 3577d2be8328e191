"""tensorflow.python.data.util.structure: specs of elements."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.data.util.nest import map_structure
from footlight._typing import Any


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of one spec can stand where those of another are expected."""
    try:
        tf.nest.assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    return all(one.is_compatible_with(other) for one, other in zip(tf.nest.flatten(spec1), tf.nest.flatten(spec2)))


def _spec_of(element):
    """The spec of an element, with the structure of the element."""
    return map_structure(tf.type_spec_from_value, element)
NoneTensorSpec = tf.NoneTensorSpec
publish(globals(), 'are_compatible NoneTensorSpec type_spec_from_value=_spec_of')
