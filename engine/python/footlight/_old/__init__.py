"""What is only in TensorFlow 1: tf.compat.v1, tf.layers, tf.contrib."""
