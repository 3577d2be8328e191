"""tensorflow.python.framework.smart_cond: a case of which the predicates may be known."""
import footlight as tf
from footlight._tensorflow.publish import publish


def smart_case(pred_fn_pairs, default=None, exclusive=False, name='smart_case'):
    """What the first function returns whose condition holds, called at once where that is known."""
    from footlight._tensorflow.internal import for_keras as _for_keras
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pred, fn in pairs:
        known = _for_keras.smart_constant_value(pred)
        if known is None:
            return tf.case(pairs, default, exclusive, name=name)
        if known:
            return fn()
    return default()


publish(globals())
