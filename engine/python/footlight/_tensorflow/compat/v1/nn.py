"""tf.compat.v1.nn: functions whose parameters were renamed or put in another order since."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._tensorflow.compat.v1.renamed_arguments import _one
from footlight._typing import Any, TensorLike

_nn = _engine.namespace('compat.v1.nn')


def softmax(logits: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """exp(logits), divided by their sum."""
    return tf.nn.softmax(logits, _one(axis, dim, 'axis', 'dim'), name)


def log_softmax(logits: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The logarithm of softmax."""
    return tf.nn.log_softmax(logits, _one(axis, dim, 'axis', 'dim'), name)


def sparse_softmax_cross_entropy_with_logits(_sentinel: Any = None, labels: Any = None, logits: Any = None,
                                             name: str | None = None) -> Any:
    """The cross entropy of labels, which are numbers of classes, and of the softmax of logits."""
    _named('sparse_softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


def _named(what: Any, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None:
        raise ValueError(f'Only call `{what}` with named arguments (labels=..., logits=..., ...).')
    if labels is None or logits is None:
        raise ValueError('Both `labels` and `logits` must be provided.')


def weighted_cross_entropy_with_logits(labels: Any = None, logits: Any = None, pos_weight: Any = None,
                                       name: str | None = None, targets: Any = None) -> Any:
    """The cross entropy of the sigmoid of logits; what is true counts `pos_weight` times."""
    return tf.nn.weighted_cross_entropy_with_logits(_one(labels, targets, 'labels', 'targets'), logits, pos_weight, name)


def in_top_k(predictions: TensorLike, targets: Any, k: Any, name: str | None = None) -> Any:
    """Whether the target is one of the k largest predictions."""
    return tf.math.in_top_k(targets, predictions, k, name)


def crelu(features: TensorLike, name: str | None = None, axis: Any = -1) -> Any:
    """relu of the values and of their negatives, side by side."""
    return tf.nn.crelu(features, axis, name)


def avg_pool2d(value: TensorLike | None = None, ksize: Any = None, strides: Any = None, padding: Any = None,
               data_format: str = 'NHWC', name: str | None = None, input: TensorLike | None = None) -> Any:
    """Means of windows of images."""
    return tf.nn.avg_pool2d(_one(value, input, 'value', 'input'), ksize, strides, padding, data_format, name)


def max_pool_with_argmax(input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = 'NHWC',
                         Targmax: Any = None, name: str | None = None, output_dtype: Any = None,
                         include_batch_in_index: bool = False) -> Any:
    """Largest values of windows, and where they are."""
    dtype = output_dtype or Targmax or tf.int64
    return tf.nn.max_pool_with_argmax(input, ksize, strides, padding, data_format, dtype, include_batch_in_index, name)


def conv1d(value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None,
           use_cudnn_on_gpu: Any = None, data_format: Any = None, name: str | None = None, input: Any = None,
           dilations: Any = None) -> Any:
    """A convolution of sequences."""
    return tf.nn.conv1d(_one(value, input, 'value', 'input'), filters, stride, padding, data_format or 'NWC', dilations, name)


def conv3d(input: TensorLike, filter: TensorLike | None = None, strides: Any = None, padding: Any = None,
           data_format: str = 'NDHWC', dilations: Any = [1, 1, 1, 1, 1], name: str | None = None,
           filters: TensorLike | None = None) -> Any:
    """A convolution of volumes."""
    return tf.nn.conv3d(input, _one(filter, filters, 'filter', 'filters'), strides, padding, data_format, dilations, name)


def conv2d_transpose(value: TensorLike | None = None, filter: TensorLike | None = None, output_shape: Any = None,
                     strides: Any = None, padding: str = 'SAME', data_format: str = 'NHWC', name: str | None = None,
                     input: TensorLike | None = None, filters: TensorLike | None = None, dilations: Any = None) -> Any:
    """The transpose of a convolution of images."""
    return tf.nn.conv2d_transpose(_one(value, input, 'value', 'input'), _one(filter, filters, 'filter', 'filters'), output_shape,
                                  strides, padding, data_format, dilations, name)


def conv3d_transpose(value: TensorLike, filter: TensorLike | None = None, output_shape: Any = None, strides: Any = None,
                     padding: str = 'SAME', data_format: str = 'NDHWC', name: str | None = None,
                     input: TensorLike | None = None, filters: TensorLike | None = None, dilations: Any = None) -> Any:
    """The transpose of a convolution of volumes."""
    return tf.nn.conv3d_transpose(_one(value, input, 'value', 'input'), _one(filter, filters, 'filter', 'filters'), output_shape,
                                  strides, padding, data_format, dilations, name)


def convolution(input: TensorLike, filter: TensorLike, padding: Any, strides: Any = None, dilation_rate: Any = None,
                name: str | None = None, data_format: str | None = None, filters: TensorLike | None = None,
                dilations: Any = None) -> Any:
    """A convolution over any number of dimensions."""
    return tf.nn.convolution(input, _one(filter, filters, 'filter', 'filters'), strides, padding, data_format,
                             _one(dilation_rate, dilations, 'dilation_rate', 'dilations'), name)


def depthwise_conv2d(input: TensorLike, filter: TensorLike, strides: Any, padding: Any, rate: Any = None,
                     name: str | None = None, data_format: str | None = None, dilations: Any = None) -> Any:
    """A convolution of each channel of images by itself."""
    return tf.nn.depthwise_conv2d(input, filter, strides, padding, data_format, _one(dilations, rate, 'dilations', 'rate'), name)


def depthwise_conv2d_native(input: TensorLike, filter: TensorLike, strides: Any, padding: Any,
                            data_format: str = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """A convolution of each channel of images by itself."""
    return tf.nn.depthwise_conv2d(input, filter, strides, padding, data_format, list(dilations)[1:3], name)


def separable_conv2d(input: TensorLike, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
                     rate: Any = None, name: str | None = None, data_format: str | None = None,
                     dilations: Any = None) -> Any:
    """A convolution of each channel, then one of all channels of a pixel."""
    return tf.nn.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format,
                                  _one(dilations, rate, 'dilations', 'rate'), name)


def dilation2d(input: TensorLike, filter: TensorLike | None = None, strides: Any = None, rates: Any = None,
               padding: Any = None, name: str | None = None, filters: TensorLike | None = None,
               dilations: Any = None) -> Any:
    """The largest sums of windows and of a filter."""
    return tf.nn.dilation2d(input, _one(filter, filters, 'filter', 'filters'), strides, padding, 'NHWC',
                            _one(rates, dilations, 'rates', 'dilations'), name)


def pool(input: TensorLike, window_shape: Any, pooling_type: Any, padding: Any, dilation_rate: Any = None,
         strides: Any = None, name: str | None = None, data_format: str | None = None, dilations: Any = None) -> Any:
    """Means or largest values of windows over any number of dimensions."""
    return tf.nn.pool(input, window_shape, pooling_type, strides, padding, data_format,
                      _one(dilation_rate, dilations, 'dilation_rate', 'dilations'), name)


def _whole(params, partition_strategy):
    """The table, which may be given in parts: by the remainder of a row's number ('mod'), or one after the other ('div')."""
    if partition_strategy not in ('mod', 'div'):
        raise ValueError(f'Unrecognized partition strategy: {partition_strategy}. Must be one of either `mod` or `div`.')
    if not isinstance(params, (list, tuple)) or len(params) == 1:
        return params[0] if isinstance(params, (list, tuple)) else params
    parts = [tf.convert_to_tensor(p) for p in params]
    if partition_strategy == 'div':
        return tf.concat(parts, 0)
    rows, count = [tf.shape(p)[0] for p in parts], len(parts)
    return tf.dynamic_stitch([tf.range(n) * count + i for i, n in enumerate(rows)], parts)


def embedding_lookup(params: TensorLike, ids: Any, partition_strategy: str = 'mod', name: str | None = None,
                     validate_indices: bool = True, max_norm: Any = None) -> Any:
    """Rows of a table by their numbers."""
    return tf.nn.embedding_lookup(_whole(params, partition_strategy), ids, max_norm, name)


def embedding_lookup_sparse(params: TensorLike, sp_ids: Any, sp_weights: Any, partition_strategy: str = 'mod',
                            name: str | None = None, combiner: Any = None, max_norm: Any = None,
                            allow_fast_lookup: bool = False) -> Any:
    """Rows of a table by their numbers, combined for each row of a sparse tensor."""
    return tf.nn.embedding_lookup_sparse(_whole(params, partition_strategy), sp_ids, sp_weights, combiner or 'mean', max_norm, name)


def safe_embedding_lookup_sparse(embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None,
                                 combiner: str = 'mean', default_id: Any = None, name: str | None = None,
                                 partition_strategy: str = 'div', max_norm: Any = None,
                                 allow_fast_lookup: bool = False) -> Any:
    """embedding_lookup_sparse where rows may be empty and numbers negative."""
    return tf.nn.safe_embedding_lookup_sparse(_whole(embedding_weights, partition_strategy), sparse_ids, sparse_weights, combiner,
                                              default_id, max_norm, name)


def sampled_softmax_loss(weights: TensorLike, biases: Any, labels: TensorLike, inputs: TensorLike, num_sampled: Any,
                         num_classes: Any, num_true: Any = 1, sampled_values: Any = None,
                         remove_accidental_hits: bool = True, partition_strategy: str = 'mod',
                         name: str | None = 'sampled_softmax_loss', seed: int | None = None) -> Any:
    """The softmax's cross entropy with some of the classes only."""
    return tf.nn.sampled_softmax_loss(_whole(weights, partition_strategy), biases, labels, inputs, num_sampled, num_classes, num_true,
                                      sampled_values, remove_accidental_hits, seed, name)


def nce_loss(weights: TensorLike, biases: Any, labels: TensorLike, inputs: TensorLike, num_sampled: Any,
             num_classes: Any, num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
             partition_strategy: str = 'mod', name: str | None = 'nce_loss') -> Any:
    """The cross entropy of telling the right classes from drawn ones."""
    return tf.nn.nce_loss(_whole(weights, partition_strategy), biases, labels, inputs, num_sampled, num_classes, num_true,
                          sampled_values, remove_accidental_hits, name)


def sufficient_statistics(x: TensorLike, axes: Any, shift: Any = None, keep_dims: bool | None = None,
                          name: str | None = None, keepdims: bool | None = None) -> Any:
    """The count, the sum, the sum of squares and the shift."""
    return tf.nn.sufficient_statistics(x, axes, shift, bool(_one(keepdims, keep_dims, 'keepdims', 'keep_dims')), name)


def weighted_moments(x: TensorLike, axes: Any, frequency_weights: Any, name: str | None = None,
                     keep_dims: bool | None = None, keepdims: bool | None = None) -> Any:
    """The mean and the variance of values that count more or less."""
    return tf.nn.weighted_moments(x, axes, frequency_weights, bool(_one(keepdims, keep_dims, 'keepdims', 'keep_dims')), name)


def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, data_format='NHWC',
                           dilations=[1, 1, 1, 1], name=None):
    """The gradient of conv2d with respect to the filter, whose shape is `filter_sizes`."""
    padding, explicit = _padding(padding)
    return tf.raw_ops.Conv2DBackpropFilter(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop, strides=strides, padding=padding,
        explicit_paddings=explicit, data_format=data_format, dilations=dilations, name=name)


def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True,
                          data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None):
    """The gradient of conv2d with respect to the images, whose shape is `input_sizes`."""
    padding, explicit = _padding(padding)
    return tf.raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes, filter=_one(filter, filters, 'filter', 'filters'), out_backprop=out_backprop, strides=strides,
        padding=padding, explicit_paddings=explicit, data_format=data_format, dilations=dilations, name=name)


def conv3d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format='NDHWC',
                           dilations=[1, 1, 1, 1, 1], name=None):
    """The gradient of conv3d with respect to the filter, whose shape is `filter_sizes`."""
    return tf.raw_ops.Conv3DBackpropFilterV2(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop, strides=strides, padding=padding,
        data_format=data_format, dilations=dilations, name=name)


def _padding(padding: Any) -> tuple[Any, ...]:
    """The word for a padding, and the numbers where it is a list of pairs."""
    if isinstance(padding, (list, tuple)):
        return 'EXPLICIT', [number for pair in padding for number in pair]
    return padding, []


_nn.conv3d_backprop_filter_v2 = conv3d_backprop_filter
publish('tf.compat.v1.nn', softmax, log_softmax, sparse_softmax_cross_entropy_with_logits,
        weighted_cross_entropy_with_logits, in_top_k, crelu, avg_pool2d, max_pool_with_argmax, conv1d, conv3d,
        conv2d_transpose, conv3d_transpose, convolution, depthwise_conv2d, depthwise_conv2d_native, separable_conv2d,
        dilation2d, pool, embedding_lookup, embedding_lookup_sparse, safe_embedding_lookup_sparse, nce_loss,
        sampled_softmax_loss, sufficient_statistics, weighted_moments, conv2d_backprop_filter, conv2d_backprop_input,
        conv3d_backprop_filter)
