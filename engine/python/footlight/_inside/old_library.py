"""Small modules inside of TensorFlow that libraries of TensorFlow 1 import: module_wrapper, all_util, device_lib, inplace_ops."""
import collections
import re
import sys
import types

import footlight as tf
from footlight import _engine


# --- tensorflow.python.util.module_wrapper ---
class TFModuleWrapper(types.ModuleType):
    """A module around another one, some of whose names are elsewhere: {name: (module, name there)}."""

    def __init__(self, wrapped, module_name, public_apis=None, deprecation=True, has_lite=False):
        super().__init__(wrapped.__name__)
        for name, value in vars(wrapped).items():
            if name.startswith('__') and name != '__class__':
                types.ModuleType.__setattr__(self, name, value)
        self.__dict__.update(_tfmw_wrapped_module=wrapped, _tfmw_module_name=module_name, _tfmw_public_apis=public_apis or {})

    def __getattr__(self, name):
        if name.startswith('_tfmw_'):
            raise AttributeError(name)
        try:
            return getattr(self._tfmw_wrapped_module, name)
        except AttributeError:
            if name not in self._tfmw_public_apis:
                raise
        module, there = self._tfmw_public_apis[name]
        found = getattr(__import__(module, fromlist=['']), there) if module else __import__(there)
        setattr(self._tfmw_wrapped_module, name, found)
        return found

    def __setattr__(self, name, value):
        setattr(self._tfmw_wrapped_module, name, value)

    def __delattr__(self, name):
        delattr(self._tfmw_wrapped_module, name)

    def __dir__(self):
        return sorted(set(dir(self._tfmw_wrapped_module)) | set(self._tfmw_public_apis))

    def __reduce__(self):
        return __import__, (self._tfmw_wrapped_module.__name__,)


# --- tensorflow.python.util.all_util ---
_hidden = {}


def make_all(module_name, doc_string_modules=None):
    """The names that the docstrings of modules list in lines `@@name`."""
    modules = [sys.modules[module_name]] if doc_string_modules is None else doc_string_modules
    named = {name for module in modules for name in re.findall(r'^@@(\w+)$', module.__doc__ or '', re.MULTILINE)}
    return sorted(named & set(dir(sys.modules[module_name])))


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Removes from a module the names that are neither allowed nor listed in docstrings."""
    module = sys.modules[module_name]
    kept = set(make_all(module_name, doc_string_modules)) | set(allowed_exception_list or ())
    for name in dir(module):
        if name not in kept and not name.startswith('_'):
            _hidden[module_name + '.' + name] = module, getattr(module, name)
            delattr(module, name)


def reveal_undocumented(symbol_name, target_module=None):
    """Brings back a name that was removed, by its full name."""
    if symbol_name not in _hidden:
        raise LookupError('Symbol %s is not a hidden symbol' % symbol_name)
    module, value = _hidden[symbol_name]
    setattr(target_module or module, symbol_name.rpartition('.')[2], value)


# --- tensorflow.python.client.device_lib ---
_Device = collections.namedtuple('DeviceAttributes', 'name device_type memory_limit incarnation physical_device_desc')


def list_local_devices(session_config=None):
    """The devices of this machine, with what TensorFlow says of each; the memory of a GPU is not known here: 0."""
    found = []
    for device in tf.config.list_logical_devices():
        number = device.name.rpartition(':')[2]
        limit = 256 << 20 if device.device_type == 'CPU' else 0
        found.append(_Device('/device:%s:%s' % (device.device_type, number), device.device_type, limit,
                             len(found) + 1, ''))
    return found


# --- tensorflow.python.ops.inplace_ops: a tensor never changes here, so the result is what the program goes on with ---
def _rows(change):
    def update(x, i, v):
        x = tf.convert_to_tensor(x)
        v = tf.convert_to_tensor(v, x.dtype)
        if i is None:
            return change(x, None, v)
        i = tf.cast(tf.convert_to_tensor(i), tf.int32)
        if i.shape.rank == 0:
            i, v = tf.expand_dims(i, 0), tf.expand_dims(v, 0)
        return change(x, tf.expand_dims(i, 1), v)
    return update


_update = _rows(lambda x, i, v: tf.identity(v) if i is None else tf.tensor_scatter_nd_update(x, i, v))
_add = _rows(lambda x, i, v: x + v if i is None else tf.tensor_scatter_nd_add(x, i, v))
_sub = _rows(lambda x, i, v: x - v if i is None else tf.tensor_scatter_nd_sub(x, i, v))


def alias_inplace_update(x, i, v):
    """`x` with rows `i` replaced by `v`; all of it where `i` is None."""
    return _update(x, i, v)


def alias_inplace_add(x, i, v):
    """`x` with `v` added to rows `i`; to all of it where `i` is None."""
    return _add(x, i, v)


def alias_inplace_sub(x, i, v):
    """`x` with `v` subtracted from rows `i`; from all of it where `i` is None."""
    return _sub(x, i, v)


def empty(shape, dtype, init=False):
    """A tensor of zeros: TensorFlow's has any values, unless `init` is True."""
    return tf.zeros(shape, dtype)


def empty_like(x, init=None):
    """A tensor of zeros like `x`."""
    return tf.zeros_like(x)


# --- tensorflow.python.tpu.tpu_function ---
def get_tpu_context():
    """What a function replicated over TPUs knows: there are none here."""
    return types.SimpleNamespace(number_of_shards=None, set_number_of_shards=_no_shards)


def _no_shards(number_of_shards):
    raise NotImplementedError('Footlight has no TPU; leave the number of shards alone')


for _path, _objects in {
        'python.util.module_wrapper': [TFModuleWrapper],
        'python.util.all_util': [make_all, remove_undocumented, reveal_undocumented],
        'python.client.device_lib': [list_local_devices],
        'python.ops.inplace_ops': [alias_inplace_add, alias_inplace_sub, alias_inplace_update, empty, empty_like],
        'python.tpu.tpu_function': [get_tpu_context]}.items():
    for _object in _objects:
        setattr(_engine.namespace(_path), _object.__name__, _object)
for _kind in ('add', 'sub', 'update'):
    setattr(_engine.namespace('python.ops.inplace_ops'), 'inplace_' + _kind, globals()['alias_inplace_' + _kind])
