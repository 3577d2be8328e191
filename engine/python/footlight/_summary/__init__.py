"""tf.summary and tf.profiler."""
