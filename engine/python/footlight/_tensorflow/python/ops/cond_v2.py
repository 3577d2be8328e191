"""tensorflow.python.ops.cond_v2: branches."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable, TensorLike


def cond_v2(pred: TensorLike, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
            name: str | None = 'cond') -> int:
    """What one of two functions returns."""
    return tf.cond(pred, true_fn, false_fn, name)


def indexed_case(branch_index, branch_fns, name='indexed_case', lower_using_switch_merge=None):
    """What the function of that number returns; the last one's for all other numbers."""
    return tf.switch_case(branch_index, branch_fns, name=name)


publish(globals())
