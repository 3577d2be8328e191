"""tensorflow.python.trackable.base: values that a checkpoint holds for variables that are made later."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight._typing import Any


class CheckpointInitialValue:
    """The value of a variable that a checkpoint holds, before the variable is made."""

    def __init__(self, checkpoint_position: Any, shape: Any = None, shard_info: Any = None) -> None:
        self.wrapped_value = checkpoint_position.value_tensors()['VARIABLE_VALUE']
        if shape is not None:
            self.wrapped_value.set_shape(shape)
        self._checkpoint_position = checkpoint_position

    checkpoint_position = property(lambda self: self._checkpoint_position)


class CheckpointInitialValueCallable:
    """The same as a function to give to a variable as its first value."""

    def __init__(self, checkpoint_position: Any) -> None:
        self._checkpoint_position = checkpoint_position

    checkpoint_position = property(lambda self: self._checkpoint_position)

    def __call__(self, shape=None, dtype=None, shard_info=None):
        return CheckpointInitialValue(self._checkpoint_position, shape, shard_info)


publish(globals())
publish(globals(), 'CheckpointInitialValue CheckpointInitialValueCallable', '__internal__.tracking')
