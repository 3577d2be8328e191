"""tf.train.experimental.PythonState: values of Python as strings in checkpoints."""
from __future__ import annotations

import abc

import footlight as tf
from footlight._public import publish
from footlight._saving.trackable import Trackable
from footlight._typing import Any

_NAME = 'py_state'  # of its value in files


class PythonState(Trackable, metaclass=abc.ABCMeta):
    """An object whose state is one string in checkpoints: subclasses say how to write and to read it.

        class Position(tf.train.experimental.PythonState):
            def __init__(self):
                self.line = 0

            def serialize(self):
                return str(self.line)

            def deserialize(self, string_value):
                self.line = int(string_value)
    """

    @abc.abstractmethod
    def serialize(self) -> None:
        """The state as a string or bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value: Any) -> None:
        """Takes the bytes that serialize() gave at another time."""

    def _serialize_to_tensors(self):
        with tf._eager_scope():
            return {_NAME: tf.constant(self.serialize(), tf.string)}

    def _restore_from_tensors(self, restored_tensors: dict[Any, Any]) -> None:
        self.deserialize(restored_tensors[_NAME].numpy())

    _value_names = (_NAME,)  # known without asking for the state


publish('tf.train.experimental', PythonState)
