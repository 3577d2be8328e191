"""tf.keras: the Keras package itself, which is loaded when the name is first used; its TensorFlow is Footlight."""
import importlib
import os
import sys

from footlight import _alias


def missing():
    """The error where the package is not installed."""
    return ImportError('tf.keras is the package Keras, which this Python does not have. Install it with: '
                       '%s -m pip install keras' % (sys.executable or 'python'), name='keras')


def load():
    """The module that `tf.keras` is."""
    os.environ.setdefault('KERAS_BACKEND', 'tensorflow')
    _alias.install()
    try:
        importlib.import_module('keras')
    except ModuleNotFoundError as error:
        if error.name != 'keras':
            raise
        raise missing() from None
    return importlib.import_module('keras._tf_keras.keras')
