"""tensorflow.python.eager: the state of eager execution, gradients, functions."""
