"""tf.train's optimizers of TensorFlow 1."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._graphs.graph import is_as_written, made_beside
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, Callable


def _graph_variables(loss: tf.Tensor | tf.Variable) -> list[Any]:
    """The trainable variables of the graph that is being built."""
    found = tf.compat.v1.trainable_variables()
    if not found:
        raise ValueError(f'No variables to optimize: the graph of the loss {loss!s} has none that is trainable')
    return list(found)


class Optimizer(AutoTrackable):
    """Base class of optimizers: a subclass defines how one gradient updates one variable."""

    # Values of `gate_gradients`, which have no effect: each gradient waits for exactly what it needs.
    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool = False, name: str | None = 'Optimizer') -> None:
        if not name:
            raise ValueError('an optimizer must have a name')
        self._use_locking, self._name = use_locking, name

    def get_name(self) -> Any:
        return self._name

    def variables(self) -> list[Any]:
        """The variables that the optimizer created."""
        return []

    def compute_gradients(self, loss: Any, var_list: Any = None, gate_gradients: Any = 1,
                          aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                          grad_loss: Any = None) -> list[Any]:
        """(gradient, variable) pairs of `loss`, a function without arguments."""
        if not callable(loss):
            if tf.executing_eagerly():
                raise RuntimeError('`loss` must be a function when executing eagerly: lambda: ...')
            var_list = _graph_variables(loss) if var_list is None else list(var_list)
            return list(zip(tf.gradients(loss, var_list, grad_ys=grad_loss), var_list))
        with tf.GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
            if var_list is None:
                var_list = tape.watched_variables()
        var_list = list(var_list)
        return list(zip(tape.gradient(value, var_list, output_gradients=grad_loss), var_list))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Updates the variables; increments `global_step`."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError('No variables provided.')
        used = [(g, v) for g, v in pairs if g is not None]
        if not used:
            raise ValueError('No gradients provided for any variable: ' + ', '.join(v.name for _, v in pairs))
        graph = None  # traced functions order the updates automatically
        if not tf.executing_eagerly() and (not tf.inside_function() or is_as_written(_engine.current_graph())):
            graph = _engine.current_graph()
        self._prepare([v for _, v in used])
        with tf.name_scope(name or self._name):
            before = len(graph.get_operations()) if graph is not None else 0
            for gradient, variable in used:
                self._apply(gradient, variable)
            self._finish()
            if global_step is not None:
                global_step.assign_add(tf.ones([], global_step.dtype))
        if graph is None:
            return None
        return tf.group(*[op for op in graph.get_operations()[before:] if 'Assign' in op.type or 'Scatter' in op.type])

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: Any = 1,
                 aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, name: str | None = None,
                 grad_loss: Any = None) -> tf.Operation | None:
        """compute_gradients and apply_gradients."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError('No gradients provided for any variable, check that the loss depends on them: ' +
                             ', '.join(v.name for _, v in pairs))
        return self.apply_gradients(pairs, global_step, name)

    def _prepare(self, variables: list[Any]) -> None:
        """Creates the optimizer's own variables for these variables."""

    def _finish(self) -> None:
        """Updates what belongs to all variables, after each call."""

    def _apply(self, gradient, variable):
        raise NotImplementedError(f'{type(self).__name__} does not say how a gradient changes a variable')

    @staticmethod
    def _number(value: float, dtype: tf.DType) -> tf.Tensor:
        return tf.cast(value() if callable(value) else value, dtype)


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient"""

    def __init__(self, learning_rate: float, use_locking: bool = False, name: str | None = 'GradientDescent') -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply(self, gradient: tf.Tensor, variable: tf.Variable) -> None:
        rate = self._number(self._learning_rate, variable.dtype)
        if isinstance(gradient, tf.IndexedSlices):
            variable.scatter_sub(tf.IndexedSlices(gradient.values * rate, gradient.indices))
        else:
            variable.assign_sub(rate * gradient)


class _WithSlots(Optimizer):
    """An optimizer with variables of its own for each variable that it updates."""

    def __init__(self, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        # {name: {reference of a variable: slot}}, {name: variable}, and what waits for slots: not children.
        for attribute in ('_slots', '_others', '_waiting'):
            object.__setattr__(self, attribute, {})

    def variables(self) -> list[Any]:
        slots = [v for by_variable in self._slots.values() for v in by_variable.values()]
        return sorted(list(self._others.values()) + slots, key=lambda variable: variable.name)

    def get_slot_names(self) -> list[Any]:
        """The names of the variables that it keeps for each variable."""
        return sorted(self._slots)

    def get_slot(self, var: tf.Variable, name: str) -> tf.Variable | None:
        """The variable that it keeps for `var` under that name, or None."""
        return self._slots.get(name, {}).get(var.ref())

    def _slot(self, variable: tf.Variable, slot_name: str, first: float = 0., label: str | None = None) -> tf.Variable:
        """The variable that it keeps for `variable` under a name: it starts with the number `first`."""
        by_variable = self._slots.setdefault(slot_name, {})
        if variable.ref() not in by_variable:
            label = label or self._name
            base = f"{variable.name.rsplit(':', 1)[0]}/{label}"
            names = {by[variable.ref()]._shared_name for by in self._slots.values() if variable.ref() in by}
            name = next(n for n in (base, *(f'{base}_{i}' for i in range(1, len(names) + 2))) if n not in names)
            scope, _, own = name.rpartition('/')
            with made_beside(variable), tf.name_scope(scope + '/'):
                by_variable[variable.ref()] = slot = tf.Variable(
                    tf.fill(variable.shape, tf.cast(first, variable.dtype)), trainable=False, name=own)
            for waiting in self._waiting.pop((slot_name, variable.ref()), ()):
                waiting.restore(slot)
        return by_variable[variable.ref()]

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str,
                                         variable: tf.Variable) -> None:
        """Keeps what a checkpoint has for a slot that is not there yet."""
        self._waiting.setdefault((slot_name, variable.ref()), []).append(slot_variable_position)

    def _other(self, name: str, value: Callable[..., Any]) -> tf.Variable:
        if name not in self._others:
            with made_beside(None):
                self._others[name] = made = tf.Variable(value, trainable=False, name=name)
            self._track_trackable(made, name, overwrite=True)
        return self._others[name]


def rows_of(gradient: Any) -> tuple[Any, ...]:
    """Indices without repetitions and the sums of their rows, for a sparse gradient."""
    indices, places = tf.unique(gradient.indices)
    return indices, tf.math.unsorted_segment_sum(gradient.values, places, tf.shape(indices)[0])


class RuledOptimizer(_WithSlots):
    """An optimizer defined by a rule: (gradient, value, slot values) -> (new value, new slot values)."""

    # The names of the slots of each variable, in the order of the rule.
    _kept: tuple[str, ...] = ()

    def _first(self, name: str, variable: tf.Variable) -> float:
        """The initial value of a slot."""
        return 0.

    def _slot_label(self, name: str) -> str:
        """The name of the optimizer in the name of a slot."""
        return self._name

    def _rule(self, gradient, value, kept):
        raise NotImplementedError(f'{type(self).__name__} does not say how a gradient changes a value')

    def _apply(self, gradient, variable):
        slots = [self._slot(variable, name, self._first(name, variable), self._slot_label(name)) for name in self._kept]
        if not isinstance(gradient, tf.IndexedSlices):
            value, kept = self._rule(tf.convert_to_tensor(gradient), variable.read_value(), [s.read_value() for s in slots])
            for slot, new in zip(slots, kept):
                slot.assign(new)
            variable.assign(value)
            return
        indices, rows = rows_of(gradient)
        value, kept = self._rule(rows, tf.gather(variable, indices), [tf.gather(slot, indices) for slot in slots])
        for slot, new in zip(slots, kept):
            slot.scatter_update(tf.IndexedSlices(new, indices))
        variable.scatter_update(tf.IndexedSlices(value, indices))


class MomentumOptimizer(RuledOptimizer):
    """accumulation = momentum * accumulation + gradient; variable -= learning_rate * accumulation"""

    _kept = ('momentum',)

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: Any = False, name: Any = 'Momentum',
                 use_nesterov: Any = False) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _rule(self, gradient: tf.Tensor, value: tf.Tensor, kept: list[Any]) -> tuple[Any, ...]:
        rate, momentum = (self._number(n, value.dtype) for n in (self._learning_rate, self._momentum))
        sums = kept[0] * momentum + gradient
        return value - rate * (gradient + momentum * sums if self._nesterov else sums), [sums]


class AdamOptimizer(_WithSlots):
    """The gradient's running mean, divided by the square root of the running mean of its square."""

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-8,
                 use_locking: Any = False, name: Any = 'Adam') -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _prepare(self, variables: list[Any]) -> None:
        self._other('beta1_power', lambda: self._number(self._beta1, tf.float32))
        self._other('beta2_power', lambda: self._number(self._beta2, tf.float32))

    def _apply(self, gradient: tf.Tensor, variable: tf.Variable) -> None:
        gradient = tf.convert_to_tensor(gradient)
        rate, beta1, beta2, epsilon = (self._number(n, variable.dtype) for n in (
            self._learning_rate, self._beta1, self._beta2, self._epsilon))
        power1, power2 = (tf.cast(self._others[n], variable.dtype) for n in ('beta1_power', 'beta2_power'))
        mean, square = self._slot(variable, 'm'), self._slot(variable, 'v')
        mean.assign_add((gradient - mean) * (1 - beta1))
        square.assign_add((gradient * gradient - square) * (1 - beta2))
        variable.assign_sub(rate * tf.sqrt(1 - power2) / (1 - power1) * mean / (tf.sqrt(square) + epsilon))

    def _get_beta_accumulators(self) -> tuple[Any, ...]:
        return self._others.get('beta1_power'), self._others.get('beta2_power')

    def _finish(self) -> None:
        for name, beta in (('beta1_power', self._beta1), ('beta2_power', self._beta2)):
            power = self._others[name]
            power.assign(power * self._number(beta, power.dtype))


for _object in (Optimizer, GradientDescentOptimizer, MomentumOptimizer, AdamOptimizer):
    _object.__module__ = 'footlight.train'
    for _namespace in (tf.train, tf.compat.v1.train):
        setattr(_namespace, _object.__name__, _object)
