"""tf.test."""
