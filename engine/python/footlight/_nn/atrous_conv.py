"""tf.nn.atrous_conv2d_transpose: the gradient of a dilated convolution of images, as a function of its own."""
import footlight as tf
from footlight._public import publish


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Images of the shape `output_shape` of which atrous_conv2d would be `value`: its transpose.

    filters: [height, width, output channels, input channels]; rate: how far apart the elements of the filter are.
    """
    with tf.name_scope(name or 'atrous_conv2d_transpose'):
        value, filters = tf.convert_to_tensor(value, name='value'), tf.convert_to_tensor(filters, name='filters')
        if not value.shape[3:].is_compatible_with(filters.shape[3:]):
            raise ValueError('`value` channel count must be compatible with `filters` input channel count. Received: '
                             f'value.shape={value.shape} with channel count {value.shape[3]} and filters.shape={filters.shape} '
                             f'with input channel count {filters.shape[3]}.')
        if rate < 1:
            raise ValueError(f'`rate` cannot be less than one. Received: rate={rate}')
        output_shape = tf.convert_to_tensor(output_shape, name='output_shape')
        if not output_shape.shape.is_compatible_with([4]):
            raise ValueError(f'`output_shape` must have shape (4,). Received: output_shape={output_shape.shape}')
        if padding not in ('SAME', 'VALID'):
            raise ValueError(f'`padding` must be either VALID or SAME. Received: padding={padding}')
        known = tf.get_static_value(output_shape)
        if known is not None and not filters.shape[2:3].is_compatible_with([int(known[3])]):
            raise ValueError('`output_shape` channel count must be compatible with `filters` output channel count. Received: '
                             f'output_shape={known} and filters.shape={filters.shape}.')
        return tf.raw_ops.Conv2DBackpropInput(input_sizes=tf.cast(output_shape, tf.int32), filter=filters, out_backprop=value,
                                              strides=[1, 1, 1, 1], padding=padding, dilations=[1, rate, rate, 1])


publish('tf.nn', atrous_conv2d_transpose)
