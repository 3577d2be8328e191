"""State and order in graphs, as far as Python does it: tf.tuple, tf.CriticalSection, options of tf.config, old names."""
from __future__ import annotations

import contextlib
import functools
import sys
import threading
import types

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Callable, Iterator


def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors as a list; in a graph each is there only when all are."""
    if not tensors:
        raise ValueError('`tensors` must contain at least one Tensor.')
    if tf.executing_eagerly():
        return tensors
    given = [t for t in tensors if t is not None]
    if not given:
        raise ValueError(f'`tensors` must have at least one Tensor. Received {tensors!r}')
    with tf.name_scope(name or 'tuple'):
        gate = tf.group(given, list(control_inputs or []))
        with tf.control_dependencies([gate]):
            return [t if t is None else tf.identity(t) for t in tensors]


class CriticalSection:
    """Runs functions one at a time: what they do to variables is not mixed with what another thread does."""

    def __init__(self, name: str | None = None, shared_name: Any = None, critical_section_def: Any = None,
                 import_scope: Any = None) -> None:
        self._name, self._lock = name or shared_name or 'critical_section', threading.RLock()

    name = property(lambda self: self._name)

    def execute(self, fn: Callable[..., Any], exclusive_resource_access: bool = True,
                name: str | None = None) -> tf.Tensor:
        """fn(), while no other thread is inside."""
        with self._lock, tf.name_scope(name or 'critical_section_execute'):
            found = fn()
            return tf.nest.map_structure(lambda t: t if t is None else tf.convert_to_tensor(t), found)


def guarantee_const(input: Any, name: str | None = None) -> Any:
    """The input; it is taken for a promise that it does not change."""
    return tf.identity(input, name=name)


class RegisterGradient:
    """Decorates the gradient function of a custom op type."""

    _known: dict[Any, Any] = {}

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f):
        if self._op_type in _engine.op_names():
            raise KeyError(f"Registering two gradient with name '{self._op_type}'! (It is an op with a gradient of its "
                           'own: give yours another name, and use tf.Graph.gradient_override_map)')
        if self._op_type in self._known:
            raise KeyError(f"Registering two gradient with name '{self._op_type}'! (Previous registration was in "
                           f'{self._known[self._op_type].__name__})')
        self._known[self._op_type] = f
        return f


def registered_gradient(op_type: Any, op: Any, gradients: Any) -> list[Any]:
    """The gradients of the inputs of `op` by the function registered for a type of op, or None."""
    from footlight import _gradients
    if op_type in _gradients._not_differentiable:
        return [None] * len(op.inputs)
    if op_type not in RegisterGradient._known:
        raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type}): nothing is registered "
                          f'for {op_type!r} with @tf.RegisterGradient')
    found = RegisterGradient._known[op_type](op, *gradients)
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    if len(found) != len(op.inputs):
        raise ValueError(f'Num gradients {len(found)} generated for op {op.node_def} do not match num inputs '
                         f'{len(op.inputs)}')
    return found


@contextlib.contextmanager
def function_executor_type(executor_type: Any) -> Iterator[Any]:
    """A context manager: calls of traced functions that graphs make inside name this executor; here all run alike."""
    known = ('', 'DEFAULT', 'SINGLE_THREADED_EXECUTOR')
    if executor_type is not None and executor_type not in known:
        raise tf.errors.NotFoundError(None, None, 'No executor factory registered for the given executor type: '
                                                  f"{executor_type} Registered factories are {{{', '.join(known)}}}.")
    before = _engine.set_executor_type(executor_type or '')
    try:
        yield
    finally:
        _engine.set_executor_type(before)


def get_initialization_function(self, *args, **kwargs):
    """Traces the function; gives a function that sets the variables which it made to what they began with."""
    if self._list_all_concrete_functions():
        raise RuntimeError('get_initialization_function cannot be called after the function has been used')
    made = []

    def note(creator, **arguments):
        made.append(creator(**arguments))
        return made[-1]
    with tf.variable_creator_scope(note):
        self.get_concrete_function(*args, **kwargs)
    values = [v.read_value() for v in made]

    def initialize_variables():
        for variable, value in zip(made, values, strict=True):
            variable.assign(value)
    return tf.function(initialize_variables, autograph=False).get_concrete_function()


def nondifferentiable_batch_function(num_batch_threads: Any, max_batch_size: Any, batch_timeout_micros: Any,
                                     allowed_batch_sizes: Any = None, max_enqueued_batches: Any = 10,
                                     autograph: bool = True,
                                     enable_large_batch_splitting: bool = True) -> Callable[..., Any]:
    """Decorates a function over batches; each call is a batch of its own here. No gradients flow through it."""
    def decorate(function):
        traced = tf.function(function, autograph=autograph)

        @functools.wraps(function)
        def batched(*args):
            return tf.nest.map_structure(tf.stop_gradient, traced(*args))
        return batched
    return decorate


# --- tf.config.optimizer: what is asked for; results do not depend on it ---
_jit = ['']
_options: dict[str, Any] = {}


def set_jit(enabled: Any) -> None:
    """Asks for compiled programs."""
    if enabled not in (True, False, 'autoclustering', ''):
        raise ValueError(f'Invalid jit config {enabled!r}: True, False or "autoclustering"')
    _jit[0] = 'autoclustering' if enabled else ''


def get_jit() -> Any:
    """The mode that set_jit() asked for: 'autoclustering' or ''."""
    return _jit[0]


def set_experimental_options(options: Any) -> None:
    """Switches passes over graphs on or off, by their names in TensorFlow."""
    _options.update(options)


def get_experimental_options() -> Any:
    """The options that were set."""
    return dict(_options)


publish('tf', CriticalSection, guarantee_const, RegisterGradient, nondifferentiable_batch_function, tuple=tuple_)
publish('tf.experimental', function_executor_type)
_engine.extend(tf.types.experimental.PolymorphicFunction, 'get_initialization_function', get_initialization_function)
tf.contrib.eager.defun = tf.function
tf.config.experimental_functions_run_eagerly = tf.config.functions_run_eagerly
_optimizer = tf.config.optimizer = sys.modules['footlight.config.optimizer'] = types.ModuleType('footlight.config.optimizer')
publish('tf.config.optimizer', set_jit, get_jit, set_experimental_options, get_experimental_options)
