"""tensorflow.compiler."""
