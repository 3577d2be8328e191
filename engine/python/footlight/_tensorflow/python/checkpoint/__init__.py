"""tensorflow.python.checkpoint."""
