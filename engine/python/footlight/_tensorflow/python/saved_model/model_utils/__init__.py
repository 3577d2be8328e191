"""tensorflow.python.saved_model.model_utils."""
