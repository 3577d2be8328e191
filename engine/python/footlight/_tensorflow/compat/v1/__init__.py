"""tf.compat.v1: what TensorFlow 1 has in a form of its own. Names that are those of today are in public_names.py."""
