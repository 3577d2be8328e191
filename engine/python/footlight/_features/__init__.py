"""tf.feature_column: how features of examples (numbers, words, ids) become the tensors of a model."""
