"""tf.DeviceSpec, the classes of tf.config and its settings."""
from __future__ import annotations

import collections
import os

import footlight as tf
from footlight import _engine
from footlight._public import alias
from footlight._typing import Any

_config = _engine.namespace('_config')


class DeviceSpec:
    """A full or partial device name: None matches anything."""
    __slots__ = ('_job', '_replica', '_task', '_device_type', '_device_index')

    def __init__(self, job: Any = None, replica: Any = None, task: Any = None, device_type: str | None = None,
                 device_index: int | None = None) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        device_type = None if device_type is None else str(device_type)
        self._device_type = device_type.upper() if device_type in ('cpu', 'gpu') else device_type
        self._device_index = None if device_index is None else int(device_index)

    job = property(lambda self: self._job)
    replica = property(lambda self: self._replica)
    task = property(lambda self: self._task)
    device_type = property(lambda self: self._device_type)
    device_index = property(lambda self: self._device_index)

    def _fields(self) -> dict[Any, Any]:
        return {name[1:]: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_string(cls, spec: Any) -> DeviceSpec:
        return cls(**_parsed(spec))

    def parse_from_string(self, spec):
        return self.from_string(spec)

    def replace(self, **kwargs):
        return type(self)(**{**self._fields(), **kwargs})

    def make_merged_spec(self, dev):
        return type(self)(**{**self._fields(), **{k: v for k, v in dev._fields().items() if v is not None}})

    def to_string(self) -> str:
        out = ''.join(f'/{name}:{value}' for name, value in self._fields().items()
                      if value is not None and name in ('job', 'replica', 'task'))
        if self._device_type is not None:
            out += f'/device:{self._device_type}:{"*" if self._device_index is None else self._device_index}'
        return out

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{name}={value}' for name, value in self._fields().items())})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return DeviceSpec, tuple(self._fields().values())


_TYPES = ('CPU', 'GPU', 'TPU', 'XLA_CPU', 'XLA_GPU', 'TPU_SYSTEM')


def _parsed(spec):
    found = {}
    if not spec:
        return found
    for part in spec.split('/'):
        if not part:
            continue
        words = part.split(':')
        if len(words) == 2 and words[0] in ('job', 'replica', 'task'):
            found[words[0]] = words[1] if words[0] == 'job' else int(words[1])
        elif (len(words) == 3 and words[0] == 'device') or words[0].upper() in _TYPES:
            if 'device_type' in found:
                raise ValueError(f'Multiple device types are not allowed while parsing the device spec: {spec}.')
            words = words[1:] if words[0] == 'device' else words
            found['device_type'] = words[0].upper()
            if len(words) > 1 and words[1] != '*':
                found['device_index'] = int(words[1])
        else:
            raise ValueError(f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: '{spec}'.")
    return found


class LogicalDeviceConfiguration(collections.namedtuple(
        'LogicalDeviceConfiguration', ['memory_limit', 'experimental_priority', 'experimental_device_ordinal'],
        defaults=(None, None, None))):
    """The share of a physical device that a logical device gets."""


class PhysicalDevice(collections.namedtuple('PhysicalDevice', ['name', 'device_type'])):
    """A device of this machine."""


class LogicalDevice(collections.namedtuple('LogicalDevice', ['name', 'device_type'])):
    """A device that ops run on."""


_visible = None        # None means all devices
_configurations: dict[PhysicalDevice, list[LogicalDeviceConfiguration] | None] = {}
_growth: dict[PhysicalDevice, bool] = {}
_tensor_float_32 = True
_log_placement = False


def _all_devices() -> list[Any]:
    return [PhysicalDevice(f'/physical_device:{kind}:{index}', kind) for kind, index in _config.devices()]


def list_physical_devices(device_type: Any = None) -> list[Any]:
    """The devices of this machine, all or those of one type ('CPU', 'GPU')."""
    return [d for d in _all_devices() if device_type is None or d.device_type == device_type]


def _known(device: Any) -> None:
    if not isinstance(device, PhysicalDevice) or device not in _all_devices():
        raise ValueError(f'Unrecognized device: {device!r}; this machine has {_all_devices()}')


def _must_not_run(what: Any) -> None:
    if _config.has_run():
        raise RuntimeError(f'{what} cannot be modified after being initialized: set it before the first op runs')


def get_visible_devices(device_type: Any = None) -> list[Any]:
    """The devices of this machine that the program may use."""
    shown = _all_devices() if _visible is None else _visible
    return [d for d in shown if device_type is None or d.device_type == device_type]


def set_visible_devices(devices: Any, device_type: Any = None) -> None:
    """Sets the devices that the program may use, of all types or of one."""
    global _visible
    devices = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    for device in devices:
        _known(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f'Unrecognized device: {device!r} is no {device_type}')
    kept = [] if device_type is None else [d for d in get_visible_devices() if d.device_type != device_type]
    wanted = sorted(kept + devices, key=lambda d: d.name)
    if wanted == sorted(get_visible_devices(), key=lambda d: d.name):
        return
    _must_not_run('Visible devices')
    _visible = wanted


def list_logical_devices(device_type=None):
    """The devices that ops can run on."""
    out, count = [], {}
    for device in get_visible_devices():
        for _ in _configurations.get(device) or [None]:
            index = count.get(device.device_type, 0)
            count[device.device_type] = index + 1
            out.append(LogicalDevice(f'/device:{device.device_type}:{index}', device.device_type))
    return [d for d in out if device_type is None or d.device_type == device_type]


def get_logical_device_configuration(device):
    """The configurations that were set for a physical device, or None."""
    _known(device)
    found = _configurations.get(device)
    return None if found is None else list(found)


def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Splits a physical device into logical ones."""
    _known(device)
    wanted = list(logical_devices) if logical_devices is not None else None
    if wanted == _configurations.get(device):
        return
    for one in wanted or ():
        if device.device_type == 'CPU' and (one.memory_limit is not None or one.experimental_priority is not None):
            raise ValueError('Setting memory limit or priority on CPU virtual devices is currently not supported')
    _must_not_run('Virtual devices')
    _configurations[device] = wanted


def get_memory_growth(device):
    """Whether GPU memory is allocated as needed."""
    _known(device)
    if device.device_type != 'GPU':
        raise KeyError(device)
    return _growth.get(device)


def set_memory_growth(device: Any, enable: Any) -> None:
    """Sets whether GPU memory is allocated as needed: it always is, so the value is only stored."""
    _known(device)
    if device.device_type != 'GPU':
        raise ValueError('Cannot set memory growth on non-GPU and non-Pluggable devices')
    _growth[device] = bool(enable)


def get_device_details(device):
    """Details of a GPU: its name and compute capability. Empty for other devices."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f'device must be a tf.config.PhysicalDevice, but got: {device!r}')
    if device.device_type != 'GPU':
        return {}
    return _config.gpu_details(int(device.name.rpartition(':')[2]))


def _memory_device(device: Any) -> tuple[Any, ...]:
    import re  # not at the top: few scripts need it, and importing footlight should be fast
    match = re.fullmatch(r'(?:/device:|/)?([A-Za-z_]+):(\d+)', device) if isinstance(device, str) else None
    if not match:
        raise ValueError(f"Failed parsing device name: {device!r}. Note a valid device string should at least contain a "
                         'device type and a device index, like "GPU:0".')
    wanted = f'/device:{match[1].upper()}:{match[2]}'
    if all(d.name != wanted for d in list_logical_devices()):
        raise ValueError(f'No matching devices found for {device!r}')
    return match[1].upper(), int(match[2])


def get_memory_info(device: Any) -> dict[Any, Any]:
    """Bytes in use on a device: current and peak. Host memory is not counted and reported as 0."""
    kind, _ = _memory_device(device)
    if kind != 'CPU':
        raise NotImplementedError('the memory of a GPU is not counted')
    return {'current': 0, 'peak': 0}


def reset_memory_stats(device: Any) -> None:
    """Resets the peak of get_memory_info."""
    get_memory_info(device)


def tensor_float_32_execution_enabled() -> Any:
    return _tensor_float_32


def enable_tensor_float_32_execution(enabled: Any) -> None:
    """Whether products on a GPU may round their inputs to 10 digits of mantissa."""
    global _tensor_float_32
    _tensor_float_32 = bool(enabled)


_is_deterministic = False


def enable_op_determinism() -> None:
    """Makes random ops without any seed an error. Kernels give the same digits from run to run anyway."""
    global _is_deterministic
    _is_deterministic = True
    _config.want_seeds(True)


def _be_deterministic(wanted: Any) -> None:
    global _is_deterministic
    _is_deterministic = wanted
    _config.want_seeds(wanted)


def _deterministic() -> Any:
    return _is_deterministic


def set_log_device_placement(enabled: Any) -> None:
    """Whether each op says where it runs, on standard error."""
    global _log_placement
    _log_placement = bool(enabled)
    _config.log_placement(_log_placement)


def get_log_device_placement() -> Any:
    return _log_placement


def get_logger() -> Any:
    """The logger of the library, of Python's logging."""
    import logging  # not at the top: it would take a fifth of the import time
    logger = logging.getLogger('tensorflow')
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter('%(levelname)s:%(name)s:%(message)s'))
        logger.addHandler(handler)
    return logger


def gpu_device_name() -> Any:
    """The name of the first GPU, or ''."""
    found = list_logical_devices('GPU')
    return found[0].name if found else ''


def is_built_with_cuda() -> Any:
    """Whether Footlight was built with CUDA."""
    chosen = os.environ.get('FOOTLIGHT_CUDA_PART')
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.exists(chosen or os.path.join(here, '..', '..', 'lib', 'libfootlight-cuda.so'))


def is_built_with_gpu_support() -> Any:
    return is_built_with_cuda()


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU, of at least this compute capability."""
    for device in list_physical_devices('GPU'):
        capability = get_device_details(device).get('compute_capability', (0, 0))
        if min_cuda_compute_capability is None or capability >= tuple(min_cuda_compute_capability):
            return True
    return False


alias('tf', DeviceSpec, get_logger)
alias('tf.config', LogicalDeviceConfiguration, PhysicalDevice, LogicalDevice, list_physical_devices,
      get_visible_devices, set_visible_devices, list_logical_devices, get_logical_device_configuration,
      set_logical_device_configuration)
alias('tf.config.experimental', get_memory_growth, set_memory_growth, get_device_details, get_memory_info,
      reset_memory_stats, tensor_float_32_execution_enabled, enable_tensor_float_32_execution, enable_op_determinism,
      list_physical_devices, list_logical_devices, get_visible_devices, set_visible_devices, _deterministic)
alias('tf.config.experimental', get_virtual_device_configuration=get_logical_device_configuration,
      set_virtual_device_configuration=set_logical_device_configuration,
      VirtualDeviceConfiguration=LogicalDeviceConfiguration)
alias('tf.debugging', set_log_device_placement, get_log_device_placement)
alias('tf.test', gpu_device_name, is_built_with_cuda, is_built_with_gpu_support, is_gpu_available)
# The version is that of the TensorFlow whose behaviour is re-created.
alias('tf.version', VERSION='2.21.0', GIT_VERSION='v2.21.0-footlight')
