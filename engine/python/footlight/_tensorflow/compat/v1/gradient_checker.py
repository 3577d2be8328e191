"""tf.compat.v1.test.compute_gradient: the Jacobian of a part of a graph, by its gradient and by differences of its values."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable


def _many(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _start(np: Any, x: tf.Tensor, shape: list[Any], given: Any) -> Any:
    """The values to start from: those given, or random ones."""
    if given is not None:
        value = np.array(given, x.dtype.as_numpy_dtype)
        if value.shape != tuple(shape):
            raise ValueError(f'x_init_value has the shape {value.shape}, x_shape is {tuple(shape)}')
        return value
    value = np.random.random_sample(shape)
    return (value + 1j * np.random.random_sample(shape) if x.dtype.is_complex else value).astype(x.dtype.as_numpy_dtype)


def _numbers(np, value):
    """The values in a row, each complex one as two."""
    flat = np.ascontiguousarray(value).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _by_gradient(np: Any, run: Callable[..., Any], x: tf.Tensor, value: Any, y: tf.Tensor, y_shape: list[Any],
                 dy: tf.Tensor, slope: tf.Tensor) -> Any:
    """The Jacobian from the gradient: a column for each number of y, whose gradient is that of y times one number of dy."""
    width = 2 if y.dtype.is_complex else 1
    columns = int(np.prod(y_shape, dtype=int)) * width
    rows = int(np.prod(value.shape, dtype=int)) * (2 if x.dtype.is_complex else 1)
    jacobian = np.zeros((rows, columns), x.dtype.real_dtype.as_numpy_dtype)
    seed = np.zeros(y_shape, y.dtype.as_numpy_dtype)
    for column in range(columns):
        seed.reshape(-1)[column // width] = (1, 1j)[column % width]
        got = run(slope, {x: value, dy: seed})
        jacobian[:, column] = _numbers(np, np.broadcast_to(got, value.shape).astype(x.dtype.as_numpy_dtype))
        seed.reshape(-1)[column // width] = 0
    return jacobian


def _by_differences(np: Any, run: Callable[..., Any], x: tf.Tensor, value: Any, y: tf.Tensor, y_shape: list[Any],
                    delta: float) -> Any:
    """The Jacobian from values of y, on both sides of each number of x."""
    width = 2 if x.dtype.is_complex else 1
    moved = value.copy()
    numbers = _numbers(np, moved)  # is a view: `moved` moves with it
    columns = int(np.prod(y_shape, dtype=int)) * (2 if y.dtype.is_complex else 1)
    jacobian = np.zeros((value.size * width, columns), x.dtype.real_dtype.as_numpy_dtype)
    step = numbers.dtype.type(delta)
    for row in range(value.size * width):
        here = numbers[row]
        sides = []
        for away in (step, -step):
            numbers[row] = here + away
            sides.append(_numbers(np, np.asarray(run(y, {x: moved.reshape(value.shape)}))))
        numbers[row] = here
        jacobian[row] = (sides[0] - sides[1]) / (2 * step)
    return jacobian


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The Jacobian of `y` with respect to `x` in the default session: from the gradient, and numerical; a list of pairs for a list."""
    import numpy as np
    session = tf.compat.v1.get_default_session()
    if session is None:
        raise ValueError('compute_gradient: there is no default session; call it inside `with tf.compat.v1.Session():`, '
                         'or use tf.test.compute_gradient, which takes a function')
    if not y.dtype.is_floating and not y.dtype.is_complex:
        raise ValueError(f'compute_gradient: y has the dtype {y.dtype.name}, which has no gradient')
    is_list = isinstance(x, (list, tuple))
    xs = _many(x)
    shapes = list(x_shape) if is_list else [x_shape]
    starts = _many(x_init_value) if is_list and x_init_value is not None else [x_init_value] * len(xs)
    for target in _many(init_targets) if init_targets is not None else ():
        session.run(target)
    values = [_start(np, one, list(shape), start) for one, shape, start in zip(xs, shapes, starts)]
    dy = tf.compat.v1.placeholder(y.dtype, shape=list(y_shape))
    slopes = [tf.convert_to_tensor(slope) if isinstance(slope, tf.IndexedSlices) else slope
              for slope in tf.gradients(y, xs, grad_ys=dy)]
    found = []
    for one, value, slope in zip(xs, values, slopes):
        if slope is None:
            raise ValueError(f'compute_gradient: y does not depend on {one.name} in a way that has a gradient')
        others = dict(extra_feed_dict or {})
        others.update({other: start for other, start in zip(xs, values) if other is not one})

        def run(fetch, feed, others=others):
            return session.run(fetch, {**others, **feed})
        found.append((_by_gradient(np, run, one, value, y, list(y_shape), dy, slope),
                      _by_differences(np, run, one, value, y, list(y_shape), delta)))
    return found if is_list else found[0]


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The greatest difference between the two Jacobians of compute_gradient."""
    import numpy as np
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    error = 0.
    for theoretical, numeric in found if isinstance(found, list) else [found]:
        if theoretical.size or numeric.size:
            error = np.maximum(error, np.fabs(theoretical - numeric).max())
    return error


for _path in ('compat.v1.test', 'python.ops.gradient_checker'):
    _home = _engine.namespace(_path)
    _home.compute_gradient, _home.compute_gradient_error = compute_gradient, compute_gradient_error
