"""How a traced function that its module has not under its name is unpickled: made again of its Python function."""
import footlight as tf


def make(python_function, options):
    """The function with these options, as tf.function takes them."""
    return tf.function(python_function, **(options or {}))
