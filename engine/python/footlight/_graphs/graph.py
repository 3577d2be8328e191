"""tf.Graph as a place to build in."""
from __future__ import annotations

import contextlib
import functools
import itertools
import threading

import footlight as tf
from footlight import _engine, _proto
from footlight._public import alias, publish
from footlight._typing import Any, Callable, Iterator

_v1 = tf.compat.v1
_local = threading.local()
_default = None
_numbers = itertools.count(1)


def _member(name: str | None = None, wrap: Any = lambda f: f) -> Callable[..., Any]:
    def add(f):
        _engine.extend(tf.Graph, name or f.__name__, wrap(f))
        return f
    return add


def get_default_graph():
    """The graph that ops go into: one that is being built, else one for the whole program."""
    global _default
    graph = _engine.current_graph()
    if graph is None:
        if _default is None:
            _default = tf.Graph()
            _default._state['is_of_program'] = True
        graph = _default
    return graph


# State of eager programs that reset_default_graph() clears, such as the global step.
shared_in_eager: dict[Any, Any] = {}


def reset_default_graph() -> None:
    """Forgets the program's graph."""
    global _default
    if _engine.current_graph() is not None:
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs.')
    _default = None
    shared_in_eager.clear()


# --- tf.Graph ---
@_member()
def as_default(self):
    """A context manager: ops inside go into this graph."""
    if _engine.current_graph() is self:  # the graph is the current one already
        return contextlib.nullcontext(self)
    return _engine.graph_scope(self)


@_member()
def __enter__(self: tf.Graph) -> tf.Graph:
    return self  # as in TensorFlow, ops go into the graph inside of as_default() only


@_member()
def __exit__(self: tf.Graph, *args: Any) -> None:
    return None


def _named(self, name, allow_tensor, allow_operation):
    """The tensor or operation that a name stands for."""
    operation, colon, output = name.partition(':')
    if colon:
        if not allow_tensor:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not a Operation.")
        if not output.isdecimal():
            raise ValueError(f"The name '{name}' looks a like a Tensor name, but is not a valid one. Tensor names must "
                             'be of the form "<op_name>:<output_index>".')
        try:
            return self._tensor(name)
        except KeyError:
            raise KeyError(f"The name '{name}' refers to a Tensor which does not exist. The operation, '{operation}', "
                           f'{_outputs_of(self, operation)}.') from None
    known = _outputs_of(self, operation) != _MISSING
    if not allow_operation:
        raise ValueError(f'The name {name!r} '
                         f"{'refers to an Operation' if known else 'looks like an (invalid) Operation name'}, not a "
                         'Tensor. Tensor names must be of the form "<op_name>:<output_index>".')
    if not known:
        raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
    return self._operation(operation)


_MISSING = 'does not exist in the graph'


def _outputs_of(graph, operation):
    try:
        return f'exists but only has {len(graph._operation(operation).outputs)} outputs'
    except KeyError:
        return _MISSING


_engine.extend(tf.Graph, '_tensor', tf.Graph.get_tensor_by_name)
_engine.extend(tf.Graph, '_operation', tf.Graph.get_operation_by_name)


@_member()
def as_graph_element(self: Any, obj: Any, allow_tensor: bool = True,
                     allow_operation: bool = True) -> tf.Operation | tf.Tensor:
    """The tensor or operation of this graph that an object, or a name, stands for."""
    wanted = ' or '.join(['Tensor'] * allow_tensor + ['Operation'] * allow_operation)
    if not wanted:
        raise ValueError('allow_tensor and allow_operation cannot both be False.')
    if isinstance(obj, bytes):
        obj = obj.decode()
    if isinstance(obj, str):
        return _named(self, obj, allow_tensor, allow_operation)
    if hasattr(obj, '_as_graph_element'):
        obj = obj._as_graph_element()
    symbolic = isinstance(obj, tf.Tensor) and tf.is_symbolic_tensor(obj)
    if (symbolic and allow_tensor) or (isinstance(obj, tf.Operation) and allow_operation):
        if obj.graph is not self:
            raise ValueError(f'{obj!s} is not an element of this graph.')
        return obj
    raise TypeError(f'Can not convert a {type(obj).__name__} into a {wanted}.')


@_member()
def get_tensor_by_name(self: Any, name: str) -> tf.Tensor:
    """The tensor "node:output"."""
    if not isinstance(name, str):
        raise TypeError(f'Tensor names are strings (or similar), not {type(name).__name__}.')
    return self.as_graph_element(name, allow_tensor=True, allow_operation=False)


@_member()
def get_operation_by_name(self: Any, name: str) -> tf.Operation:
    """The operation of that name."""
    if not isinstance(name, str):
        raise TypeError(f'Operation names are strings (or similar), not {type(name).__name__}.')
    return self.as_graph_element(name, allow_tensor=False, allow_operation=True)


@_member(wrap=property)
def operations(self: Any) -> list[Any]:
    return self.get_operations()


@_member(wrap=property)
def version(self: Any) -> int:
    return self.num_operations()


@_member(wrap=property)
def graph_def_versions(self):
    return self.as_graph_def().versions


@_member()
def unique_name(self, name, mark_as_used=True):
    """A name that no operation has, in the current scope."""
    if not mark_as_used:
        taken = {o.name.lower() for o in self.get_operations()}
        number, found = 0, name
        while found.lower() in taken:
            number += 1
            found = f'{name}_{number}'
        return found
    return self._unique_name(name)


def _entered(scope: Callable[..., Any]) -> Callable[..., Any]:
    """Turns a global scope function into a method of graphs that enters the graph first."""
    def member(self, *args, **kwargs):
        if _engine.current_graph() is not self:
            raise RuntimeError('the scopes of a graph are entered where ops go into it: inside of graph.as_default()')
        return scope(*args, **kwargs)
    return member


_being_built = vars(tf.Graph)['outer_graph']


def graph_around(graph):
    """The graph that a function's graph is made in, or None."""
    outer = graph._state.get('outer')
    return _being_built.__get__(graph) if outer is None else outer


@_member(wrap=property)
def outer_graph(self):
    """The graph around a function's graph: that of the program, if it runs eagerly. Other graphs have none."""
    if not self.building_function:
        raise AttributeError("'Graph' object has no attribute 'outer_graph'")
    outer = graph_around(self)
    if outer is None:
        with tf._eager_scope():
            outer = get_default_graph()
    return outer


@_member(wrap=property)
def _graph_key(self):
    """A key for what libraries keep for each graph; graphs of functions have that of the graph around."""
    if self.building_function:
        return self.outer_graph._graph_key
    return self._state.setdefault('key', f'graph-key-{next(_numbers)}/')


# Branches and loops are graphs of their own: the context is None until a program gives one.
_engine.extend(tf.Graph, '_get_control_flow_context', lambda self: self._state.get('control_flow_context'))
_engine.extend(tf.Graph, '_set_control_flow_context', lambda self, ctx: self._state.__setitem__('control_flow_context', ctx))
_engine.extend(tf.Graph, 'seed', property(_engine.graph_seed, lambda self, seed: _engine.graph_seed(self, seed),
                                          doc='The seed of random ops in the graph: that of set_random_seed() inside, or None.'))
_engine.extend(tf.Graph, 'get_name_scope', lambda self: tf.get_current_name_scope())
_engine.extend(tf.Graph, 'name_scope', _entered(tf.name_scope))
_engine.extend(tf.Graph, 'control_dependencies', _entered(lambda inputs: tf.control_dependencies(inputs)))


def _refresh(graph):
    """Tells the graph which attributes the open scopes give to nodes."""
    groups, device = set(), ''
    for op in graph._state.get('colocation', ()):
        groups.update(group.decode() for group in op.colocation_groups())
        device = device or op.device
    functions = graph._state.get('device_functions')
    graph._mark(sorted(groups), device, graph._state.get('gradient_types', {}),
                functools.partial(_place, functions) if functions else None)


@contextlib.contextmanager
def _says(graph, key, value):
    before = graph._state.get(key)
    graph._state[key] = value
    _refresh(graph)
    try:
        yield
    finally:
        graph._state[key] = before or type(value)()
        _refresh(graph)


def _place(functions, op):
    """Places an operation as the device functions, innermost first, say."""
    for function in functions:
        wanted = function(op)
        if hasattr(wanted, 'to_string'):
            wanted = wanted.to_string()
        if not isinstance(wanted, (str, bytes)):
            raise TypeError(f'Expected binary or unicode string, got {wanted!r}')
        op._set_device_from_string(wanted if isinstance(wanted, str) else wanted.decode())


@_member()
def device(self, device_name_or_function):
    """A context manager: ops that are made inside run on a device, or where a function of the operation says."""
    if device_name_or_function is None:
        return _placed_by_nothing(self)
    if callable(device_name_or_function):
        return _says(self, 'device_functions', (device_name_or_function, *self._state.get('device_functions', ())))
    return _entered(tf.device)(self, device_name_or_function)


@contextlib.contextmanager
def _placed_by_nothing(graph: tf.Graph) -> Iterator[Any]:
    with _entered(tf.device)(graph, None), _says(graph, 'device_functions', ()):
        yield


@_member(wrap=contextlib.contextmanager)
def colocate_with(self, op, ignore_existing=False):
    """A context manager: ops that are made inside go where `op` is, and say so in their attribute `_class`."""
    if op is None and not ignore_existing:
        raise ValueError('Trying to reset colocation (op is None) but ignore_existing is not True')
    if op is not None and not isinstance(op, tf.Operation):
        op = (op if isinstance(op, tf.Tensor) else tf.convert_to_tensor(op)).op
    before = [] if ignore_existing else self._state.get('colocation', [])
    devices = contextlib.nullcontext() if _engine.current_graph() is not self else tf.device(None)
    with devices, _says(self, 'colocation', before + [op] * (op is not None)):
        yield


@_member(wrap=contextlib.contextmanager)
def gradient_override_map(self, op_type_map):
    """A context manager: ops of these types that are made inside have the gradients of other types.

    These are registered with tf.RegisterGradient, or ops with a gradient of their own: {'Sign': 'Identity'}.
    """
    if not isinstance(op_type_map, dict) or not all(isinstance(t, str) for pair in op_type_map.items() for t in pair):
        raise TypeError('op_type_map must be a dictionary mapping strings to strings')
    with _says(self, 'gradient_types', {**self._state.get('gradient_types', {}), **op_type_map}):
        yield


@_member()
def get(self: Any) -> tf.Graph:
    """The graph itself."""
    return self


@_member()
def new_operations(self: Any) -> list[Any]:
    """The operations that were added without Python knowing of them: none."""
    return []


@_member()
def Dismantle(self: Any) -> None:
    """Does nothing: a graph is freed when nobody has it any more."""


@_member(wrap=contextlib.contextmanager)
def container(self: Any, container_name: Any) -> Iterator[Any]:
    """A context manager: names where resources are kept. Here every variable is its own."""
    yield container_name


@_member()
def switch_to_thread_local(self: Any) -> None:
    """Does nothing: which graph ops go into is always a matter of the thread."""


@_member()
def is_feedable(self, tensor):
    """Whether Session.run takes a value for the tensor."""
    return tensor not in self._state.get('not_fed', ())


@_member()
def is_fetchable(self, tensor_or_op):
    """Whether Session.run gives the value of the tensor."""
    kept = self._state.get('not_fetched', ())
    return tensor_or_op not in kept and (isinstance(tensor_or_op, tf.Operation) or tensor_or_op.op not in kept)


@_member()
def prevent_feeding(self, tensor):
    """Session.run takes no value for the tensor from now on."""
    self._state.setdefault('not_fed', []).append(tensor)


@_member()
def _apply_device_functions(self: Any, op: Any) -> None:
    """Applies the device of the current scope to an op, or to an object that stands for one."""
    if _engine.current_graph() is self and (device := tf.zeros([]).device):
        op._set_device(device)


@_member()
def prevent_fetching(self, op):
    """Session.run does not give this from now on."""
    self._state.setdefault('not_fetched', []).append(op)


# --- collections: lists of anything, by name ---
def _collections(graph):
    """Branches and loops have those of the graph around them; a function begins with copies of them."""
    while graph.is_control_flow_graph:
        graph = graph_around(graph)
    state = graph._state
    if 'collections' not in state:
        outer = graph_around(graph)
        state['collections'] = {} if outer is None else {k: list(v) for k, v in _collections(outer).items()}
    return state['collections']


@_member()
def get_collection_ref(self: Any, name: str) -> list[Any]:
    """The list of that name itself."""
    return _collections(self).setdefault(name, [])


@_member()
def get_collection(self: Any, name: str, scope: Any = None) -> list[Any]:
    """A copy of the list of that name; with `scope`, of what has a name that begins so."""
    import re
    found = list(_collections(self).get(name, ()))
    return found if scope is None else [x for x in found if hasattr(x, 'name') and re.match(scope, x.name)]


@_member()
def add_to_collection(self: Any, name: str, value: Any) -> None:
    """Adds a value to the list of that name."""
    self.get_collection_ref(name).append(value)


@_member()
def add_to_collections(self: Any, names: Any, value: Any) -> None:
    """Adds a value to each of the lists."""
    for name in {names} if isinstance(names, str) else set(names):
        self.add_to_collection(name, value)


@_member()
def get_all_collection_keys(self: Any) -> list[Any]:
    """The names of all lists."""
    return [name for name in _collections(self) if isinstance(name, str)]


@_member()
def clear_collection(self: Any, name: str) -> None:
    """Forgets the list of that name."""
    _collections(self).pop(name, None)


@_member(wrap=property)
def collections(self):
    return self.get_all_collection_keys()


@contextlib.contextmanager
def variable_collections(names: Any) -> Iterator[Any]:
    """A context in which variables that are made go into these collections; None: into those for all."""
    before = getattr(_local, 'collections', None)
    _local.collections = names
    try:
        yield
    finally:
        _local.collections = before


def graph_of_variables():
    """The graph whose lists have the variables that are made now: of functions, branches and loops the tf.Graph that they
    are in, if they are in one; None in eager."""
    graph = _engine.current_graph()
    while graph is not None and graph.building_function:
        outer = graph_around(graph)
        if outer is None or outer._state.get('is_of_program'):  # a function of a program that runs eagerly
            break
        graph = outer
    return graph


def is_as_written(graph):
    """Whether a function's graph runs only what is asked for, as a tf.Graph: that of wrap_function."""
    return graph is not None and graph._state.get('as_written', False)


def _note_variable(variable):
    graph = graph_of_variables()
    if graph is None or graph.building_function:
        return
    with graph.as_default():
        graph._state.setdefault('variables', {})[graph._capture(variable.handle).name] = variable
    variable._made_in = graph
    collect(graph, variable)


def collect(graph: Any, variable: Any) -> None:
    """Adds a variable to the lists of the graph that it is made for."""
    names = getattr(_local, 'collections', None)
    names = ['variables'] if names is None else list(names)
    for name in names + ['trainable_variables'] * (variable.trainable and 'trainable_variables' not in names):
        graph.add_to_collection(name, variable)


def unused_name(graph, name):
    """The name, with a number where a variable of the graph has it already."""
    known = graph._state.get('variables', {})
    if not known:
        return name
    scope = graph.get_name_scope() + '/' if graph.get_name_scope() else ''
    taken, found, number = {v._shared_name for v in known.values()}, name, 0
    while scope + found in taken:
        number += 1
        found = f'{name}_{number}'
    return found


def _name_of_variable(name: str) -> str:
    graph = _engine.current_graph()
    return name if graph.building_function else unused_name(graph, name)


_engine.set_variable_namer(_name_of_variable)
_engine.set_variable_listener(_note_variable)


@contextlib.contextmanager
def made_beside(variable):
    """A context in which variables are made that belong to another one, or to none: in that one's graph, or eagerly."""
    graph = graph_of_variables()
    if graph is None or graph.building_function or variable is not None and getattr(variable, '_made_in', None) is not graph:
        with tf._eager_scope():
            yield
        return
    with graph.as_default(), tf.control_dependencies(None), tf.name_scope(''):
        yield


def traceback(self):
    """Where in the program the operation was made, as the traceback module keeps it."""
    import traceback as module
    return module.StackSummary.from_list([self._place + (None,)] if self._place else [])


_engine.extend(tf.Operation, 'traceback', property(traceback, doc=traceback.__doc__))
def depends_on_type(op: tf.Operation, kind: str) -> bool:
    """Whether the operation, or one that its inputs come from, is of a type such as 'Placeholder'."""
    seen, queue = {op.name}, [op]
    while queue:
        op = queue.pop()
        if op.type == kind:
            return True
        for tensor in op.inputs:
            if tensor.op.name not in seen:
                seen.add(tensor.op.name)
                queue.append(tensor.op)
    return False


def _control_outputs(self: tf.Operation) -> list[Any]:
    """The operations that run only after this one."""
    count, found = self.graph._state.get('followers', (-1, None))
    if count != self.graph.version:
        found = {}
        for op in self.graph.get_operations():
            for before in op.control_inputs:
                found.setdefault(before.name, []).append(op)
        self.graph._state['followers'] = self.graph.version, found
    return list(found.get(self.name, ()))


_engine.extend(tf.Operation, '_control_outputs', property(_control_outputs, doc=_control_outputs.__doc__))
_engine.extend(tf.Operation, '_unconditional_update', property(  # what layers note of an operation
    lambda self: self.graph._state.setdefault('updates', {}).get(self.name, False),
    lambda self, is_it: self.graph._state.setdefault('updates', {}).__setitem__(self.name, is_it)))
_engine.extend(tf.Operation, 'values', lambda self: tuple(self.outputs))


_attr_of = tf.Operation.get_attr


def get_attr(self, name):
    """The value of an attribute: a list is one of Python, a type a tf.DType."""
    value = _attr_of(self, name)
    if isinstance(value, _proto.AttrValue.ListValue):
        return [tf.as_dtype(t) for t in value.type] or next(
            (list(part) for part in (value.s, value.i, value.f, value.b, value.shape, value.tensor, value.func) if part), [])
    return tf.as_dtype(value) if self.node_def.attr[name].WhichOneof('value') == 'type' else value


_engine.extend(tf.Operation, 'get_attr', get_attr)


def colocation_groups(self: Any) -> list[Any]:
    """The names of the groups of operations that are in one place with this one."""
    named = self.get_attr('_class') if '_class' in self.node_def.attr else []
    return [group for group in named if group.startswith(b'loc:@')] or [('loc:@' + self.name).encode()]


_engine.extend(tf.Operation, 'colocation_groups', colocation_groups)


@contextlib.contextmanager
def _colocate_with_op(op, ignore_existing=False):
    """A context manager: ops that are made inside are where `op` is."""
    graph = _engine.current_graph()
    if graph is None:
        scope = contextlib.nullcontext() if op is None else tf.device(tf.convert_to_tensor(op).device)
    else:
        scope = graph.colocate_with(op, ignore_existing)
    with scope:
        yield


def placeholder(dtype, shape=None, name=None):
    """A tensor of a graph whose value Session.run is given."""
    if tf.executing_eagerly():
        raise RuntimeError('tf.placeholder() is not compatible with eager execution.')
    return _engine.placeholder(dtype, shape, name or 'Placeholder')


def placeholder_with_default(input, shape, name=None):
    """A tensor of a graph that has this value unless Session.run is given another one."""
    value = tf.convert_to_tensor(input)
    if tf.executing_eagerly():
        return tf.identity(value)
    made = tf.raw_ops.PlaceholderWithDefault(input=value, shape=tf.TensorShape(shape), name=name or 'PlaceholderWithDefault')
    get_default_graph()._state.setdefault('placeholders', []).append(made)  # libraries hold it weakly
    return made


publish('tf.compat.v1', colocate_with=_colocate_with_op)
alias('tf.compat.v1', get_default_graph, reset_default_graph, placeholder, placeholder_with_default, newaxis=None)
alias('tf', placeholder)
