"""tensorflow.python.autograph.converters."""
