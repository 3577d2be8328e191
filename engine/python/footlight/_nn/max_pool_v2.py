"""The raw op MaxPoolV2: largest values of windows, whose sizes are inputs."""
import footlight as tf


def _known(value, name):
    found = tf.get_static_value(tf.convert_to_tensor(value, tf.int32))
    if found is None:
        raise ValueError(f'MaxPoolV2 needs a {name} that is known while tracing')
    return found.tolist()


def max_pool(*, input, ksize, strides, padding, data_format='NHWC', name=None):
    """The op MaxPool with sizes that are tensors."""
    return tf.raw_ops.MaxPool(input=input, ksize=_known(ksize, 'ksize'), strides=_known(strides, 'strides'), padding=padding,
                              data_format=data_format, name=name)


RAW = {'MaxPoolV2': max_pool}
