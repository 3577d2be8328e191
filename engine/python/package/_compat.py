"""Names of TensorFlow 1 that take a line or two in terms of today's."""
import footlight as tf

_v1 = tf.compat.v1


def _to(dtype, own_name):
    def convert(x, name=own_name):
        return tf.cast(x, dtype, name=name)
    return convert


for _name, _dtype in (('to_float', tf.float32), ('to_double', tf.float64), ('to_int32', tf.int32), ('to_int64', tf.int64)):
    for _namespace in (tf, _v1):
        setattr(_namespace, _name, _to(_dtype, _name.title().replace('_', '')))


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Assigns a value to a variable."""
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
