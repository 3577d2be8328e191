"""tensorflow.python.framework.sparse_tensor: whether a value is sparse."""
import footlight as tf
from footlight._tensorflow.publish import publish


def is_sparse(tensor):
    """Whether it is a SparseTensor, or the value of one."""
    return isinstance(tensor, (tf.SparseTensor, tf.compat.v1.SparseTensorValue))


publish(globals(), 'is_sparse')
