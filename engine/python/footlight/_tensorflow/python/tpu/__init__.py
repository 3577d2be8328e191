"""tensorflow.python.tpu."""
