"""tf.io: files, examples and messages."""
