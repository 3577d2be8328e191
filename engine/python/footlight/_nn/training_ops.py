"""tf.raw_ops.ResourceApply...: the steps of optimizers as ops over the handles of variables, whole (dense) or by rows (sparse)."""
from __future__ import annotations

import inspect

import footlight as tf
from footlight._typing import Any, Callable


# --- one step: (var and slots, gradient, numbers) to what var and the slots are afterwards, in the same order ---
def _adam(v, g, n):
    var, m, s = v
    m, s = m + (g - m) * (1 - n.beta1), s + (g * g - s) * (1 - n.beta2)
    rate = n.lr * tf.sqrt(1 - n.beta2_power) / (1 - n.beta1_power)
    return var - rate * (g * (1 - n.beta1) + n.beta1 * m if n.use_nesterov else m) / (tf.sqrt(s) + n.epsilon), m, s


def _adam_with_amsgrad(v, g, n):
    var, m, s, largest = v
    m, s = m + (g - m) * (1 - n.beta1), s + (g * g - s) * (1 - n.beta2)
    largest = tf.maximum(largest, s)
    rate = n.lr * tf.sqrt(1 - n.beta2_power) / (1 - n.beta1_power)
    return var - rate * m / (tf.sqrt(largest) + n.epsilon), m, s, largest


def _ada_max(v, g, n):
    var, m, s = v
    m, s = m + (g - m) * (1 - n.beta1), tf.maximum(n.beta2 * s, tf.abs(g))
    return var - n.lr / (1 - n.beta1_power) * (m / (s + n.epsilon)), m, s


def _adadelta(v, g, n):
    var, accum, changed = v
    accum = accum * n.rho + g * g * (1 - n.rho)
    change = tf.sqrt(changed + n.epsilon) * tf.math.rsqrt(accum + n.epsilon) * g
    return var - change * n.lr, accum, changed * n.rho + change * change * (1 - n.rho)


def _adagrad(v, g, n):
    var, accum = v
    if n.update_slots:
        accum = accum + g * g
    return var - n.lr * g / (tf.sqrt(accum) + getattr(n, 'epsilon', 0)), accum


def _toward_zero(x: tf.Tensor, by: tf.Tensor) -> tf.Tensor:
    """x where `by` is 0, else moved towards 0 by as much, and not past it."""
    return tf.where(by > 0, tf.sign(x) * tf.maximum(tf.abs(x) - by, 0), x)


def _adagrad_da(v, g, n):
    var, accum, squares = v
    accum, squares = accum + g, squares + g * g
    steps = tf.cast(n.global_step, g.dtype)
    return -n.lr * _toward_zero(accum, n.l1 * steps) / (n.l2 * steps * n.lr + tf.sqrt(squares)), accum, squares


def _add_sign(v, g, n):
    var, m = v
    m = m * n.beta + g * (1 - n.beta)
    return var - n.lr * (n.alpha + n.sign_decay * tf.sign(g) * tf.sign(m)) * g, m


def _power_sign(v, g, n):
    var, m = v
    m = m * n.beta + g * (1 - n.beta)
    return var - n.lr * tf.exp(n.logbase * n.sign_decay * tf.sign(g) * tf.sign(m)) * g, m


def _rms_prop(v, g, n):
    var, s, mom = v
    s = s + (g * g - s) * (1 - n.rho)
    mom = mom * n.momentum + n.lr * g * tf.math.rsqrt(s + n.epsilon)
    return var - mom, s, mom


def _centered_rms_prop(v, g, n):
    var, mean, s, mom = v
    s, mean = s + (g * g - s) * (1 - n.rho), mean + (g - mean) * (1 - n.rho)
    mom = mom * n.momentum + n.lr * g * tf.math.rsqrt(s - mean * mean + n.epsilon)
    return var - mom, mean, s, mom


def _ftrl(v, g, n):
    var, accum, linear = v
    summed = accum + g * g
    shrunk = g + 2 * n.l2_shrinkage * var if hasattr(n, 'l2_shrinkage') else g
    power, before = summed ** -n.lr_power, accum ** -n.lr_power
    if n.multiply_linear_by_lr:  # `linear` has the rate as a factor
        linear = linear + shrunk * n.lr - (power - before) * var
        bound, quadratic = n.l1 * n.lr, power + 2 * n.l2 * n.lr
    else:
        linear = linear + shrunk - (power - before) / n.lr * var
        bound, quadratic = n.l1, power / n.lr + 2 * n.l2
    return (tf.clip_by_value(linear, -bound, bound) - linear) / quadratic, summed, linear


def _momentum(v, g, n):
    var, accum = v
    accum = accum * n.momentum + g
    return var - (g * n.lr + accum * n.momentum * n.lr if n.use_nesterov else accum * n.lr), accum


def _keras_momentum(v, g, n):
    var, accum = v
    accum = accum * n.momentum - g * n.lr
    return var + (accum * n.momentum - g * n.lr if n.use_nesterov else accum), accum


def _proximal(var, g, rate, n):
    return _toward_zero(var - g * rate, rate * n.l1) / (1 + n.l2 * rate)


def _proximal_adagrad(v, g, n):
    var, accum = v
    accum = accum + g * g
    return _proximal(var, g, n.lr * tf.math.rsqrt(accum), n), accum


def _proximal_gradient_descent(v, g, n):
    return _proximal(v[0], g, n.alpha, n),


def _gradient_descent(v, g, n):
    return v[0] - n.alpha * g,


# The op: its step, what it changes, its other inputs in the order of the signature, its attributes besides use_locking.
_DENSE = {
    'AdaMax': (_ada_max, 'var m v', 'beta1_power lr beta1 beta2 epsilon grad', {}),
    'Adadelta': (_adadelta, 'var accum accum_update', 'lr rho epsilon grad', {}),
    'Adagrad': (_adagrad, 'var accum', 'lr grad', {'update_slots': True}),
    'AdagradDA': (_adagrad_da, 'var gradient_accumulator gradient_squared_accumulator', 'grad lr l1 l2 global_step', {}),
    'AdagradV2': (_adagrad, 'var accum', 'lr epsilon grad', {'update_slots': True}),
    'Adam': (_adam, 'var m v', 'beta1_power beta2_power lr beta1 beta2 epsilon grad', {'use_nesterov': False}),
    'AdamWithAmsgrad': (_adam_with_amsgrad, 'var m v vhat', 'beta1_power beta2_power lr beta1 beta2 epsilon grad', {}),
    'AddSign': (_add_sign, 'var m', 'lr alpha sign_decay beta grad', {}),
    'CenteredRMSProp': (_centered_rms_prop, 'var mg ms mom', 'lr rho momentum epsilon grad', {}),
    'Ftrl': (_ftrl, 'var accum linear', 'grad lr l1 l2 lr_power', {'multiply_linear_by_lr': False}),
    'FtrlV2': (_ftrl, 'var accum linear', 'grad lr l1 l2 l2_shrinkage lr_power', {'multiply_linear_by_lr': False}),
    'GradientDescent': (_gradient_descent, 'var', 'alpha delta', {}),
    'KerasMomentum': (_keras_momentum, 'var accum', 'lr grad momentum', {'use_nesterov': False}),
    'Momentum': (_momentum, 'var accum', 'lr grad momentum', {'use_nesterov': False}),
    'PowerSign': (_power_sign, 'var m', 'lr logbase sign_decay beta grad', {}),
    'ProximalAdagrad': (_proximal_adagrad, 'var accum', 'lr l1 l2 grad', {}),
    'ProximalGradientDescent': (_proximal_gradient_descent, 'var', 'alpha l1 l2 delta', {}),
    'RMSProp': (_rms_prop, 'var ms mom', 'lr rho momentum epsilon grad', {}),
}
_SPARSE = ('Adadelta Adagrad AdagradDA AdagradV2 CenteredRMSProp Ftrl FtrlV2 KerasMomentum Momentum ProximalAdagrad '
           'ProximalGradientDescent RMSProp').split()


class _Numbers:
    """The inputs and attributes of a step besides its variables and the gradient."""

    def __init__(self, values: Any) -> None:
        self.__dict__.update(values)


def _read(handle, dtype):
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)


def _apply(step, handles, gradient, numbers):
    after = step([_read(handle, gradient.dtype) for handle in handles], gradient, numbers)
    return tf.group([tf.raw_ops.AssignVariableOp(resource=handle, value=value) for handle, value in zip(handles, after)])


def _apply_rows(step: Callable[..., Any], handles: list[Any], gradient: tf.Tensor, indices: tf.Tensor,
                numbers: _Numbers) -> tf.Operation | None:
    def rows(at, g):
        after = step([tf.gather(_read(handle, g.dtype), at) for handle in handles], g, numbers)
        with tf.control_dependencies(after):
            return [tf.raw_ops.ResourceScatterUpdate(resource=handle, indices=at, updates=value)
                    for handle, value in zip(handles, after)]

    def all_at_once():
        with tf.control_dependencies([one for one in rows(indices, gradient) if one is not None]):
            return tf.constant(0)

    def one_by_one():  # an index that appears twice takes two steps
        def body(i):
            with tf.control_dependencies([one for one in rows(indices[i:i + 1], gradient[i:i + 1]) if one is not None]):
                return i + 1
        return tf.while_loop(lambda i: i < tf.size(indices), body, [tf.constant(0)], parallel_iterations=1)[0]
    different = tf.equal(tf.size(tf.unique(indices)[0]), tf.size(indices))
    done = tf.cond(different, all_at_once, one_by_one)
    return None if tf.executing_eagerly() else done.op


def _check_shapes(op: str, shape: tf.TensorShape, gradient: tf.Tensor, indices: tf.Tensor | None) -> None:
    """Raises where a gradient would be broadcast: it is as large as the variable, or has a row for each index."""
    want = shape if indices is None else tf.TensorShape(indices.shape[:1]).concatenate(shape[1:])
    if not gradient.shape.is_compatible_with(want):
        raise ValueError(f'{op}: grad has the shape {gradient.shape}, but ' + (
            f'the variable has the shape {shape}' if indices is None else
            f'it needs {want} for {indices.shape} indices of a variable of shape {shape}'))


def _make(name, sparse):
    step, changed, others, attributes = _DENSE[name]
    full_name = f"Resource{'Sparse' if sparse else ''}Apply{name}"
    changed, others, attributes = changed.split(), others.split(), {'use_locking': False, **attributes, 'name': None}
    gradient = 'grad'
    if sparse:
        others = ['grad' if one == 'delta' else one for one in others]
        others.insert(others.index('grad') + 1, 'indices')
    elif 'delta' in others:
        gradient = 'delta'
    only = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(one, only) for one in changed + others] +
                                  [inspect.Parameter(one, only, default=value) for one, value in attributes.items()])

    def function(**arguments):
        try:
            given = signature.bind(**arguments)
        except TypeError as error:
            raise TypeError(f'{full_name}() {error}') from None
        given.apply_defaults()
        given = given.arguments
        g = tf.convert_to_tensor(given[gradient])
        numbers = {one: tf.convert_to_tensor(given[one], None if one == 'global_step' else g.dtype)
                   for one in others if one not in (gradient, 'indices')}
        numbers = _Numbers({**numbers, **{one: given[one] for one in attributes}})
        handles = [one.handle if isinstance(one, tf.Variable) else one for one in (given[one] for one in changed)]
        indices = tf.convert_to_tensor(given['indices']) if sparse else None
        with tf.name_scope(given['name'] or full_name):
            _check_shapes(full_name, _read(handles[0], g.dtype).shape, g, indices)
            return _apply_rows(step, handles, g, indices, numbers) if sparse else _apply(step, handles, g, numbers)
    function.__name__ = function.__qualname__ = full_name
    function.__doc__ = f"A step of {name}, for {'some rows' if sparse else 'all'} of the variable."
    function.__signature__ = signature
    return function


RAW = {function.__name__: function for function in
       [_make(name, False) for name in _DENSE] + [_make(name, True) for name in _SPARSE]}
