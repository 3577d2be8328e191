"""tensorflow.python.training.moving_averages: averages that follow a value."""
import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable * decay + value * (1 - decay); with `zero_debias` the first values count as much as later ones."""
    value, decay = tf.convert_to_tensor(value, variable.dtype), tf.cast(decay, variable.dtype)
    if not zero_debias:
        return variable.assign_sub((variable - value) * (1 - decay), name=name)
    state = variable.__dict__ if hasattr(variable, '__dict__') else None
    kept = _averages.get(id(variable)) if state is None else state.get('_moving_average')
    if kept is None:
        with tf._eager_scope():
            kept = (tf.Variable(tf.zeros_like(variable), trainable=False, name='biased'),
                    tf.Variable(0, dtype=variable.dtype, trainable=False, name='local_step'))
        if state is None:
            _averages[id(variable)] = kept
        else:
            state['_moving_average'] = kept
    biased, step = kept
    biased_now, step_now = biased.assign_sub((biased - value) * (1 - decay)), step.assign_add(1)
    return variable.assign(biased_now / (1 - tf.pow(decay, step_now)), name=name)


_averages: dict[Any, Any] = {}
publish(globals())
publish(globals(), 'assign_moving_average', '__internal__.train')
