"""tensorflow.python.ops.while_v2: loops."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
               parallel_iterations: int = 10, maximum_iterations: Any = None, name: str | None = None,
               return_same_structure: bool = True, back_prop: bool = True) -> Any:
    """What the loop variables are when the condition is false."""
    results = tf.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop,
                            maximum_iterations=maximum_iterations, name=name)
    return results if return_same_structure or len(results) != 1 else results[0]


publish(globals())
