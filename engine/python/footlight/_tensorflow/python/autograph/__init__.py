"""tensorflow.python.autograph: the modules inside of AutoGraph."""
