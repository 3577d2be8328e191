"""tensorflow.python.ops.map_ops: maps from tensors to tensors, as values, by TensorFlow's functions."""
import footlight as tf
from footlight._tensorflow.publish import publish

_ops = tf.raw_ops


def empty_tensor_map():
    """A map without entries."""
    return _ops.EmptyTensorMap()


def tensor_map_size(input_handle):
    """The number of entries."""
    return _ops.TensorMapSize(input_handle=input_handle)


def tensor_map_insert(input_handle, key, value):
    """The map with this value for a key."""
    return _ops.TensorMapInsert(input_handle=input_handle, key=key, value=value)


def tensor_map_lookup(input_handle, key, value_dtype):
    """The value for a key, which must be there."""
    return _ops.TensorMapLookup(input_handle=input_handle, key=key, value_dtype=value_dtype)


def tensor_map_erase(input_handle, key, value_dtype):
    """The map without a key, which must be there."""
    return _ops.TensorMapErase(input_handle=input_handle, key=key, value_dtype=value_dtype)


def tensor_map_has_key(input_handle, key):
    """Whether the map has a key."""
    return _ops.TensorMapHasKey(input_handle=input_handle, key=key)


def tensor_map_stack_keys(input_handle, key_dtype):
    """All keys, which must have one shape, along a new first dimension."""
    return _ops.TensorMapStackKeys(input_handle=input_handle, key_dtype=key_dtype)


publish(globals())
