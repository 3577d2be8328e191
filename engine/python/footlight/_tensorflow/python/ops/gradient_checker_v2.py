"""tensorflow.python.ops.gradient_checker_v2: how far two Jacobians are apart."""
from footlight._tensorflow.publish import publish


def max_error(grad1, grad2):
    """The greatest difference between the Jacobians of two lists."""
    import numpy as np
    error = 0.
    for one, other in zip(grad1, grad2):
        if np.size(one) or np.size(other):
            error = np.maximum(error, np.fabs(one - other).max())
    return error


publish(globals())
