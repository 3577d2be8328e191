"""tf.compat.v1.distributions: probability distributions as TensorFlow 1 has them, and their divergences."""
