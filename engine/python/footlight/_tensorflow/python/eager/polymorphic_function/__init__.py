"""tensorflow.python.eager.polymorphic_function: tracing by the names that it has there."""
