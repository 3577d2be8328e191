"""tensorflow.python.util.variable_utils: variables in structures."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def convert_variables_to_tensors(values: Any) -> list[Any]:
    """A structure with the values of its variables in their place."""
    return tf.nest.map_structure(lambda v: v.read_value() if isinstance(v, tf.Variable) else v, values)


def replace_variables_with_atoms(values):
    """A structure with something plain in place of its variables."""
    return tf.nest.map_structure(lambda v: 0 if isinstance(v, tf.Variable) else v, values)


publish(globals())
