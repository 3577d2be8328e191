"""tensorflow.python.data.util."""
