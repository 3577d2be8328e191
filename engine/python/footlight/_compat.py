"""Names of TensorFlow 1 that are a line or two over today's."""
import footlight as tf

_v1 = tf.compat.v1


def _to(dtype):
    def convert(x, name=None):
        return tf.cast(x, dtype, name=name)
    return convert


for _name, _dtype in (('to_float', tf.float32), ('to_double', tf.float64), ('to_int32', tf.int32), ('to_int64', tf.int64)):
    for _namespace in (tf, _v1):
        setattr(_namespace, _name, _to(_dtype))


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Gives a variable another value."""
    return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """Adds to a variable."""
    return ref.assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from a variable."""
    return ref.assign_sub(value, name=name)


for _f in (assign, assign_add, assign_sub):
    setattr(_v1, _f.__name__, _f)
    setattr(tf, _f.__name__, _f)


class glorot_uniform_initializer:
    """Numbers evenly from -limit to limit, with limit = sqrt(6 / (inputs + outputs))."""

    def __init__(self, seed=None, dtype=tf.float32):
        self.seed, self.dtype = seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        shape = [int(d) for d in shape]
        field = 1
        for d in shape[:-2]:
            field *= d
        inputs = (shape[-2] if len(shape) > 1 else shape[0] if shape else 1) * field
        outputs = (shape[-1] if shape else 1) * field
        limit = (6.0 / max(1.0, inputs + outputs)) ** 0.5
        return tf.random.uniform(shape, -limit, limit, dtype or self.dtype, seed=self.seed)


for _namespace in (tf, _v1):
    _namespace.glorot_uniform_initializer = glorot_uniform_initializer
