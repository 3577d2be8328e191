"""tensorflow.python.ops.functional_ops: branches and loops over functions of tensors."""
from __future__ import annotations

import footlight as tf
from footlight._control.functional_raw_ops import If, While, _calls
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def _if(cond: tf.Tensor, inputs: list[Any], then_branch: Any, else_branch: Any, name: str | None = None) -> list[Any]:
    """The results of one of two functions, as a list."""
    return If(cond=cond, input=inputs, Tout=None, then_branch=then_branch, else_branch=else_branch, name=name)


def _while(input_: list[Any], cond: Any, body: Callable[..., Any], name: str | None = None,
           hostmem: Any = None) -> list[Any]:
    """What the inputs have become when the condition is false, as a list."""
    return While(input=input_, cond=cond, body=body, name=name)


def _for(start: int, limit: int, delta: int, inputs: list[Any], body: Callable[..., Any], name: str | None = None,
         hostmem: Any = None, rewrite_with_while: Any = None) -> list[Any]:
    """What the inputs have become after the body has run for start, start + delta, ... below the limit, as a list."""
    numbers = tf.range(start, limit, delta)
    values = [tf.convert_to_tensor(value) for value in inputs]
    done = tf.while_loop(lambda i, *now: i < tf.size(numbers), lambda i, *now: (i + 1, *_calls(body, (numbers[i], *now))),
                         [0, *values], name=name)
    return list(done[1:])


publish(globals(), 'If=_if While=_while For=_for')
