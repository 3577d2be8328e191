"""tf.layers of TensorFlow 1, and tfe.Network, which holds layers and networks."""
from __future__ import annotations

import math

import footlight as tf
from footlight import _engine, _module
from footlight._public import publish
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, Callable

layers = _engine.namespace('layers')
_v1_layers = _engine.namespace('compat.v1.layers')


def _glorot_uniform(shape: list[Any], dtype: tf.DType) -> tf.Tensor:
    """Random numbers whose spread keeps sums over the inputs and over the outputs of a layer at a size."""
    window = 1
    for size in shape[:-2]:
        window *= size
    limit = math.sqrt(6. / max(1, window * sum(shape[-2:])))
    return tf.random.uniform(shape, -limit, limit, dtype)


class Layer(AutoTrackable):
    """Base class: a subclass makes its variables in build(shape of the input) and computes in call()."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {', '.join(sorted(kwargs))}")
        self._name = name or _unique(_module._snake(type(self).__name__))
        self.trainable, self.dtype, self.built = trainable, dtype and tf.as_dtype(dtype), False
        self._own = []

    name = property(lambda self: self._name)

    def add_variable(self, name: Any, shape: Any, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
                     trainable: bool = True, constraint: Any = None) -> tf.Variable:
        """Makes a variable of the layer."""
        dtype = tf.as_dtype(dtype or self.dtype or tf.float32)
        initializer = initializer or (_glorot_uniform if dtype.is_floating else tf.zeros_initializer())
        shape = [int(d) for d in shape]
        variable = tf.Variable(lambda: initializer(shape, dtype), trainable=trainable and self.trainable,
                               name=f'{self._name}/{name}', constraint=constraint, dtype=dtype)
        self._own.append(variable)
        self._track_trackable(variable, name, overwrite=True)
        return variable

    add_weight = add_variable

    @property
    def variables(self) -> list[Any]:
        return list(self._own)

    weights = property(lambda self: self.variables)
    trainable_variables = trainable_weights = property(lambda self: [v for v in self.variables if v.trainable])
    non_trainable_variables = non_trainable_weights = property(
        lambda self: [v for v in self.variables if not v.trainable])

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""

    def call(self, inputs, **kwargs):
        return inputs

    def __call__(self, inputs, *args, **kwargs):
        if not isinstance(inputs, (list, tuple, dict)):
            inputs = tf.convert_to_tensor(inputs, dtype_hint=self.dtype)
        if not self.built:
            if self.dtype is None and hasattr(inputs, 'dtype'):
                self.dtype = inputs.dtype
            with tf._eager_scope():
                self.build(inputs.shape if hasattr(inputs, 'shape') else None)
            self.built = True
        return self.call(inputs, *args, **kwargs)

    apply = __call__


_counts: dict[Any, int] = {}


def _unique(name: str) -> str:
    _counts[name] = _counts.get(name, -1) + 1
    return f'{name}_{_counts[name]}' if _counts[name] else name


def _known(shape: tf.TensorShape, axis: int, layer: str) -> int:
    size = shape[axis] if shape.rank is not None else None
    if size is None:
        raise ValueError(f'The last dimension of the inputs to `{layer}` should be defined. Found `None`.')
    return int(size)


class Dense(Layer):
    """activation(inputs @ kernel + bias)"""

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
                 bias_initializer: Any = None, kernel_regularizer: Any = None, bias_regularizer: Any = None,
                 activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
                 trainable: bool = True, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer or tf.zeros_initializer()
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_variable('kernel', [_known(input_shape, -1, 'Dense'), self.units],
                                        initializer=self.kernel_initializer, constraint=self.kernel_constraint)
        self.bias = self.add_variable('bias', [self.units], initializer=self.bias_initializer,
                                      constraint=self.bias_constraint) if self.use_bias else None

    def call(self, inputs):
        outputs = tf.matmul(inputs, self.kernel) if inputs.shape.rank == 2 else tf.tensordot(inputs, self.kernel, 1)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


def _pair(value: Any) -> list[Any]:
    return [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)] * 2


class Conv2D(Layer):
    """activation(a convolution of images + bias)"""

    def __init__(self, filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = 'valid',
                 data_format: Any = 'channels_last', dilation_rate: Any = (1, 1), activation: Any = None,
                 use_bias: Any = True, kernel_initializer: Any = None, bias_initializer: Any = None,
                 trainable: Any = True, name: Any = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, **kwargs)
        if data_format != 'channels_last':
            raise ValueError('data_format must be channels_last: on a CPU there is no other')
        self.filters, self.kernel_size, self.strides = int(filters), _pair(kernel_size), _pair(strides)
        self.padding, self.dilation_rate = padding.upper(), _pair(dilation_rate)
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer or tf.zeros_initializer()

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_variable('kernel', self.kernel_size + [_known(input_shape, -1, 'Conv2D'), self.filters],
                                        initializer=self.kernel_initializer)
        self.bias = self.add_variable('bias', [self.filters], initializer=self.bias_initializer) if self.use_bias \
            else None

    def call(self, inputs):
        outputs = tf.nn.conv2d(inputs, self.kernel, strides=self.strides, padding=self.padding,
                               dilations=self.dilation_rate)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


class _Pooling(Layer):

    _pool: Any = None

    def __init__(self, pool_size: int, strides: int, padding: str = 'valid', data_format: str = 'channels_last',
                 name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size, self.strides, self.padding = _pair(pool_size), _pair(strides), padding.upper()

    def call(self, inputs):
        return type(self)._pool(inputs, self.pool_size, self.strides, self.padding)


class MaxPooling2D(_Pooling):
    """The largest of each window of images."""

    _pool = staticmethod(lambda *args: tf.nn.max_pool2d(*args))


class AveragePooling2D(_Pooling):
    """The mean of each window of images."""

    _pool = staticmethod(lambda *args: tf.nn.avg_pool2d(*args))


class Dropout(Layer):
    """Sets a share of the elements to zero, if training."""

    def __init__(self, rate: float = 0.5, noise_shape: Any = None, seed: Any = None, name: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        if isinstance(training, (tf.Tensor, tf.Variable)):
            return tf.cond(training, lambda: self._dropped(inputs), lambda: tf.identity(inputs))
        return self._dropped(inputs) if training else tf.identity(inputs)

    def _dropped(self, inputs: tf.Tensor) -> tf.Tensor:
        return tf.nn.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed)


class Flatten(Layer):
    """All dimensions but the first as one."""

    def call(self, inputs):
        known = inputs.shape[1:].num_elements()
        return tf.reshape(inputs, [tf.shape(inputs)[0], -1 if known is None else known])


def _function(kind: Any, first: Any) -> Callable[..., Any]:
    def layer(inputs, *args, **kwargs):
        training = {'training': kwargs.pop('training')} if 'training' in kwargs else {}
        return kind(*args, **kwargs)(inputs, **training)
    layer.__name__ = first
    layer.__doc__ = f'{kind.__name__}(...)(inputs): a layer that is used once.'
    return layer


class Network(Layer):
    """A layer made of layers and networks, which track_layer() makes part of it."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self._parts = []

    def track_layer(self, layer: Any) -> Dense | Flatten:
        """Makes a layer or network part of this one, and returns it."""
        if not isinstance(layer, AutoTrackable) or not hasattr(layer, 'variables'):
            raise TypeError(f'Network.track_layer() passed type {type(layer).__name__}, not a tf.layers.Layer')
        if layer not in self._parts:
            self._parts.append(layer)
        return layer

    layers = property(lambda self: list(self._parts))

    def __call__(self, *args: Any, **kwargs: Any) -> tf.Tensor:
        restoring = self.__dict__.pop('_restored_on_create', None)
        if restoring is None:
            return super().__call__(*args, **kwargs)
        with tf.contrib.eager.restore_variables_on_create(*restoring):
            return super().__call__(*args, **kwargs)

    def get_layer(self, name: str | None = None, index: Any = None) -> Dense:
        """The part of that name or at that position."""
        if index is not None:
            return self._parts[index]
        for part in self._parts:
            if part.name == name:
                return part
        raise ValueError(f'No such layer: {name}.')

    @property
    def variables(self) -> list[Any]:
        return self._own + [v for part in self._parts for v in part.variables]

    def call(self, inputs):
        raise NotImplementedError('a network must define call()')


class Sequential(Network):
    """A network that calls its layers, or functions, one after the other."""

    def __init__(self, layers_funcs=None, name=None):
        super().__init__(name)
        self._steps = []
        for one in layers_funcs or ():
            self.add(one)

    def add(self, layer_func: Any) -> None:
        """Adds a layer or a function at the end."""
        if isinstance(layer_func, Layer):
            self.track_layer(layer_func)
        elif not callable(layer_func):
            raise TypeError('Sequential.add() takes only tf.layers.Layer objects or callables; not '
                            f'{type(layer_func).__name__}.')
        self._steps = list(self._steps) + [layer_func]

    def call(self, inputs):
        for one in self._steps:
            inputs = one(inputs)
        return inputs


for _object in (Layer, Dense, Conv2D, MaxPooling2D, AveragePooling2D, Dropout, Flatten):
    _object.__module__ = 'footlight.layers'
    for _namespace in (layers, _v1_layers):
        setattr(_namespace, _object.__name__, _object)
for _kind, _name in ((Dense, 'dense'), (Conv2D, 'conv2d'), (MaxPooling2D, 'max_pooling2d'), (Dropout, 'dropout'),
                     (AveragePooling2D, 'average_pooling2d'), (Flatten, 'flatten')):
    for _namespace in (layers, _v1_layers):
        setattr(_namespace, _name, _function(_kind, _name))
publish('tf.contrib.eager', Network, Sequential)
