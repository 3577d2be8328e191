"""tf.keras: the Keras package itself, which is loaded when the name is first used; its TensorFlow is Footlight."""
import importlib
import importlib.util
import os
import sys

from footlight import _alias


def command():
    """What installs the package for this Python."""
    return '%s -m pip install keras' % (sys.executable or 'python')


def load():
    """The module that `tf.keras` is."""
    if 'keras' not in sys.modules and importlib.util.find_spec('keras') is None:
        raise ImportError('tf.keras is the package Keras, which this Python does not have. Install it with: ' + command(),
                          name='keras')
    os.environ.setdefault('KERAS_BACKEND', 'tensorflow')
    _alias.install()
    return importlib.import_module('keras._tf_keras.keras')
