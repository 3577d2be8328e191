"""tensorflow.core."""
