"""tensorflow.python.ops.numpy_ops.np_math_ops."""
from __future__ import annotations

from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.ops.numpy_ops.np_dtypes import _numpy


def enable_numpy_methods_on_tensor() -> None:
    """Gives tensors the methods of NumPy's arrays."""
    _engine.tensor_members(_numpy()._members())


publish(globals())
