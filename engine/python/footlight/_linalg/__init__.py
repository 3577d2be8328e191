"""tf.linalg beyond its ops: linear operators."""
