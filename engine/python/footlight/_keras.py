"""tf.keras: the Keras package itself, which is loaded when the name is first used; its TensorFlow is Footlight."""
from __future__ import annotations

import importlib
import os
import sys

from footlight import _alias
from footlight._typing import Any


def _is_second() -> bool:
    """Whether the program asks for Keras 2, the package tf_keras."""
    return os.environ.get('TF_USE_LEGACY_KERAS') in ('1', 'true', 'True')


def missing() -> Any:
    """The error where the package is not installed."""
    what, package = ('Keras 2, because TF_USE_LEGACY_KERAS is set', 'tf_keras') if _is_second() else ('Keras', 'keras')
    return ImportError(f'tf.keras is the package {what}, which this Python does not have. Install it with: '
                       f"{sys.executable or 'python'} -m pip install {package}", name=package)


def load() -> Any:
    """The module that `tf.keras` is."""
    os.environ.setdefault('KERAS_BACKEND', 'tensorflow')
    _alias.install()
    package = 'tf_keras' if _is_second() else 'keras'
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise missing() from None
    return importlib.import_module('tf_keras.api._v2.keras' if _is_second() else 'keras._tf_keras.keras')
