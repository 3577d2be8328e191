"""tensorflow.python.ops.functional_ops: branches and loops over functions of tensors."""
import footlight as tf
from footlight._control.functional_raw_ops import If, While, _calls
from footlight._tensorflow.publish import publish


# --- tensorflow.python.ops.functional_ops ---
def _if(cond, inputs, then_branch, else_branch, name=None):
    """The results of one of two functions, as a list."""
    return If(cond=cond, input=inputs, Tout=None, then_branch=then_branch, else_branch=else_branch, name=name)


def _while(input_, cond, body, name=None, hostmem=None):
    """What the inputs have become when the condition is false, as a list."""
    return While(input=input_, cond=cond, body=body, name=name)


def _for(start, limit, delta, inputs, body, name=None, hostmem=None, rewrite_with_while=None):
    """What the inputs have become after the body has run for start, start + delta, ... below the limit, as a list."""
    numbers = tf.range(start, limit, delta)
    values = [tf.convert_to_tensor(value) for value in inputs]
    done = tf.while_loop(lambda i, *now: i < tf.size(numbers), lambda i, *now: (i + 1, *_calls(body, (numbers[i], *now))),
                         [0, *values], name=name)
    return list(done[1:])


publish(globals(), 'If=_if While=_while For=_for')
