"""The names of modules inside of TensorFlow (tensorflow.python...), which libraries and tests import by their place."""
