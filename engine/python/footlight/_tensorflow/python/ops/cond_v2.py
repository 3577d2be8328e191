"""tensorflow.python.ops.cond_v2: branches."""
import footlight as tf
from footlight._tensorflow.publish import publish


# --- tensorflow.python.ops.cond_v2 and while_v2 ---
def cond_v2(pred, true_fn, false_fn, name='cond'):
    """What one of two functions returns."""
    return tf.cond(pred, true_fn, false_fn, name)


def indexed_case(branch_index, branch_fns, name='indexed_case', lower_using_switch_merge=None):
    """What the function of that number returns; the last one's for all other numbers."""
    return tf.switch_case(branch_index, branch_fns, name=name)


publish(globals(), 'cond_v2 indexed_case')
