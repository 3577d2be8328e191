"""tensorflow.core.function: types of functions and of their arguments."""
