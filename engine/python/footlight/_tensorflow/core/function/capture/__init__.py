"""tensorflow.core.function.capture: what functions capture."""
