"""tf.compat.v1.train's rarer optimizers: each is a rule for one variable."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.compat.v1.optimizer import Optimizer, RuledOptimizer
from footlight._typing import Any


def _shrunk(value: tf.Tensor, rate: tf.Tensor, l1: tf.Tensor, l2: tf.Tensor) -> tf.Tensor:
    """The value that is best beside both penalties, at this rate."""
    pulled = tf.sign(value) * tf.maximum(tf.abs(value) - rate * l1, 0)
    return pulled / (1 + l2 * rate)


class AdadeltaOptimizer(RuledOptimizer):
    """Steps as long as the root of the mean square of earlier ones, over that of the gradients."""

    _kept = ('accum', 'accum_update')

    def __init__(self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8, use_locking: Any = False,
                 name: Any = 'Adadelta') -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, rho, epsilon = (self._number(n, value.dtype) for n in (self._learning_rate, self._rho, self._epsilon))
        squares, steps = kept
        squares = squares * rho + gradient * gradient * (1 - rho)
        step = tf.sqrt(steps + epsilon) * tf.math.rsqrt(squares + epsilon) * gradient
        return value - rate * step, [squares, steps * rho + step * step * (1 - rho)]


class AdagradOptimizer(RuledOptimizer):
    """Steps of the gradient over the root of the sum of the squares of all gradients."""

    _kept = ('accumulator',)

    def __init__(self, learning_rate: Any, initial_accumulator_value: Any = 0.1, use_locking: Any = False,
                 name: Any = 'Adagrad') -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f'initial_accumulator_value must be positive: {initial_accumulator_value!s}')
        super().__init__(use_locking, name)
        self._learning_rate, self._start = learning_rate, initial_accumulator_value

    def _first(self, name: str, variable: tf.Variable) -> float:
        return self._start

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        squares = kept[0] + gradient * gradient
        return value - self._number(self._learning_rate, value.dtype) * gradient * tf.math.rsqrt(squares), [squares]


class AdagradDAOptimizer(RuledOptimizer):
    """Adagrad of the sum of all gradients, which makes weights that are exactly zero."""

    _kept = ('gradient_accumulator', 'gradient_squared_accumulator')

    def __init__(self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: Any = 0.1,
                 l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False,
                 name: Any = 'AdagradDA') -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError('initial_gradient_squared_accumulator_value must be positive: '
                             f'{initial_gradient_squared_accumulator_value!s}')
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._start, self._l1, self._l2 = (initial_gradient_squared_accumulator_value, l1_regularization_strength,
                                           l2_regularization_strength)

    def _first(self, name: str, variable: tf.Variable) -> float:
        return self._start if name == 'gradient_squared_accumulator' else 0.

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, l1, l2 = (self._number(n, value.dtype) for n in (self._learning_rate, self._l1, self._l2))
        step = tf.cast(tf.convert_to_tensor(self._global_step) + 1, value.dtype)
        total, squares = kept[0] + gradient, kept[1] + gradient * gradient
        pulled = tf.sign(total) * tf.maximum(tf.abs(total) - l1 * step, 0)
        return -rate * pulled / (l2 * step * rate + tf.sqrt(squares)), [total, squares]


class FtrlOptimizer(RuledOptimizer):
    """Follow the regularized leader: weights of sparse features, many of which are exactly zero."""

    _kept = ('accum', 'linear')

    def __init__(self, learning_rate: Any, learning_rate_power: Any = -0.5, initial_accumulator_value: Any = 0.1,
                 l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False,
                 name: Any = 'Ftrl', accum_name: Any = None, linear_name: Any = None,
                 l2_shrinkage_regularization_strength: Any = 0.0, beta: Any = None) -> None:
        for what, number in (('initial_accumulator_value', initial_accumulator_value),
                             ('l1_regularization_strength', l1_regularization_strength),
                             ('l2_regularization_strength', l2_regularization_strength),
                             ('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength)):
            if number < 0:
                raise ValueError(f'{what} {number:f} needs to be positive or zero')
        if learning_rate_power > 0:
            raise ValueError(f'learning_rate_power {learning_rate_power:f} needs to be negative or zero')
        super().__init__(use_locking, name)
        self._learning_rate, self._power, self._start = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2, self._shrinkage = (l1_regularization_strength, l2_regularization_strength,
                                               l2_shrinkage_regularization_strength)
        self._beta = 0. if beta is None else beta
        self._labels = {'accum': accum_name or name, 'linear': linear_name or name}

    def _first(self, name: str, variable: tf.Variable) -> float:
        return self._start if name == 'accum' else 0.

    def _slot_label(self, name: str) -> str:
        return self._labels[name]

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, l1, l2, shrinkage, beta = (self._number(n, value.dtype) for n in (
            self._learning_rate, self._l1, self._l2, self._shrinkage, self._beta))
        squares, linear = kept
        new = squares + gradient * gradient
        linear += gradient + 2 * shrinkage * value - (new ** -self._power - squares ** -self._power) / rate * value
        curve = new ** -self._power / rate + 2 * l2 + beta / rate
        return tf.where(tf.abs(linear) > l1, (tf.sign(linear) * l1 - linear) / curve, tf.zeros_like(value)), [new, linear]


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad with penalties of the weights' absolute values and squares, minimized exactly after each step."""

    def __init__(self, learning_rate: float, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
                 use_locking: bool = False, name: str | None = 'ProximalAdagrad') -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, l1, l2 = (self._number(n, value.dtype) for n in (self._learning_rate, self._l1, self._l2))
        squares = kept[0] + gradient * gradient
        rates = rate * tf.math.rsqrt(squares)
        return _shrunk(value - rates * gradient, rates, l1, l2), [squares]


class ProximalGradientDescentOptimizer(RuledOptimizer):
    """Gradient descent with penalties of the weights' absolute values and squares, minimized exactly after each step."""

    def __init__(self, learning_rate: Any, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
                 use_locking: Any = False, name: Any = 'ProximalGradientDescent') -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, l1, l2 = (self._number(n, value.dtype) for n in (self._learning_rate, self._l1, self._l2))
        return _shrunk(value - rate * gradient, rate, l1, l2), []


class RMSPropOptimizer(RuledOptimizer):
    """The gradient over the root of the running mean of its square, with momentum."""

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name='RMSProp'):
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._kept = ('rms', 'mg', 'momentum') if centered else ('rms', 'momentum')

    def _first(self, name: str, variable: tf.Variable) -> float:
        return 1. if name == 'rms' else 0.

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, decay, momentum, epsilon = (self._number(n, value.dtype) for n in (
            self._learning_rate, self._decay, self._momentum, self._epsilon))
        squares, *mean, steps = kept
        squares = squares * decay + gradient * gradient * (1 - decay)
        mean = [m * decay + gradient * (1 - decay) for m in mean]
        spread = squares - mean[0] * mean[0] if mean else squares
        steps = steps * momentum + rate * gradient * tf.math.rsqrt(spread + epsilon)
        return value - steps, [squares, *mean, steps]


for _name, _object in list(globals().items()):
    if isinstance(_object, type) and issubclass(_object, Optimizer) and _object.__module__ == __name__:
        _object.__module__ = 'footlight.compat.v1.train'
        setattr(tf.compat.v1.train, _name, _object)
