"""tensorflow.python.framework.config: whether ops are deterministic."""
from __future__ import annotations

from footlight import _device_config
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def disable_op_determinism() -> None:
    """Undoes tf.config.experimental.enable_op_determinism()."""
    _device_config._be_deterministic(False)


def is_op_determinism_enabled() -> Any:
    """Whether tf.config.experimental.enable_op_determinism() was called."""
    return _device_config._deterministic()
enable_op_determinism = _device_config.enable_op_determinism
publish(globals(), 'is_op_determinism_enabled disable_op_determinism enable_op_determinism')
