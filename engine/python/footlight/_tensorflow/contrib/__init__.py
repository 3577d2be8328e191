"""tf.contrib, as far as programs of TensorFlow 1.5 use it."""
