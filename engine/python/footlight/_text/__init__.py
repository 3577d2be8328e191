"""tf.strings and tf.compat.as_text."""
