"""How a traced function that its module has not under its name is unpickled: made again of its Python function."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, Callable


def make(python_function: Callable[..., Any], options: Any) -> Callable[..., Any]:
    """The function with these options, as tf.function takes them."""
    return tf.function(python_function, **(options or {}))
