"""tensorflow.tools."""
