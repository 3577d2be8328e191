"""tensorflow.python.data.ops."""
