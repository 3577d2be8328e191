"""tensorflow.tools.docs."""
