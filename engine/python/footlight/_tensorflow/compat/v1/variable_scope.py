"""tf.compat.v1.get_variable and variable_scope: variables by name, in scopes that say how they are made."""
from __future__ import annotations

import contextlib
import enum
import functools
import threading
import weakref

import footlight as tf
from footlight import _engine
from footlight._graphs.graph import graph_of_variables, unused_name, variable_collections
from footlight._public import alias, publish
from footlight._typing import Any, Callable, DTypeLike, Iterator, ShapeLike, TensorLike

_v1 = tf.compat.v1


class _Reuse(enum.Enum):
    """Whether variables may be there already."""

    AUTO_REUSE = 1

    def __repr__(self) -> str:
        return '<_ReuseMode.AUTO_REUSE: 1>'


AUTO_REUSE = _Reuse.AUTO_REUSE


class VariableScope:
    """What applies to the variables that are made in it."""

    def __init__(self, reuse, name='', initializer=None, regularizer=None, caching_device=None, partitioner=None,
                 custom_getter=None, name_scope='', dtype=tf.float32, use_resource=None, constraint=None):
        self._reuse, self._name, self._initializer, self._regularizer = reuse, name, initializer, regularizer
        self._custom_getter, self._name_scope, self._dtype, self._constraint = custom_getter, name_scope, dtype, constraint
        self._caching_device = caching_device
        self._taken = {}  # default names of scopes in this one -> how often

    name = property(lambda self: self._name, doc='The names of the scopes, joined.')
    original_name_scope = property(lambda self: self._name_scope, doc='The name scope that was entered with it.')
    reuse = property(lambda self: self._reuse, doc='Whether variables must, or may, be there already.')
    initializer = property(lambda self: self._initializer, doc='What makes first values.')
    regularizer = property(lambda self: self._regularizer, doc='What is called for each variable.')
    custom_getter = property(lambda self: self._custom_getter, doc='What is called in place of get_variable.')
    dtype = property(lambda self: self._dtype, doc='The dtype of variables.')
    constraint = property(lambda self: self._constraint, doc='What is applied to values after updates.')
    use_resource = property(lambda self: True, doc='True.')
    caching_device = property(lambda self: self._caching_device, doc='Kept: each read is of the variable itself.')
    partitioner = property(lambda self: None, doc='None: variables are not divided.')

    def reuse_variables(self) -> None:
        """Variables must be there already from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """What makes first values from now on."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """What is called for each variable from now on."""
        self._regularizer = regularizer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """The dtype of variables from now on."""
        self._dtype = dtype

    def set_caching_device(self, caching_device: Any) -> None:
        """Is kept: each read is of the variable itself."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Refuses what divides variables."""
        if partitioner is not None:
            raise NotImplementedError('set_partitioner(): variables are not divided, partitioner must be None')

    def set_use_resource(self, use_resource: Any) -> None:
        """Refuses variables that are no resources: all of them are."""
        if use_resource is False:
            raise ValueError('set_use_resource(False): all variables are resources here; leave the call out')

    def set_custom_getter(self, custom_getter: Any) -> None:
        """What is called in place of get_variable from now on."""
        self._custom_getter = custom_getter

    def get_variable(self, name, **how):
        """A variable of this scope."""
        return get_variable(name, _scope=self, **how)

    def get_collection(self, name):
        """What a collection of the graph has of this scope and of those inside of it."""
        return _v1.get_collection(name, self._name + '/' if self._name else '')

    def trainable_variables(self) -> Any:
        """The trainable variables of this scope."""
        return self.get_collection(_v1.GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> Any:
        """The variables of this scope."""
        return self.get_collection(_v1.GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> Any:
        """The local variables of this scope."""
        return self.get_collection(_v1.GraphKeys.LOCAL_VARIABLES)


class _State(threading.local):
    def __init__(self):
        self.eager = VariableScope(False)
        self.current = None
        self.entered = weakref.WeakKeyDictionary()  # variable_scope -> the scopes entered with it, innermost last
        self.store = None  # variables by name, where ops run when they are called and a template shares its variables


_state = _State()
_by_graph: Any = weakref.WeakKeyDictionary()  # graph -> (its outermost scope, its variables by name)


def _graph() -> tf.Graph | None:
    return None if tf.executing_eagerly() else graph_of_variables() or _v1.get_default_graph()


def _kept(graph):
    if graph not in _by_graph:
        _by_graph[graph] = [VariableScope(False), {}]
    return _by_graph[graph]


def get_variable_scope() -> VariableScope:
    """The scope that is entered."""
    if _state.current is not None:
        return _state.current
    graph = _graph()
    return _state.eager if graph is None else _kept(graph)[0]


def get_variable(name: str, shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
                 initializer: TensorLike | None = None, regularizer: Any = None, trainable: Any = None,
                 collections: Any = None, caching_device: Any = None, partitioner: Any = None,
                 validate_shape: bool = True, use_resource: Any = None, custom_getter: Any = None,
                 constraint: Any = None, synchronization: Any = None, aggregation: Any = None,
                 _scope: Any = None) -> tf.Variable:
    """A variable of the scope that is entered: a new one, or the one of that name in the graph."""
    if not isinstance(name, str):
        raise TypeError(f'get_variable() takes a name, got {name!r}')
    if partitioner is not None:
        raise NotImplementedError('get_variable(): variables are not divided, partitioner must be None')
    scope = get_variable_scope() if _scope is None else _scope
    getter = custom_getter or scope.custom_getter
    how = dict(shape=shape, dtype=scope.dtype if dtype is None else dtype, initializer=initializer or scope.initializer if not
               tf.is_tensor(initializer) and not isinstance(initializer, (list, tuple, int, float)) and not hasattr(
                   initializer, '__array__') else initializer,
               regularizer=regularizer or scope.regularizer, trainable=trainable, constraint=constraint or scope.constraint,
               reuse=scope.reuse, collections=collections)
    full = scope.name + '/' + name if scope.name else name
    if getter is not None:
        return getter(_made_or_found, full, **how)
    return _made_or_found(full, given_dtype=dtype, **how)


def get_local_variable(name: str, shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
                       initializer: Any = None, regularizer: Any = None, trainable: bool = False,
                       collections: Any = None, **how: Any) -> Any:
    """A variable of this process only, which is neither trained nor saved: local_variables() has it."""
    return get_variable(name, shape, dtype, initializer, regularizer, False, list(collections or ()) + ['local_variables'], **how)


def _made_or_found(name, shape=None, dtype=tf.float32, initializer=None, regularizer=None, trainable=None, constraint=None,
                   reuse=None, given_dtype=None, collections=None, **others):
    graph = _graph()
    known = {} if graph is None and _state.store is None else _state.store if graph is None else _kept(graph)[1]
    if name in known:
        if reuse is False or reuse is None:
            raise ValueError(f'Variable {name} already exists, disallowed. Did you mean to set reuse=True or '
                             'reuse=tf.AUTO_REUSE in VarScope?')
        found = known[name]
        if shape is not None and not found.shape.is_compatible_with(shape):
            raise ValueError(f'Trying to share variable {name}, but specified shape {tf.TensorShape(shape)} and found '
                             f'shape {found.shape}.')
        if given_dtype is not None and tf.as_dtype(given_dtype) != found.dtype:
            raise ValueError(f'Trying to share variable {name}, but specified dtype {tf.as_dtype(given_dtype).name} '
                             f'and found dtype {found.dtype.name}.')
        return found
    if graph is not None and reuse is True:
        raise ValueError(f'Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to '
                         'set reuse=tf.AUTO_REUSE in VarScope?')
    dtype = tf.as_dtype(dtype)
    scope, _, leaf = name.rpartition('/')
    inner = graph is not None and _v1.get_default_graph() is not graph  # the body of a loop, a branch or a function
    with graph.as_default() if inner else contextlib.nullcontext(), tf.name_scope(
            scope + '/' if scope else ''), variable_collections(collections):  # names ignore name scopes
        value = _first_value(name, shape, dtype, initializer, given_dtype)
        if graph is not None and callable(value):
            with tf.name_scope(name + '/Initializer/'):
                value = value()
        made = tf.Variable(value, trainable=True if trainable is None else trainable, name=leaf,
                           dtype=None if initializer is not None and not callable(initializer) else dtype, constraint=constraint)
    if graph is not None:
        made._first = value
    if regularizer is not None:
        with tf.name_scope(name + '/Regularizer/'):
            loss = regularizer(made)
        if loss is not None and hasattr(_v1, 'add_to_collection'):
            _v1.add_to_collection('regularization_losses', loss)
    known[name] = made
    return made


@contextlib.contextmanager
def sharing(store: Any) -> Iterator[Any]:
    """A context in which get_variable() finds variables in `store`, a dict, and puts there those that it makes."""
    before, _state.store = _state.store, store
    try:
        yield
    finally:
        _state.store = before


def _first_value(name: str, shape: Any, dtype: Any, initializer: Any, given_dtype: Any) -> Any:
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError('If initializer is a constant, do not specify shape.')
        return tf.convert_to_tensor(initializer, given_dtype)
    shape = None if shape is None else tf.TensorShape(shape)
    if shape is None or not shape.is_fully_defined():
        if isinstance(initializer, type) or initializer is None:
            if shape is None:
                raise ValueError(f'Variable {name} did not get an initializer, so its `shape` argument must be '
                                 'specified.')
            raise ValueError(f'Shape of a new variable ({name}) must be fully defined, but instead was {shape}.')
        if shape is None:
            return initializer
        raise ValueError(f'Shape of a new variable ({name}) must be fully defined, but instead was {shape}.')
    if isinstance(initializer, type):
        initializer = initializer()
    if initializer is None:
        if dtype.is_floating:
            initializer = tf.compat.v1.glorot_uniform_initializer()
        elif dtype.is_integer or dtype in (tf.bool, tf.string):
            return tf.zeros(shape, dtype)
        else:
            raise ValueError(f'An initializer for Variable {name} of {dtype} is required')
    return lambda: initializer(shape.as_list(), dtype=dtype)


@contextlib.contextmanager
def _at_root_of(graph: tf.Graph | None) -> Iterator[Any]:
    """A context in which ops go into the graph, outside of all name scopes; of None, one that changes nothing."""
    if graph is None:
        yield
        return
    with graph.as_default(), tf.name_scope(''):
        yield


def _new_variable(cls, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
                  name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
                  use_resource=None, synchronization=tf.VariableSynchronization.AUTO,
                  aggregation=tf.VariableAggregation.NONE, shape=None, experimental_enable_variable_lifting=None):
    graph, inner = graph_of_variables(), False
    if graph is not None and not graph.building_function:
        # In a loop, a branch or a function the variable is one of the graph around, without the name of what it is in.
        inner = tf.inside_function() and not tf.is_symbolic_tensor(initial_value)
        if inner or not tf.inside_function():
            with _at_root_of(graph if inner else None):
                initial_value = initial_value() if callable(initial_value) else initial_value
                name = unused_name(graph, name or 'Variable')
    with variable_collections(collections), _at_root_of(graph if inner else None):
        made = tf.Variable(initial_value, trainable=trainable, validate_shape=validate_shape, name=name, dtype=dtype,
                           constraint=constraint, synchronization=synchronization, aggregation=aggregation, shape=shape)
    made._first = initial_value if made.__dict__.get('_made_in') is not None and tf.is_symbolic_tensor(initial_value) else None
    return made


VariableV1 = _engine.variable_subclass('VariableV1', {
    '__new__': _new_variable, '__module__': 'footlight.compat.v1', '__qualname__': 'VariableV1',
    '__doc__': 'tf.compat.v1.Variable: makes a tf.Variable that collections of the graph know.'})


class variable_scope:
    """A context in which variables have names below this one, and are made as it says. It can be entered again."""

    def __init__(self, name_or_scope: str | VariableScope | None, default_name: Any = None, values: Any = None,
                 initializer: Any = None, regularizer: Any = None, caching_device: Any = None, partitioner: Any = None,
                 custom_getter: Any = None, reuse: bool | None = None, dtype: Any = None, use_resource: Any = None,
                 constraint: Any = None, auxiliary_name_scope: bool = True) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError('If default_name is None then name_or_scope is required')
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError('VariableScope: name_or_scope must be a string or VariableScope.')
        self._how = (name_or_scope, default_name, initializer, regularizer, caching_device, custom_getter, reuse, dtype, constraint,
                     auxiliary_name_scope)

    def __enter__(self) -> VariableScope:
        entered = _entered_scope(*self._how)
        made = entered.__enter__()
        _state.entered.setdefault(self, []).append(entered)
        return made

    def __exit__(self, *error: Any) -> bool:
        return _state.entered[self].pop().__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def within(*args, **kwargs):
            with _entered_scope(*self._how):
                return function(*args, **kwargs)
        return within


@contextlib.contextmanager
def _entered_scope(name_or_scope, default_name, initializer, regularizer, caching_device, custom_getter, reuse, dtype, constraint,
                   auxiliary_name_scope):
    outer = get_variable_scope()
    if isinstance(name_or_scope, VariableScope):
        base, name, label = name_or_scope, name_or_scope.name, name_or_scope.name.rpartition('/')[2]
    else:
        if name_or_scope is None:
            count = outer._taken[default_name] = outer._taken.get(default_name, -1) + 1
            name_or_scope = f'{default_name}_{count}' if count else default_name
        else:
            outer._taken.setdefault(name_or_scope, 0)
        base, label = outer, name_or_scope
        name = outer.name + '/' + label if outer.name else label
    inherited = base.reuse or outer.reuse
    made = VariableScope(reuse or inherited, name, initializer or base.initializer, regularizer or base.regularizer,
                         caching_device or base.caching_device, None,
                         _both(custom_getter, base.custom_getter), dtype=base.dtype if dtype is None else dtype,
                         constraint=constraint or base.constraint)
    before = _state.current
    _state.current = made
    try:
        if auxiliary_name_scope and label:
            with tf.name_scope(label) as entered:
                made._name_scope = entered
                yield made
        else:
            yield made
    finally:
        _state.current = before


def _both(inner, outer):
    if inner is None or outer is None:
        return inner or outer
    return lambda getter, *args, **kwargs: inner(lambda *a, **k: outer(getter, *a, **k), *args, **kwargs)


def variables_initializer(var_list: Any = None, name: str | None = 'init') -> tf.Operation | None:
    """An operation that gives variables their first values in a session."""
    return tf.group(*[v.initializer for v in var_list or () if getattr(v, '_made_in', None) is not None], name=name)


def global_variables_initializer() -> tf.Operation | None:
    """An operation for all variables of the graph."""
    return variables_initializer(None if tf.executing_eagerly() else _v1.global_variables())


def local_variables_initializer() -> Any:
    """An operation for all variables that are not kept."""
    return variables_initializer(None if tf.executing_eagerly() else _v1.local_variables(), 'init_local')


def tables_initializer(name: str | None = 'init_all_tables') -> Any:
    """An operation for all tables of the graph, which have their contents when they are made."""
    return tf.group(name=name)


publish('tf.compat.v1', variables_initializer, global_variables_initializer, local_variables_initializer,
        tables_initializer, get_local_variable, VariableScope)
publish('tf.compat.v1 tf', get_variable, get_variable_scope, variable_scope)
alias('tf.compat.v1 tf', AUTO_REUSE=AUTO_REUSE)
alias('tf.compat.v1', Variable=VariableV1)
