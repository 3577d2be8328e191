"""tensorflow.python.framework.type_spec: specs that can be batched, and members of specs that libraries read."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class BatchableTypeSpec(tf.TypeSpec):
    """A spec whose values can be stacked, as elements of a dataset are: it says what its own batch is."""

    __batch_encoder__ = None

    def _batch(self, batch_size):
        """The spec of a batch of these."""
        raise NotImplementedError(f'{type(self).__name__}._batch')

    def _unbatch(self) -> Any:
        """The spec of one of a batch."""
        raise NotImplementedError(f'{type(self).__name__}._unbatch')

    @property
    def _flat_tensor_specs(self):
        return tf.nest.flatten(self._component_specs, expand_composites=True)


# Members of the base class that specs of libraries call under their mangled private names.
def _key(self, value):
    """What stands for a part of a spec in a dict: it is hashable, and equal for equal parts."""
    if isinstance(value, dict):
        return tuple((_key(self, name), _key(self, value[name])) for name in sorted(value))
    if isinstance(value, tuple):
        return tuple(_key(self, one) for one in value)
    if isinstance(value, list):
        return list, tuple(_key(self, one) for one in value)
    if isinstance(value, tf.TensorShape):
        return tf.TensorShape, None if value.rank is None else tuple(value.as_list())
    if hasattr(value, 'tolist') and getattr(value, 'shape', ()):  # an array
        return type(value), value.shape, _key(self, value.tolist())
    return value


def _fits(a, b):
    """Whether a part of a spec is compatible with another spec's: classes and keys are equal, specs and shapes compatible."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_fits, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and sorted(a) == sorted(b) and all(_fits(a[name], b[name]) for name in a)
    if isinstance(a, (tf.TypeSpec, tf.TensorShape, tf.DType)):
        return a.is_compatible_with(b)
    return a == b


_engine.extend(tf.TypeSpec, '_TypeSpec__make_cmp_key', _key)
_engine.extend(tf.TypeSpec, '_TypeSpec__is_compatible', staticmethod(_fits))
_engine.extend(tf.TypeSpec, '_flat_tensor_specs', property(
    lambda self: tf.nest.flatten(self._component_specs, expand_composites=True), doc='The specs of its tensors, in a row.'))
_engine.extend(tf.Tensor, '_shape_tuple', lambda self: None if self.shape.rank is None else tuple(self.shape.as_list()))
publish(globals())
