"""tf.data: how pipelines are written; the engine runs them."""
