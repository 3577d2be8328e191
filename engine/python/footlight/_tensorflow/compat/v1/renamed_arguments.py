"""Functions of TensorFlow 1 whose parameters were renamed since: tf.compat.v1.reduce_sum, argmax, squeeze and so on."""
from __future__ import annotations

import collections
import inspect

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable, DTypeLike, TensorLike

_v1, _nn = tf.compat.v1, _engine.namespace('compat.v1.nn')
ListDiff = collections.namedtuple('ListDiff', 'out idx')


def _one(new: Any, old: Any, name: str, old_name: str) -> Any:
    """The value of a parameter that has two names."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old if new is None else new


def _reduction(name: str) -> Callable[..., Any]:
    today = getattr(tf, name)

    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = _one(axis, reduction_indices, 'axis', 'reduction_indices')
        return today(input_tensor, axis, bool(_one(keepdims, keep_dims, 'keepdims', 'keep_dims')), name)
    reduce.__doc__ = f'tf.{name} with the old names of its parameters.'
    return reduce


def count_nonzero(input_tensor: TensorLike | None = None, axis: Any = None, keepdims: bool | None = None,
                  dtype: DTypeLike = tf.int64, name: str | None = None, reduction_indices: Any = None,
                  keep_dims: bool | None = None, input: TensorLike | None = None) -> tf.Tensor:
    """How many elements are not 0."""
    return tf.math.count_nonzero(_one(input, input_tensor, 'input', 'input_tensor'),
                                 _one(axis, reduction_indices, 'axis', 'reduction_indices'),
                                 _one(keepdims, keep_dims, 'keepdims', 'keep_dims'), dtype, name)


def argmax(input: TensorLike, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: DTypeLike = tf.int64) -> tf.Tensor:
    """Where the largest values are."""
    return tf.argmax(input, _one(axis, dimension, 'axis', 'dimension'), output_type, name)


def argmin(input: TensorLike, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: DTypeLike = tf.int64) -> Any:
    """Where the smallest values are."""
    return tf.argmin(input, _one(axis, dimension, 'axis', 'dimension'), output_type, name)


def arg_max(input: TensorLike, dimension: Any, output_type: DTypeLike = tf.int64, name: str | None = None) -> Any:
    """Where the largest values are."""
    return tf.argmax(input, dimension, output_type, name)


def arg_min(input: TensorLike, dimension: Any, output_type: DTypeLike = tf.int64, name: str | None = None) -> Any:
    """Where the smallest values are."""
    return tf.argmin(input, dimension, output_type, name)


def batch_to_space_nd(input: TensorLike, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Blocks of the batch put into space."""
    return tf.batch_to_space(input, block_shape, crops, name)


def expand_dims(input: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None) -> tf.Tensor:
    """A new dimension of size 1."""
    axis = _one(axis, dim, 'axis', 'dim')
    if axis is None:
        raise ValueError('Must specify an axis argument to tf.expand_dims()')
    return tf.expand_dims(input, axis, name)


def squeeze(input: TensorLike, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> tf.Tensor:
    """Without dimensions of size 1."""
    return tf.squeeze(input, _one(axis, squeeze_dims, 'axis', 'squeeze_dims'), name)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> tf.Tensor:
    """The quotient, rounded down for integers."""
    x = tf.convert_to_tensor(x)
    y = tf.convert_to_tensor(y, x.dtype)
    return tf.math.floordiv(x, y, name) if x.dtype.is_integer else tf.divide(x, y, name)


def depth_to_space(input: TensorLike, block_size: Any, name: str | None = None, data_format: str = 'NHWC') -> Any:
    """Channels put into blocks of space."""
    return tf.nn.depth_to_space(input, block_size, data_format, name)


def space_to_depth(input: TensorLike, block_size: Any, name: str | None = None, data_format: str = 'NHWC') -> Any:
    """Blocks of space put into channels."""
    return tf.nn.space_to_depth(input, block_size, data_format, name)


def gather(params: TensorLike, indices: TensorLike, validate_indices: Any = None, name: str | None = None,
           axis: Any = None, batch_dims: Any = 0) -> Any:
    """Rows by their numbers."""
    return tf.gather(params, indices, validate_indices, axis, batch_dims, name)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Where the condition is true, or the rows and elements chosen by it: a vector chooses whole rows."""
    if (x is None) != (y is None):
        raise ValueError('x and y must both be non-None or both be None.')
    if x is None:
        return tf.where(condition, name=name)
    condition, x = tf.convert_to_tensor(condition), tf.convert_to_tensor(x)
    y = tf.convert_to_tensor(y, x.dtype)
    if not x.shape.is_compatible_with(y.shape):
        raise tf.errors.InvalidArgumentError(None, None, f'Shapes must be equal, but are {x.shape} and {y.shape}')
    if condition.shape.rank == 1 and x.shape.rank is not None and x.shape.rank > 1:
        condition = tf.reshape(condition, tf.concat([tf.shape(condition), tf.ones([x.shape.rank - 1], tf.int32)], 0))
    elif condition.shape.rank != 0 and not condition.shape.is_compatible_with(x.shape):
        raise tf.errors.InvalidArgumentError(None, None, 'The condition must be a scalar, a vector or of the shape '
                                                         f'{x.shape}, not {condition.shape}')
    return tf.where(condition, x, y, name)


def substr(input: TensorLike, pos: Any, len: Any, name: str | None = None, unit: str = 'BYTE') -> Any:
    """Parts of strings."""
    return tf.strings.substr(input, pos, len, unit, name)


def setdiff1d(x: TensorLike, y: TensorLike, index_dtype: DTypeLike = tf.int32, name: str | None = None) -> Any:
    """The elements of x that are not in y, and their indices."""
    x = tf.convert_to_tensor(x)
    left = tf.logical_not(tf.reduce_any(tf.equal(x[:, tf.newaxis], tf.convert_to_tensor(y, x.dtype)), 1))
    return ListDiff(tf.boolean_mask(x, left), tf.cast(tf.where(left)[:, 0], index_dtype))


def name_scope(name, default_name=None, values=None):
    """Names begin with this one, or with the default where it is None; without both, with no scope."""
    if name is None and default_name is None and values is not None and not tf.executing_eagerly():
        raise ValueError('At least one of name (None) and default_name (None) must be provided.')
    return tf.name_scope((default_name or '') if name is None else name)


def device(device_name_or_function: Callable[..., Any]) -> Any:
    """A context manager: ops that are made inside run on a device, or, in a graph, where a function of the op says."""
    if not callable(device_name_or_function):
        return tf.device(device_name_or_function)
    if tf.executing_eagerly():
        raise RuntimeError('tf.device does not support functions when eager execution is enabled.')
    return _v1.get_default_graph().device(device_name_or_function)


def multinomial(logits: TensorLike, num_samples: Any, seed: int | None = None, name: str | None = None,
                output_dtype: Any = None) -> Any:
    """Samples of a categorical distribution."""
    return tf.random.categorical(logits, num_samples, output_dtype or tf.int64, seed, name)


def random_poisson(lam: Any, shape: Any, dtype: Any = tf.float32, seed: Any = None, name: str | None = None) -> Any:
    """Samples of Poisson distributions."""
    return tf.random.poisson(shape, lam, dtype, seed, name)


def verify_tensor_all_finite(t: Any = None, msg: str | None = None, name: str | None = None,
                             x: TensorLike | None = None, message: str | None = None) -> Any:
    """The tensor, after a check that it has no NaN and no infinity."""
    return tf.debugging.assert_all_finite(_one(x, t, 'x', 't'), _one(message, msg, 'message', 'msg'), name)


def to_bfloat16(x: TensorLike, name: str | None = 'ToBFloat16') -> Any:
    """The tensor in bfloat16."""
    return tf.cast(x, tf.bfloat16, name)


def cond(pred: TensorLike, true_fn: Any = None, false_fn: Any = None, strict: bool = False, name: str | None = None,
         fn1: Any = None, fn2: Any = None) -> Any:
    """Calls one of two functions."""
    true_fn, false_fn = _one(true_fn, fn1, 'true_fn', 'fn1'), _one(false_fn, fn2, 'false_fn', 'fn2')
    for which, given in (('true_fn', true_fn), ('false_fn', false_fn)):
        if not callable(given):
            raise TypeError(f"'{which}' must be callable.")
    if isinstance(pred, bool) and not tf.executing_eagerly():
        raise TypeError('pred must not be a Python bool')
    result = tf.cond(pred, true_fn, false_fn, name)
    alone = tf.executing_eagerly() and not strict and isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if alone else result


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
               parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
               name: str | None = None, maximum_iterations: Any = None, return_same_structure: bool = False) -> Any:
    """Repeats a function of the loop variables while a condition holds; a single variable is not in a list."""
    result = tf.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
                           maximum_iterations, name)
    alone = not return_same_structure and isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if alone else result


def scatter_add(ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = False,
                name: str | None = None) -> tf.Variable:
    """Adds to rows of a variable."""
    return ref.scatter_add(tf.IndexedSlices(updates, indices), name=name)


def scatter_sub(ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = False,
                name: str | None = None) -> Any:
    """Subtracts from rows of a variable."""
    return ref.scatter_sub(tf.IndexedSlices(updates, indices), name=name)


def scatter_update(ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = True,
                   name: str | None = None) -> Any:
    """Replaces rows of a variable."""
    return ref.scatter_update(tf.IndexedSlices(updates, indices), name=name)


def softmax_cross_entropy_with_logits_v2(labels: TensorLike, logits: TensorLike, axis: Any = None,
                                         name: str | None = None, dim: Any = None) -> Any:
    """The cross entropy of labels and of the softmax of logits."""
    axis = _one(axis, dim, 'axis', 'dim')
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis, name)


def softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None,
                                      axis: Any = None) -> Any:
    """The cross entropy of labels, which have no gradient, and of the softmax of logits."""
    return tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits, dim if axis is None else axis, name)


def sigmoid_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None,
                                      name: str | None = None) -> Any:
    """The cross entropy of labels and of the sigmoid of logits."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits, name)


def conv2d(input: TensorLike, filter: TensorLike | None = None, strides: Any = None, padding: Any = None,
           use_cudnn_on_gpu: bool = True, data_format: str = 'NHWC', dilations: Any = [1, 1, 1, 1],
           name: str | None = None, filters: TensorLike | None = None) -> tf.Tensor:
    """A convolution of images."""
    return tf.nn.conv2d(input, _one(filters, filter, 'filters', 'filter'), 1 if strides is None else strides, padding,
                        data_format, dilations, name)


def avg_pool(value: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = 'NHWC',
             name: str | None = None, input: TensorLike | None = None) -> Any:
    """Means of windows."""
    return tf.nn.avg_pool(_one(input, value, 'input', 'value'), ksize, strides, padding, data_format, name)


def max_pool(value: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = 'NHWC',
             name: str | None = None, input: TensorLike | None = None) -> tf.Tensor:
    """Largest values of windows."""
    return tf.nn.max_pool(_one(input, value, 'input', 'value'), ksize, strides, padding, data_format, name)


def moments(x: TensorLike, axes: Any, shift: Any = None, name: str | None = None, keep_dims: bool | None = None,
            keepdims: bool | None = None) -> tuple[Any, ...]:
    """The mean and the variance."""
    return tf.nn.moments(x, axes, shift, bool(_one(keepdims, keep_dims, 'keepdims', 'keep_dims')), name)


def dropout(x: TensorLike, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
            name: str | None = None, rate: Any = None) -> tf.Tensor:
    """Some elements as 0, the others larger."""
    rate = _one(rate, None if keep_prob is None else 1 - keep_prob, 'rate', 'keep_prob')
    if rate is None:
        raise ValueError('`rate` must be provided.')
    return tf.nn.dropout(x, rate, noise_shape, seed, name)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC', is_training=True,
                     name=None, exponential_avg_factor=1.0):
    """Images normalised by channel, with the mean and the variance: those of the batch, or running ones."""
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError('Both `mean` and `variance` must be a 1D tensor when `is_training` is False or '
                         f'`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` {variance!r}')
    x = tf.convert_to_tensor(x, name='input')
    none = tf.constant([], tf.float32)
    return tuple(tf.raw_ops.FusedBatchNormV3(
        x=x, scale=tf.convert_to_tensor(scale, tf.float32), offset=tf.convert_to_tensor(offset, tf.float32),
        mean=none if mean is None else mean, variance=none if variance is None else variance,
        epsilon=max(epsilon, 1.001e-5), exponential_avg_factor=exponential_avg_factor, data_format=data_format,
        is_training=is_training, name=name)[:3])


def batch_norm_with_global_normalization(t: Any = None, m: Any = None, v: Any = None, beta: Any = None,
                                         gamma: Any = None, variance_epsilon: Any = None,
                                         scale_after_normalization: Any = None, name: str | None = None,
                                         input: TensorLike | None = None, mean: Any = None,
                                         variance: Any = None) -> tf.Tensor:
    """A batch normalisation, scaled by gamma only where that is asked for."""
    return tf.nn.batch_norm_with_global_normalization(
        _one(input, t, 'input', 't'), _one(mean, m, 'mean', 'm'), _one(variance, v, 'variance', 'v'), beta, gamma,
        variance_epsilon, scale_after_normalization, name)


def _batch_norm_with_global_normalization(input: list[Any], mean: list[Any], variance: list[Any], beta: list[Any],
                                          gamma: list[Any], variance_epsilon: float, scale_after_normalization: bool,
                                          name: str | None = None) -> tf.Tensor:
    """A batch normalisation, scaled by gamma only where that is asked for."""
    return tf.nn.batch_normalization(input, mean, variance, beta, gamma if scale_after_normalization else None,
                                     variance_epsilon, name)


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> tf.Tensor:
    """x * weights + biases."""
    return tf.nn.bias_add(tf.matmul(x, weights), biases, name=name)


def relu_layer(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> tf.Tensor:
    """relu(x * weights + biases)."""
    return tf.nn.relu(xw_plus_b(x, weights, biases), name)


def constant(value, dtype=None, shape=None, name='Const', verify_shape=False):
    """A tensor with that value."""
    own = tf.convert_to_tensor(value, dtype) if verify_shape and shape is not None else None
    if own is not None and own.shape != tf.TensorShape(shape):
        raise TypeError(f'Expected Tensor {value!r} (converted from {value!r}) with shape {tf.TensorShape(shape)}, but '
                        f'got shape {own.shape}.')
    return tf.constant(value, dtype, shape, name)


def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None,
                      dtype_hint: Any = None) -> Any:
    """The value as a tensor."""
    return tf.convert_to_tensor(value, dtype, _one(dtype_hint, preferred_dtype, 'dtype_hint', 'preferred_dtype'), name)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = tf.int32) -> tf.Tensor:
    """The sizes of the dimensions."""
    return tf.shape(input, out_type, name)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = tf.int32) -> tf.Tensor:
    """The number of elements."""
    return tf.size(input, out_type, name)


def zeros_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None,
               optimize: bool = True) -> tf.Tensor:
    """Zeros of that shape."""
    return tf.zeros_like(tensor, dtype, name)


def ones_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None,
              optimize: bool = True) -> tf.Tensor:
    """Ones of that shape."""
    return tf.ones_like(tensor, dtype, name)


def transpose(a: TensorLike, perm: Any = None, name: str | None = 'transpose', conjugate: bool = False) -> tf.Tensor:
    """The dimensions in another order."""
    return tf.transpose(a, perm, conjugate, name)


def pad(tensor: TensorLike, paddings: Any, mode: str = 'CONSTANT', name: str | None = None,
        constant_values: Any = 0) -> tf.Tensor:
    """The tensor with a border."""
    return tf.pad(tensor, paddings, mode, constant_values, name)


def boolean_mask(tensor: TensorLike, mask: Any, name: str | None = 'boolean_mask', axis: Any = None) -> tf.Tensor:
    """The elements, or slices, where the mask is true."""
    return tf.boolean_mask(tensor, mask, axis, name)


def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: Any = 0) -> tf.Tensor:
    """Slices at indices of several dimensions."""
    return tf.gather_nd(params, indices, batch_dims, name)


# --- what was a choice once ---
def control_flow_v2_enabled() -> bool:
    """Whether branches and loops have graphs of their own: always."""
    return True


def enable_control_flow_v2() -> None:
    """Asks for branches and loops with graphs of their own: they have them."""


def resource_variables_enabled() -> bool:
    """Whether variables are resources: always."""
    return True


def enable_resource_variables() -> None:
    """Asks for variables that are resources: they are."""


def enable_tensor_equality() -> None:
    """Asks for == of tensors by elements: it is."""


def executing_eagerly_outside_functions() -> bool:
    """Whether ops run when they are called, outside of the functions that are traced."""
    from footlight._graphs import graph as _graph
    around = _graph.graph_of_variables()
    return around is None or around.building_function


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A sparse tensor as it is, one that is given by its parts made one, everything else as a tensor."""
    if isinstance(value, tf.SparseTensor._Value):
        value = tf.SparseTensor.from_value(value)
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and tf.as_dtype(dtype) != value.dtype:
        raise RuntimeError(f'Sparse dtype: requested = {tf.as_dtype(dtype).name}, actual = {value.dtype.name}')
    return value


_IN_NN = ('softmax_cross_entropy_with_logits_v2 softmax_cross_entropy_with_logits sigmoid_cross_entropy_with_logits conv2d '
          'avg_pool max_pool moments dropout xw_plus_b relu_layer fused_batch_norm batch_norm_with_global_normalization').split()
for _name, _f in [('reduce_' + n, _reduction('reduce_' + n)) for n in 'all any logsumexp max mean min prod sum'.split()] + [
        (n, f) for n, f in list(globals().items()) if inspect.isfunction(f) and not n.startswith('_')]:
    _home = _nn if _name in _IN_NN else _v1
    _f.__module__, _f.__name__, _f.__qualname__ = _home.__name__, _name, _name
    setattr(_home, _name, _f)
for _name, _place in {'random_crop': 'image', 'truncated_normal': 'random', 'regex_replace': 'strings'}.items():
    setattr(_v1, _name, getattr(getattr(tf, _place), _name))
_v1.string_join, _v1.sparse_tensor_to_dense = tf.strings.join, tf.sparse.to_dense
_nn.batch_normalization = tf.nn.batch_normalization
_batch_norm_with_global_normalization.__module__ = tf.nn.__name__
_batch_norm_with_global_normalization.__name__ = _batch_norm_with_global_normalization.__qualname__ = (
    'batch_norm_with_global_normalization')
tf.nn.batch_norm_with_global_normalization = _batch_norm_with_global_normalization
