"""tensorflow.python.ops.numpy_ops: what tf.experimental.numpy has besides its public names."""
