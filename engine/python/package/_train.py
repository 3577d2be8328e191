"""tf.train's optimizers of TensorFlow 1."""
import footlight as tf


class Optimizer:
    """Base class of optimizers: a subclass defines how one gradient updates one variable."""

    def __init__(self, use_locking=False, name='Optimizer'):
        if not name:
            raise ValueError('an optimizer must have a name')
        self._use_locking, self._name = use_locking, name

    def get_name(self):
        return self._name

    def variables(self):
        """The variables that the optimizer created."""
        return []

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """(gradient, variable) pairs of `loss`, a function without arguments."""
        if not callable(loss):
            if tf.executing_eagerly():
                raise RuntimeError('`loss` must be a function when executing eagerly: lambda: ...')
            if var_list is None:
                raise ValueError('var_list must be given where the loss is a tensor')
            return list(zip(tf.gradients(loss, var_list, grad_ys=grad_loss), var_list))
        with tf.GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
            if var_list is None:
                var_list = tape.watched_variables()
        var_list = list(var_list)
        return list(zip(tape.gradient(value, var_list, output_gradients=grad_loss), var_list))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Updates the variables; increments `global_step`."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError('No variables provided.')
        used = [(g, v) for g, v in pairs if g is not None]
        if not used:
            raise ValueError('No gradients provided for any variable: ' + ', '.join(v.name for _, v in pairs))
        with tf.name_scope(name or self._name):
            self._prepare([v for _, v in used])
            for gradient, variable in used:
                self._apply(gradient, variable)
            if global_step is not None:
                global_step.assign_add(tf.ones([], global_step.dtype))

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """compute_gradients and apply_gradients."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError('No gradients provided for any variable, check that the loss depends on them: ' +
                             ', '.join(v.name for _, v in pairs))
        return self.apply_gradients(pairs, global_step, name)

    def _prepare(self, variables):
        """Creates the optimizer's own variables for these variables."""

    def _apply(self, gradient, variable):
        raise NotImplementedError(f'{type(self).__name__} does not say how a gradient changes a variable')

    @staticmethod
    def _number(value, dtype):
        return tf.cast(value() if callable(value) else value, dtype)


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient"""

    def __init__(self, learning_rate, use_locking=False, name='GradientDescent'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply(self, gradient, variable):
        rate = self._number(self._learning_rate, variable.dtype)
        if isinstance(gradient, tf.IndexedSlices):
            variable.scatter_sub(tf.IndexedSlices(gradient.values * rate, gradient.indices))
        else:
            variable.assign_sub(rate * gradient)


for _object in (Optimizer, GradientDescentOptimizer):
    _object.__module__ = 'footlight.train'
    for _namespace in (tf.train, tf.compat.v1.train):
        setattr(_namespace, _object.__name__, _object)
