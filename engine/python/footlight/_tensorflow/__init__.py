"""TensorFlow's inner modules and tf.compat.v1, for programs that import them: a file lies where TensorFlow has it."""
