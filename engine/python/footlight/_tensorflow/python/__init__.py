"""tensorflow.python: modules inside of TensorFlow, which libraries and tests import by their place."""
