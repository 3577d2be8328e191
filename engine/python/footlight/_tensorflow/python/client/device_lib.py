"""tensorflow.python.client.device_lib: the devices of this machine."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class DeviceAttributes:
    """What a device is called and of which kind it is."""

    def __init__(self, name: str, device_type: str) -> None:
        self.name, self.device_type, self.memory_limit, self.physical_device_desc = name, device_type, 0, ''

    def __repr__(self) -> str:
        return f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this process."""
    return [DeviceAttributes(device.name, device.device_type) for device in tf.config.list_logical_devices()]


publish(globals(), 'list_local_devices')
