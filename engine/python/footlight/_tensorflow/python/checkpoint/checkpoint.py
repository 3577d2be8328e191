"""tensorflow.python.checkpoint.checkpoint: variables of an object, and all objects that it keeps."""
from __future__ import annotations

import footlight as tf
from footlight._saving import object_graph as _object_graph
from footlight._tensorflow.publish import publish
from footlight._typing import Any, DTypeLike, ShapeLike


def add_variable(trackable: Any, name: str, shape: ShapeLike | None = None, dtype: DTypeLike = tf.float32,
                 initializer: Any = None, trainable: bool = True) -> tf.Variable:
    """Makes a variable a child of an object; without an initializer it has zeros."""
    def make(name, shape, dtype, initializer, trainable):
        first = tf.zeros if initializer is None else initializer() if isinstance(initializer, type) else initializer
        if shape is not None and not callable(first):
            raise ValueError('add_variable: if initializer is a constant, do not specify shape, which is that of the constant')
        value = (lambda: first(shape=shape, dtype=dtype)) if callable(first) and shape is not None else first
        return tf.Variable(value, name=name, dtype=dtype, trainable=trainable)
    return trackable._add_variable_with_custom_getter(name, shape=shape, dtype=dtype, initializer=initializer, getter=make,
                                                      trainable=trainable)


def gather_initializers(root_trackable: Any) -> list[Any]:
    """What initializes the variables, and others with an initializer, below an object; for a session to run."""
    return [one.initializer for one in list_objects(root_trackable) if getattr(one, 'initializer', None) is not None]


def list_objects(root_trackable: Any) -> list[Any]:
    """All objects that a checkpoint of an object has, with the variables that optimizers keep."""
    return _object_graph.Listing(root_trackable).with_slots().objects


publish(globals())
