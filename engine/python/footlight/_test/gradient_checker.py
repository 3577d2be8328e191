"""tf.test.compute_gradient: compares numerical derivatives with those from the tape."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, Callable


def _numpy() -> Any:
    import numpy
    return numpy


def _default_delta(np: Any, x: tf.Tensor) -> float:
    # The delta at which rounding and truncation errors are about equal.
    return {'float16': 1.0 / 128, 'bfloat16': 1.0 / 64}.get(x.dtype.name, 1.0 / 1024)


def _real_view(np, array):
    """The elements of an array as a flat vector; a complex one counts as two."""
    if np.iscomplexobj(array):
        return np.stack([array.real, array.imag], -1).reshape(-1)
    return array.reshape(-1)


def _numeric(np: Any, f: Any, xs: list[Any], index: int, y_shape: tf.TensorShape, delta: float) -> Any:
    x = xs[index]
    is_complex = np.iscomplexobj(x)
    columns = []
    for i in range(x.size):
        for step in ((delta, delta * 1j) if is_complex else (delta,)):
            values = []
            for sign in (1, -1):
                moved = x.copy()
                moved.reshape(-1)[i] += x.dtype.type(sign * step)
                args = [tf.constant(moved if k == index else v) for k, v in enumerate(xs)]
                values.append(_real_view(np, _value(np, f(*args))))
            columns.append((values[0] - values[1]) / (2 * delta))
    rows = _real_view(np, np.zeros(y_shape.as_list(), 'complex64' if is_complex else 'float32')).size
    return np.stack(columns, -1) if columns else np.zeros([rows, 0])


def _value(np: Any, y: tf.Tensor) -> Any:
    if isinstance(y, tf.IndexedSlices):
        y = tf.convert_to_tensor(y)
    array = y.numpy()
    return array.astype('float32') if array.dtype.name in ('float16', 'bfloat16') else array


def _from_tape(np: Any, f: Any, xs: list[Any], index: int) -> Any:
    tensors = [tf.constant(x) for x in xs]
    rows = []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = f(*tensors)
    size, is_complex = y.shape.num_elements(), y.dtype.is_complex
    for i in range(size):
        for direction in ((1, 1j) if is_complex else (1,)):
            seed = np.zeros([size], y.dtype.as_numpy_dtype)
            seed[i] = direction
            gradient = tape.gradient(y, tensors[index], tf.constant(seed.reshape(y.shape.as_list())))
            if gradient is None:
                gradient = tf.zeros_like(tensors[index])
            rows.append(_real_view(np, _value(np, gradient)))
    width = _real_view(np, xs[index]).size
    return np.stack(rows) if rows else np.zeros([0, width])


def _in_session(f: Callable[..., Any], graph: tf.Graph, session: Any) -> Callable[..., Any]:
    """f as a function of eager tensors, which a session of the graph runs: f may take tensors of the graph from outside."""
    made = {}

    def parts(specs):
        key = tuple((spec.dtype, tuple(spec.shape.as_list())) for spec in specs)
        if key not in made:
            with graph.as_default():
                placeholders = [tf.compat.v1.placeholder(spec.dtype, spec.shape) for spec in specs]
                y = tf.convert_to_tensor(f(*placeholders))
                direction = tf.compat.v1.placeholder(y.dtype, y.shape)
                gradients = tf.gradients(y, placeholders, direction, unconnected_gradients='zero')
                made[key] = placeholders, y, direction, [tf.convert_to_tensor(g) for g in gradients]
        return made[key]

    @tf.custom_gradient
    def run(*xs):
        placeholders, y, direction, gradients = parts(xs)
        fed = dict(zip(placeholders, [x.numpy() for x in xs]))

        def backward(dy, variables=()):  # variables of the graph, whose gradients are not needed
            found = [tf.constant(g) for g in session.run(gradients, {**fed, direction: dy.numpy()})]
            return (found, [tf.zeros(v.shape, v.dtype) for v in variables]) if variables else found
        return tf.constant(session.run(y, fed)), backward
    return run


def compute_gradient(f, x, delta=None):
    """Two lists of Jacobians of f, one per argument in x: from the tape, and numerical with central differences."""
    np = _numpy()
    if not isinstance(x, (list, tuple)):
        raise ValueError('`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a '
                         f'{type(x)}')
    xs = [tf.convert_to_tensor(v) for v in x]
    if not tf.executing_eagerly():
        graph = tf.compat.v1.get_default_graph()
        session = tf.compat.v1.get_default_session()
        if session is None or session.graph is not graph:
            session = tf.compat.v1.Session(graph=graph)
        arrays = [session.run(v) if tf.is_symbolic_tensor(v) else v.numpy() for v in xs]
        with tf._eager_scope():
            return compute_gradient(_in_session(f, graph, session), arrays, delta)
    wanted = _default_delta(np, xs[0]) if delta is None and xs else delta
    arrays = [np.array(v.numpy()) for v in xs]  # an array even for a scalar, since elements are changed in place
    y = f(*xs)
    if not isinstance(y, (tf.Tensor, tf.IndexedSlices, tf.Variable)):
        raise ValueError(f'`f` must return one tensor, got {type(y)}')
    if not (y.dtype.is_floating or y.dtype.is_complex):
        raise AssertionError(f'Cannot compute gradient for unsupported type {y.dtype.name} of y')
    theory, numeric = [], []
    for i, v in enumerate(xs):
        theory.append(_from_tape(np, f, arrays, i))
        numeric.append(_numeric(np, f, arrays, i, y.shape, wanted))
        if not v.dtype.is_complex:
            dtype = 'float32' if v.dtype == tf.bfloat16 else v.dtype.name
            theory[-1], numeric[-1] = theory[-1].astype(dtype), numeric[-1].astype(dtype)
    return tuple(theory), tuple(numeric)


tf.test.compute_gradient = compute_gradient
