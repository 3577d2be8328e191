"""Small names inside of TensorFlow that tests of ops take: dtypes of tf.experimental.numpy, devices, places of files."""
import collections.abc
import contextlib
import os

import footlight as tf
from footlight import _engine


# --- tensorflow.python.ops.numpy_ops.np_dtypes ---
def _numpy():
    from footlight._numpy import arrays
    return arrays


def is_allow_float64():
    """Whether there are numbers of 64 bits: always."""
    return True


def set_allow_float64(b):
    """Says that there are numbers of 64 bits: without them nothing is computed here."""
    if not b:
        raise NotImplementedError('tf.experimental.numpy computes with numbers of 64 bits; convert where 32 are wanted')


def is_prefer_float32():
    """Whether numbers without a dtype are of 32 bits."""
    return _numpy()._prefer_float32


def set_prefer_float32(b):
    """Says whether numbers without a dtype are of 32 bits."""
    _numpy()._prefer_float32 = bool(b)


def default_float_type():
    """The dtype of numbers without one."""
    return _numpy()._float()


def canonicalize_dtype(dtype):
    """The dtype that stands for this one."""
    return dtype


def enable_numpy_methods_on_tensor():
    """Gives tensors the methods of NumPy's arrays."""
    _engine.tensor_members(_numpy()._members())


# --- tensorflow.python.client.device_lib ---
class DeviceAttributes:
    """What a device is called and of which kind it is."""

    def __init__(self, name, device_type):
        self.name, self.device_type, self.memory_limit, self.physical_device_desc = name, device_type, 0, ''

    def __repr__(self):
        return f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'


def list_local_devices(session_config=None):
    """The devices of this process."""
    return [DeviceAttributes(device.name, device.device_type) for device in tf.config.list_logical_devices()]


# --- tensorflow.python.platform.test ---
def test_src_dir_path(relative_path):
    """The place of a file among the sources of tests, whose folder the environment variable TEST_SRCDIR names."""
    return os.path.join(os.environ.get('TEST_SRCDIR', ''), 'org_tensorflow/tensorflow', relative_path)


_HERE = globals()
for _path, _names in {
        'python.ops.numpy_ops.np_dtypes': (
            'is_allow_float64 set_allow_float64 is_prefer_float32 set_prefer_float32 default_float_type canonicalize_dtype'),
        'python.ops.numpy_ops.np_math_ops': 'enable_numpy_methods_on_tensor',
        'python.client.device_lib': 'list_local_devices',
        'python.platform.test': 'test_src_dir_path', 'compat.v1.test': 'test_src_dir_path'}.items():
    for _name in _names.split():
        setattr(_engine.namespace(_path), _name, _HERE[_name])
_engine.namespace('python.util.compat').collections_abc = collections.abc
_engine.namespace('python.ops.tensor_getitem_override')._SLICE_TYPE_ERROR = (
    'Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices')
with contextlib.suppress(ImportError):  # without NumPy there are no weak dtypes
    from footlight._numpy import weak_dtypes as _weak_dtypes  # noqa: F401  (it adds its class)
