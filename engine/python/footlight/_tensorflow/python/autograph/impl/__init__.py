"""tensorflow.python.autograph.impl: which functions are converted, and how they are called."""
