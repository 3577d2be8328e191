"""tf.nn and tf.initializers, as far as they are written in Python."""
