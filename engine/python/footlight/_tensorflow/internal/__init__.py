"""tf.__internal__: what Keras and libraries like it take from TensorFlow besides the public names."""
