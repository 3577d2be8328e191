"""tensorflow.python.client.device_lib: the devices of this machine."""
import footlight as tf
from footlight._tensorflow.publish import publish


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


publish(globals(), 'list_local_devices')
