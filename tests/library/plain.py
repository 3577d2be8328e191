"""What the programs of this folder give, as JSON: values with their dtypes and shapes, errors by their class."""
import base64


def plain(value, tf):
    """Tensors of all kinds, and structures of them, as lists, dicts, numbers and strings."""
    if isinstance(value, tf.RaggedTensor):
        return ['ragged', value.dtype.name, str(value.shape), plain(value.to_list(), tf)]
    if isinstance(value, tf.SparseTensor):
        return ['sparse', plain(value.indices, tf), plain(value.values, tf), plain(value.dense_shape, tf), str(value.shape)]
    if isinstance(value, tf.IndexedSlices):
        return ['slices', plain(value.values, tf), plain(value.indices, tf)]
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return ['tensor', value.dtype.name, str(value.shape), plain(value.numpy(), tf)]
    if isinstance(value, dict):
        return {str(k): plain(v, tf) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, tf) for v in value]
    if isinstance(value, bytes):
        try:
            return value.decode('ascii')
        except UnicodeDecodeError:
            return 'base64:' + base64.b64encode(value).decode()
    if isinstance(value, complex):
        return [value.real, value.imag]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return str(value) if value != value or value in (float('inf'), float('-inf')) else float(f'{value:.5g}')
    if hasattr(value, 'tolist'):
        return plain(value.tolist(), tf)
    return str(value)


def result(case, tf):
    """What a case gives, or the class of its error."""
    try:
        return plain(case(), tf)
    except Exception as error:  # whatever TensorFlow raised is what is wanted
        return ['error', type(error).__name__]


def traced(case, tf):
    """The same inside of a traced function."""
    def both():
        return tf.function(case)()
    return result(both, tf)
