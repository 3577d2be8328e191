"""tensorflow.python.lib.io: files."""
