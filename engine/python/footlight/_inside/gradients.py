"""Gradients by the names that they have inside of TensorFlow: backprop, record, forwardprop_util, default_gradient."""
import contextlib
import functools
import inspect

import footlight as tf
from footlight import _engine


# --- tensorflow.python.eager.backprop: functions that give gradients ---
def _numbers_of(f, params):
    """The numbers of the parameters to differentiate by, which may be given by name."""
    names = list(inspect.signature(f).parameters)
    params = range(len(names)) if params is None else params
    chosen = [names.index(one) if isinstance(one, str) else one for one in params]
    if not all(isinstance(one, int) for one in chosen):
        raise ValueError('params must be all strings or all integers; got %s.' % (params,))
    return chosen


def _named_arguments(f, args, kwargs):
    return list(inspect.signature(f).bind(*args, **kwargs).arguments.values()) if kwargs else list(args)


def make_vjp(f, params=None, persistent=True):
    """A function that gives the result of f, and a function from its gradients to those of the parameters."""
    def decorated(*args, **kwargs):
        values = _named_arguments(f, args, kwargs)
        chosen = _numbers_of(f, params)[:len(values)] if params is None else _numbers_of(f, params)
        tape = tf.GradientTape(persistent=persistent)
        with tape:
            sources = []
            for i in chosen:
                if isinstance(values[i], tf.Variable):
                    tape.watch(values[i])
                else:  # a tensor of its own: the same one may be given twice
                    values[i] = tf.nest.map_structure(lambda t: tf.identity(tf.convert_to_tensor(t)), values[i])
                    tape.watch(values[i])
                sources.append(values[i])
            result = f(*values)
            if result is None:
                raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value '
                                 'from %s?' % getattr(f, '__name__', f))
            flat = tf.nest.map_structure(lambda t: tf.identity(tf.convert_to_tensor(t)), result)

        def vjp(dy=None):
            if dy is not None:
                dy = tf.nest.map_structure(tf.convert_to_tensor, dy)
            return tape.gradient(flat, sources, output_gradients=dy)
        return flat, vjp
    return functools.wraps(f)(decorated)


def val_and_grad_function(f, params=None):
    """A function that gives the result of f and the gradients of its parameters; `dy` is that of the result."""
    def decorated(*args, **kwargs):
        dy = kwargs.pop('dy', None)
        if kwargs:
            raise ValueError('Functions to be differentiated cannot receive keyword arguments.')
        value, vjp = make_vjp(f, params)(*args)
        return value, vjp(dy)
    return functools.wraps(f)(decorated)


def gradients_function(f, params=None):
    """A function that gives the gradients of f with respect to its parameters."""
    def decorated(*args, **kwargs):
        return val_and_grad_function(f, params)(*args, **kwargs)[1]
    return functools.wraps(f)(decorated)


def implicit_val_and_grad(f):
    """A function that gives the result of f, and pairs of a gradient and the variable of each that f reads."""
    def decorated(*args, **kwargs):
        with tf.GradientTape() as tape:
            result = f(*args, **kwargs)
            if result is None:
                raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value '
                                 'from %s?' % getattr(f, '__name__', f))
        variables = tape.watched_variables()
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        return result, list(zip(tape.gradient(result, variables), variables))
    return functools.wraps(f)(decorated)


def implicit_grad(f):
    """A function that gives pairs of a gradient and the variable of each that f reads."""
    def decorated(*args, **kwargs):
        return implicit_val_and_grad(f)(*args, **kwargs)[1]
    return functools.wraps(f)(decorated)


def aggregate_indexed_slices_gradients(grads):
    """The sum of gradients of which some are rows of a tensor."""
    if not grads:
        raise ValueError('aggregate_indexed_slices_gradients: no gradients are given')
    given = [g for g in grads if g is not None]
    if len(given) == 1:
        return given[0]
    if any(isinstance(g, tf.Tensor) for g in given):
        return tf.add_n([tf.convert_to_tensor(g) for g in given])
    return tf.IndexedSlices(tf.concat([g.values for g in given], 0), tf.concat([g.indices for g in given], 0),
                            given[0].dense_shape)


# --- tensorflow.python.eager.record ---
@contextlib.contextmanager
def stop_recording():
    """A context that no tape records."""
    _engine.pause_tapes()
    try:
        yield
    finally:
        _engine.resume_tapes()


def could_possibly_record():
    """Whether any tape records."""
    return _engine.is_recorded()


def record_operation(op_type, output_tensors, input_tensors, backward_function, forward_function=None):
    """Tells the tapes how outputs that were computed unseen depend on inputs."""
    _engine.record_gradient(list(output_tensors), list(input_tensors), backward_function)


class VariableWatcher:
    """A context that knows which trainable variables were read or changed inside, in the order in which they were made."""

    def __init__(self):
        self._tape = tf.GradientTape()

    def __enter__(self):
        self._tape.__enter__()
        return self

    def __exit__(self, *error):
        self._tape.__exit__(*error)

    def watched_variables(self):
        """The variables, in a tuple."""
        return self._tape.watched_variables()


# --- tensorflow.python.eager.backprop_util, ops.default_gradient ---
def IsTrainable(tensor_or_dtype):
    """Whether gradients flow through values of this type."""
    dtype = tf.as_dtype(getattr(tensor_or_dtype, 'dtype', tensor_or_dtype))
    return dtype.base_dtype.is_floating or dtype.base_dtype.is_complex or dtype.base_dtype in (tf.resource, tf.variant)


def FlattenNestedIndexedSlices(grad):
    """Rows of rows as rows."""
    return grad


def get_zeros_dtype(t):
    """The type of zeros for the gradient of a tensor."""
    return t.dtype


def shape_and_dtype(t):
    """The shape and type of the default gradient of a tensor."""
    return t.shape, t.dtype


def zeros_like(t):
    """Zeros as the gradient of a tensor."""
    return tf.zeros_like(t)


def ones_like(t):
    """Ones as the gradient of a tensor."""
    return tf.ones_like(t)


def supports_default_grad(t):
    """Whether a gradient of ones can be made without being told more."""
    return t.dtype not in (tf.resource, tf.variant)


for _path, _names in {
        'eager.backprop': 'make_vjp val_and_grad_function gradients_function implicit_val_and_grad implicit_grad '
                          'aggregate_indexed_slices_gradients',
        'eager.tape': 'could_possibly_record record_operation stop_recording',
        'eager.backprop_util': 'IsTrainable FlattenNestedIndexedSlices',
        'eager.record': 'could_possibly_record record_operation stop_recording VariableWatcher',
        'ops.default_gradient': 'get_zeros_dtype shape_and_dtype zeros_like ones_like supports_default_grad'}.items():
    for _name in _names.split():
        setattr(_engine.namespace('python.' + _path), _name, globals()[_name])
