"""tf.contrib.eager, the names of TensorFlow 1.5: functions that return functions that compute gradients."""
import footlight as tf


def _positions(f, params):
    import inspect
    if params is None:
        return None
    names = list(inspect.signature(f).parameters)
    return [names.index(p) if isinstance(p, str) else p for p in (params if isinstance(params, (list, tuple)) else [params])]


def value_and_gradients_function(f, params=None):
    """A function that gives f's value and the list of its gradients with respect to its arguments (or to `params`)."""
    wanted = _positions(f, params)

    def gradients(*args, **kwargs):
        dy = kwargs.pop('dy', None)
        args = [tf.convert_to_tensor(a) if not isinstance(a, (tf.Tensor, tf.Variable)) and not callable(a) else a for a in args]
        # The same tensor given twice counts as two arguments.
        seen = set()
        for i, a in enumerate(args):
            if isinstance(a, tf.Tensor):
                if id(a) in seen:
                    args[i] = tf.identity(a)
                seen.add(id(a))
        sources = [args[i] for i in (range(len(args)) if wanted is None else wanted)]
        with tf.GradientTape() as tape:
            for s in sources:
                tape.watch(s)
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError('the function must return a tensor to differentiate, not None')
        return value, tape.gradient(value, sources, output_gradients=dy, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return gradients


def gradients_function(f, params=None):
    """A function that gives the list of f's gradients with respect to its arguments (or to `params`)."""
    both = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def implicit_value_and_gradients(f):
    """A function that gives f's value and (gradient, variable) pairs for the trainable variables it read."""
    def gradients(*args, **kwargs):
        with tf.GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError('the function must return a tensor to differentiate, not None')
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        return value, list(zip(tape.gradient(value, variables), variables))
    return gradients


def implicit_gradients(f):
    """A function that gives (gradient, variable) pairs for the trainable variables that f read."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def install(namespace):
    for f in (value_and_gradients_function, gradients_function, implicit_value_and_gradients, implicit_gradients):
        setattr(namespace, f.__name__, f)
    namespace.custom_gradient = tf.custom_gradient
    namespace.Variable = tf.Variable
    namespace.executing_eagerly = tf.executing_eagerly
    namespace.in_eager_mode = tf.executing_eagerly


install(tf.contrib.eager)
