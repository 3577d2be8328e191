"""tf.sysconfig: how the engine was built."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def get_build_info() -> dict[Any, Any]:
    """How the engine was built: keys as in TensorFlow."""
    return {'is_cuda_build': tf.test.is_built_with_cuda(), 'is_rocm_build': False, 'is_tensorrt_build': False,
            'cpu_compiler': 'g++', 'msvcp_dll_names': ''}


def get_include() -> Any:
    raise NotImplementedError('tf.sysconfig.get_include: ops in C++ are not compiled against this engine')


publish(globals())
