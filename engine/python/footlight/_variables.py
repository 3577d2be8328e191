"""The rarer members of tf.Variable, and tf.variable_creator_scope."""
from __future__ import annotations

import _thread
import contextlib

import footlight as tf
from footlight import _engine
from footlight._enums import VariableAggregationV2, VariableSynchronization
from footlight._graphs.graph import depends_on_type
from footlight._public import publish
from footlight._typing import Any, Callable, Iterator


def _member(kind: Any, name: str | None = None) -> Callable[..., Any]:
    def add(f):
        _engine.extend(kind, name or f.__name__, f)
        return f
    return add


def _refused(what: str) -> Callable[..., Any]:
    def refuse(self, *args, **kwargs):
        if not tf.executing_eagerly():
            raise NotImplementedError(f'Variable.{what}: a variable of a traced function has no session to ask')
        raise RuntimeError(f'Variable.{what} is not supported when eager execution is enabled.')
    refuse.__name__ = what
    return refuse


class _HiddenMember:
    """Stands in a subclass of tf.Variable for a member that only variables of the engine have: the subclass may have a
    __getattr__ that passes it on."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance, owner=None):
        raise AttributeError(f'{owner.__name__!r} object has no attribute {self.name!r}')


def _hide_engine_members(cls: Any, **kwargs: Any) -> None:
    """Hides what tf.Variable has here besides its abstract members, so that a subclass's __getattr__ is asked for it."""
    super(tf.Variable, cls).__init_subclass__(**kwargs)
    above = cls.__mro__[:cls.__mro__.index(tf.Variable)]
    for name in _ENGINE_MEMBERS:
        if not any(name in vars(kind) for kind in above):
            setattr(cls, name, _HiddenMember(name))


_ENGINE_MEMBERS = ('numpy handle is_initialized read_value_no_copy scatter_nd_max scatter_nd_min create _handle_name _number '
                   '_type_spec _unique_id _trainable').split()
_engine.extend(tf.Variable, '__init_subclass__', classmethod(_hide_engine_members))


# Python functions, because mock turns only replacements of functions into methods.
def _assigning(change):
    def assign(self, value, use_locking=False, name=None, read_value=True):
        return change(self, value, name=name, read_value=read_value) if name or not read_value else change(self, value)

    def with_delta(self, delta, use_locking=False, name=None, read_value=True):
        return change(self, delta, name=name, read_value=read_value) if name or not read_value else change(self, delta)
    made = assign if change.__name__ == 'assign' else with_delta
    made.__name__, made.__doc__ = change.__name__, change.__doc__
    made.__qualname__ = 'Variable.' + change.__name__
    return made


for _name in ('assign', 'assign_add', 'assign_sub'):
    _engine.extend(tf.Variable, _name, _assigning(getattr(tf.Variable, _name)))


class SaveSliceInfo:
    """The part of a larger variable that a variable holds, for checkpoints that combine the parts."""

    def __init__(self, full_name: str | None = None, full_shape: Any = None, var_offset: Any = None,
                 var_shape: Any = None, save_slice_info_def: Any = None, import_scope: Any = None) -> None:
        if save_slice_info_def is not None:
            raise NotImplementedError('SaveSliceInfo: save_slice_info_def is not supported; give the four parts')
        self.full_name, self.full_shape, self.var_offset, self.var_shape = full_name, full_shape, var_offset, var_shape

    @property
    def spec(self) -> str:
        """The part in the notation of checkpoints: "4 3 1,2:0,3"."""
        parts = [f'{o},{s}' for o, s in zip(self.var_offset, self.var_shape)]
        return ' '.join([f'{d}' for d in self.full_shape]) + ' ' + ':'.join(parts)

    def to_proto(self, export_scope=None):
        """The parts as an object with the fields of a SaveSliceInfoDef; None outside of `export_scope`."""
        if export_scope is not None and not self.full_name.startswith(export_scope):
            return None
        name = self.full_name if export_scope is None else self.full_name[len(export_scope):].lstrip('/')
        return SaveSliceInfo(name, list(self.full_shape), list(self.var_offset), list(self.var_shape))


SaveSliceInfo.__qualname__ = 'Variable.SaveSliceInfo'
SaveSliceInfo.__module__ = 'footlight'
_engine.extend(tf.Variable, 'SaveSliceInfo', SaveSliceInfo)

_engine.extend(tf.Variable, 'to_proto', _refused('to_proto'))
_engine.extend(tf.Variable, 'create', property(_refused('create')))


def _initial_value(self: tf.Variable) -> tf.Tensor:
    """The first value of a graph's variable, as a tensor of the graph."""
    graph = self.__dict__.get('_made_in')
    if graph is None:
        return _refused('initial_value')(self)
    with graph.as_default(), tf.control_dependencies(None):
        return _first_of(self)


_engine.extend(tf.Variable, 'initial_value', property(_initial_value))


@_member(tf.Variable)
def eval(self, session=None):
    """The value of a graph's variable in a session: the given one, or the one that is entered."""
    if self.__dict__.get('_made_in') is None:
        return _refused('eval')(self)
    session = session or tf.compat.v1.get_default_session()
    if session is None:
        raise ValueError('Cannot evaluate a variable using `eval()`: no default session is registered. Use `with '
                         'sess.as_default()` or pass an explicit session to `eval(session=sess)`')
    return session.run(self)


# Libraries freeze variables with it, such as GPflow.
_engine.extend(tf.Variable, '_trainable', property(lambda self: self.trainable, _engine.set_trainable))


def _from_proto(variable_def, import_scope=None):
    raise NotImplementedError('Variable.from_proto: variables are not made of a VariableDef here; restore a checkpoint '
                              'or assign a value')


_from_proto.__name__ = 'from_proto'
_engine.extend(tf.Variable, 'from_proto', staticmethod(_from_proto))


def _initializer(self):
    """The operation that gives a graph's variable its first value in a session; None for other variables."""
    graph = self.__dict__.get('_made_in')
    if graph is None:
        graph = _engine.current_graph()
        return None if graph is None or graph.building_function else tf.group(name=self._shared_name + '/Assign')
    made = graph._state.setdefault('initializers', {})
    with graph.as_default(), tf.control_dependencies(None), tf.name_scope(self._shared_name + '/'):
        handle = graph._capture(self.handle)
        if handle.name not in made:
            made[handle.name] = tf.raw_ops.AssignVariableOp(resource=handle, value=_first_of(self), name='Assign')
    return made[handle.name]


def _first_of(variable):
    """The first value as a tensor of the graph. One that is computed from other variables is what it was at the start:
    they may not have theirs yet."""
    first = variable.__dict__.get('_first')
    if tf.is_symbolic_tensor(first) and first.graph is variable._made_in and not depends_on_type(first.op, 'ReadVariableOp'):
        return first
    with tf._eager_scope():
        first = variable.read_value()
    return tf.constant(first.numpy(), first.dtype, name='initial_value')


_engine.extend(tf.Variable, 'initializer', property(_initializer, doc=_initializer.__doc__))


def _op(self: tf.Variable) -> tf.Operation | None:
    """In a graph that is built the operation that stands for the variable there; of what assign() gives, the assignment."""
    update = self.__dict__.get('_update')
    if update is not None:
        return update
    graph = _engine.current_graph()
    if self.name == 'UnreadVariable':  # the result of assign() in eager mode
        return None
    return (self.handle if graph is None or graph.building_function else graph._capture(self.handle)).op


_engine.extend(tf.Variable, 'op', property(_op, doc=_op.__doc__))
_engine.extend(tf.Variable, 'graph', property(lambda self: self.handle.graph))
_engine.extend(tf.Variable, '_shared_name', property(lambda self: self.name.rsplit(':', 1)[0]))
_engine.extend(tf.Variable, '_unique_id', property(lambda self: f'{self._shared_name}_{self._number}',
                                                   doc='A name that no other variable has.'))
_engine.extend(tf.Variable, '_handle_name', property(  # loading a file may rename it
    lambda self: self.name, lambda self, name: setattr(self, '_own_name', name)))


def _restore(kwargs: dict[Any, Any]) -> tf.Variable:
    return tf.Variable(**kwargs)


@_member(tf.Variable)
def __reduce__(self):
    return _restore, (dict(initial_value=self.read_value(), trainable=self.trainable, name=self._shared_name,
                           shape=self.shape, constraint=self.constraint, synchronization=self.synchronization,
                           aggregation=self.aggregation),)


@_member(tf.Variable)
def initialized_value(self):
    """The value; of a graph's variable that has none yet in a session, its first value."""
    if self.__dict__.get('_made_in') is None or tf.inside_function():
        return self.read_value()
    return tf.cond(tf.compat.v1.is_variable_initialized(self), self.read_value, lambda: _first_of(self))


@_member(tf.Variable)
def read_value_no_copy(self):
    """The value as a tensor that shares the variable's memory until the variable is written."""
    return self.read_value()


@_member(tf.Variable)
def load(self: Any, value: Any, session: Any = None) -> None:
    """Assigns a value to the variable; where a session keeps the values, in `session` or the default one."""
    if tf.executing_eagerly():
        self.assign(value)
        return
    session = session or tf.compat.v1.get_default_session()
    if session is None:
        raise ValueError('Either session argument should be provided or default session should be established: '
                         'variable.load(value, session), or variable.load(value) inside of `with session:`')
    session._load(self, value)


@_member(tf.Variable)
def batch_scatter_update(self: Any, sparse_delta: Any, use_locking: bool = False,
                         name: str | None = None) -> tf.Variable:
    """Assigns rows, batch by batch: the leading dimensions of the indices are those of the variable."""
    if not isinstance(sparse_delta, tf.IndexedSlices):
        raise TypeError(f'Argument `sparse_delta` must be a `tf.IndexedSlices`, not {type(sparse_delta).__name__}')
    indices = tf.convert_to_tensor(sparse_delta.indices)
    rank = indices.shape.rank
    if rank is None:
        raise ValueError('batch_scatter_update: the rank of the indices must be known')
    sizes = tf.shape(indices, out_type=indices.dtype)
    parts = []
    for d in range(rank - 1):
        along = [1] * rank
        along[d] = -1
        parts.append(tf.broadcast_to(tf.reshape(tf.range(sizes[d]), along), sizes))
    return self.scatter_nd_update(tf.stack(parts + [indices], axis=-1), sparse_delta.values, name=name)


_creators = _thread._local()


def _create(*args, **kwargs):
    stack = getattr(_creators, 'stack', ())
    if not stack:
        return _engine.make_variable(*args, **kwargs)
    given = dict(_DEFAULTS)
    given.update(zip(given, args))
    for name, value in kwargs.items():
        if name not in given:
            raise TypeError(f'tf.Variable() got an unexpected keyword argument {name!r}')
        given[name] = value
    make = _engine.make_variable
    for creator in stack:
        make = _next(creator, make)
    return make(**given)


def _next(creator: Callable[..., Any], make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **kwargs: creator(make, **kwargs)


_DEFAULTS = dict(initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
                 variable_def=None, dtype=None, import_scope=None, constraint=None,
                 synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregationV2.NONE, shape=None,
                 experimental_enable_variable_lifting=None)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[Any]:
    """A context in which tf.Variable(...) calls `variable_creator(next_creator, **arguments)`, innermost first."""
    before = getattr(_creators, 'stack', ())
    _creators.stack = before + (variable_creator,)
    _engine.set_variable_creator(_create)
    try:
        yield
    finally:
        _creators.stack = before


publish('tf', variable_creator_scope)
