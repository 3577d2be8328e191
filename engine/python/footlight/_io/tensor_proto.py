"""tf.make_tensor_proto and tf.make_ndarray: tensors as messages, and back."""
import footlight as tf
from footlight import _proto
from footlight._public import publish

_AS_BYTES = (tf.float32, tf.float64, tf.int32, tf.uint8, tf.int16, tf.int8, tf.int64, tf.uint32, tf.uint64)
_FIELD = {tf.float16: 'half_val', tf.bfloat16: 'half_val', tf.float32: 'float_val', tf.float64: 'double_val',
          tf.int32: 'int_val', tf.uint8: 'int_val', tf.uint16: 'int_val', tf.int16: 'int_val', tf.int8: 'int_val',
          tf.int64: 'int64_val', tf.uint32: 'uint32_val', tf.uint64: 'uint64_val', tf.complex64: 'scomplex_val',
          tf.complex128: 'dcomplex_val', tf.bool: 'bool_val', tf.string: 'string_val'}


def _items(tensor):
    """The elements as Python values, in row-major order."""
    flat = tf.reshape(tensor, [-1])
    if flat.dtype in (tf.float16, tf.bfloat16):
        flat = tf.bitcast(flat, tf.uint16)
    if flat.dtype.is_complex:
        flat = tf.reshape(tf.stack([tf.math.real(flat), tf.math.imag(flat)], 1), [-1])
    return flat.numpy().tolist() if flat.dtype == tf.string else memoryview(flat).tolist()


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A TensorProto of Python values, an array or an eager tensor."""
    if isinstance(values, _proto.TensorProto):
        return values
    if values is None:
        raise ValueError('None values not supported.')
    if not tf.executing_eagerly() and not any(map(tf.is_symbolic_tensor, tf.nest.flatten(values))):
        with tf._eager_scope():  # an op of a graph would have no value
            if tf.executing_eagerly():
                return make_tensor_proto(values, dtype, shape, verify_shape, allow_broadcast)
    try:
        tensor = tf.convert_to_tensor(values, dtype=dtype)
    except ValueError as error:
        if 'mixed types' in str(error):
            import numpy as np
            return make_tensor_proto(np.array(values), dtype, shape, verify_shape, allow_broadcast)
        if 'unsupported type' in str(error):
            raise TypeError(f'Failed to convert elements of {values!r} to Tensor: {error}') from None
        raise
    if tf.is_symbolic_tensor(tensor):
        raise TypeError('make_tensor_proto: a symbolic tensor has no value while its function is being traced')
    out_shape = tensor.shape if shape is None else tf.TensorShape(shape)
    size, wanted = tensor.shape.num_elements(), out_shape.num_elements()
    if (verify_shape or allow_broadcast) and shape is not None and tensor.shape != out_shape:
        if verify_shape or size != 1:
            raise TypeError(f"Expected Tensor's shape: {tuple(out_shape)}, but got {tuple(tensor.shape)}.")
    if size > wanted:
        raise ValueError(f'Too many elements provided. Takes at most {wanted}, but got {size}.')
    proto = _proto.TensorProto(dtype=tensor.dtype.as_datatype_enum, tensor_shape=_proto.shape_proto(out_shape))
    if size == wanted and wanted > 1 and tensor.dtype in _AS_BYTES:
        proto.tensor_content = memoryview(tensor).tobytes()
    else:
        getattr(proto, _FIELD[tensor.dtype]).extend(_items(tensor))
    return proto


def make_ndarray(tensor):
    """The NumPy array that a TensorProto describes."""
    import numpy as np
    shape = [d.size for d in tensor.tensor_shape.dim]
    count = int(np.prod(shape, dtype=np.int64))
    dtype = tf.as_dtype(tensor.dtype)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype=dtype.as_numpy_dtype).copy().reshape(shape)
    values = list(getattr(tensor, _FIELD[dtype]))
    if dtype == tf.string:
        values = values + values[-1:] * (count - len(values))
        return np.array(values, dtype=object).reshape(shape)
    if dtype.is_complex:
        values = [complex(re, im) for re, im in zip(values[::2], values[1::2])]
    if dtype in (tf.float16, tf.bfloat16):
        found = np.array(values, np.uint16).view(dtype.as_numpy_dtype)
    else:
        found = np.array(values, dtype=dtype.as_numpy_dtype)
    if len(found) == 0:
        return np.zeros(shape, dtype=dtype.as_numpy_dtype)
    # Missing elements repeat the last one.
    return np.pad(found, (0, count - len(found)), 'edge').reshape(shape) if len(found) < count else found.reshape(shape)


publish('tf', make_tensor_proto, make_ndarray)
