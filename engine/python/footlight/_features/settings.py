"""Functions, initializers and dtypes of columns as what a file of settings can hold, and back."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any

# The classes of tf.compat.v1's initializers have names of their own in such files.
_INITIALIZERS = {
    'Constant': 'constant_initializer', 'GlorotNormal': 'glorot_normal_initializer', 'GlorotUniform': 'glorot_uniform_initializer',
    'Ones': 'ones_initializer', 'Orthogonal': 'orthogonal_initializer', 'RandomNormal': 'random_normal_initializer',
    'RandomUniform': 'random_uniform_initializer', 'TruncatedNormal': 'truncated_normal_initializer',
    'VarianceScaling': 'variance_scaling_initializer', 'Zeros': 'zeros_initializer'}
_NAMES = {ours: name for name, ours in _INITIALIZERS.items()}


def written(thing):
    """A function by its name, an object with get_config() as its class and settings."""
    if thing is None:
        return None
    if hasattr(thing, 'get_config'):
        name = type(thing).__name__
        return {'class_name': _NAMES.get(name, name), 'config': thing.get_config()}
    if hasattr(thing, '__name__'):
        return thing.__name__
    raise ValueError(f'Cannot serialize {thing!r}: it has neither get_config() nor a name')


def read(config: Any, custom_objects: Any = None, what: str = 'object') -> Any:
    """What written() gave: functions and classes of the program's own are in `custom_objects`."""
    if config is None or callable(config):
        return config
    name = config if isinstance(config, str) else config['class_name']
    found = (custom_objects or {}).get(name)
    if found is None and name in _INITIALIZERS:
        found = getattr(tf.compat.v1, _INITIALIZERS[name])
    if found is None:
        raise ValueError(f'Unknown {what}: {name}; give it in custom_objects')
    if isinstance(config, str):
        return found
    return found.from_config(config['config']) if hasattr(found, 'from_config') else found(**config['config'])


def checked_shape(shape, key):
    """A shape as a tuple of sizes, none of which is less than one."""
    shape = tuple(shape) if isinstance(shape, (list, tuple, tf.TensorShape)) or hasattr(shape, '__iter__') else (shape,)
    sizes = []
    for size in shape:
        size = getattr(size, 'value', size)
        if isinstance(size, bool) or not hasattr(size, '__index__'):
            raise TypeError(f'shape dimensions must be integer. shape: {shape}, key: {key}')
        if size < 1:
            raise ValueError(f'shape dimensions must be greater than 0. shape: {shape}, key: {key}')
        sizes.append(int(size))
    return tuple(sizes)


def checked_key(key):
    """A key, which must be text."""
    if not isinstance(key, str):
        raise ValueError(f'key must be a string. Got: type {type(key)}. Given key: {key}.')
    return key
