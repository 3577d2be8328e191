"""tf.compat.v1.Session, which runs parts of a graph, and such parts as functions."""
from __future__ import annotations

import contextlib
import threading

import footlight as tf
from footlight import _engine
from footlight._graphs.graph import depends_on_type, get_default_graph
from footlight._public import alias
from footlight._typing import Any, Callable, Iterator

_v1 = tf.compat.v1
_local = threading.local()


def part(graph, feeds, fetches, targets=(), captured=(), name='part', states=None):
    """A concrete function: values for the tensors `feeds` -> the values of `fetches`, after `targets` have run.

    `captured`: pairs of a placeholder of the graph and the value from outside that it stands for. `states`: what random ops
    continue, instead of those of the graph.
    """
    feeds, fetches, targets = list(feeds), list(fetches), list(targets)
    given = {t.name for t in feeds}
    captured = [(t, value) for t, value in captured if t.name not in given]

    def body(*values):
        _engine.as_written()
        return _engine.inline_graph(graph, feeds + [t for t, _ in captured],
                                    list(values) + [value for _, value in captured], fetches, targets,
                                    *([] if states is None else [False, states]))

    body.__name__ = body.__qualname__ = name
    specs = [tf.TensorSpec(t.shape, t.dtype, name=t.op.name) for t in feeds]
    with tf._eager_scope():
        return tf.function(body, autograph=False).get_concrete_function(*specs)


def value_of(tensor):
    """The value that a tensor of a graph has when nothing is fed: what a variable made inside the graph starts with.

    What is to run once for it, runs too: an op that fills a resource. Where a session will be fed what it comes from, it
    is zeros until then.
    """
    if tensor.dtype not in (tf.resource, tf.variant) and depends_on_type(tensor.op, 'Placeholder'):
        with tf._eager_scope():
            return tf.zeros([size or 0 for size in tensor.shape.as_list()], tensor.dtype)
    first = tensor.graph._state.get('first_run', {}).get(tensor.name)
    with tf._eager_scope():
        return part(tensor.graph, [], [tensor], [first] if first is not None else [], name='initial_value')()[0]


def _new_handle(variable):
    """Creates the handle of an uninitialized variable, which is how a session starts."""
    with tf._eager_scope():
        return tf.raw_ops.VarHandleOp(dtype=variable.dtype, shape=variable.shape, shared_name=variable._shared_name)


def _read_of(graph, variable):
    """The tensor of a variable's value, after the update that gave the object."""
    reads = graph._state.setdefault('reads', {})
    update = variable.__dict__.get('_update')
    key = id(variable), update and update.name
    if key not in reads:
        with graph.as_default(), tf.control_dependencies([update] if update is not None else []):
            reads[key] = variable, variable.read_value()
    return reads[key][1]


_close_graph = tf.Graph.finalize


def finalize(self):
    """Nothing can be added to the graph from now on."""
    if not self.finalized:
        for variable in list(self._state.get('variables', {}).values()):
            _read_of(self, variable)  # what a session adds when it is asked for a variable
    _close_graph(self)


_engine.extend(tf.Graph, 'finalize', finalize)


def _cut_to_integers(value: list[Any], dtype: tf.DType) -> tf.Tensor | None:
    """Truncates floats that are fed to integer placeholders, as NumPy does; returns None for other values."""
    import numpy as np
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    if not dtype.is_integer or array.dtype.kind != 'f':
        return None
    with np.errstate(invalid='ignore'):  # the rest become arbitrary integers, as in TensorFlow
        return tf.constant(array.astype(dtype.as_numpy_dtype))


class Session:
    """Runs parts of a graph: run(what, {placeholder: value})."""

    def __init__(self, target='', graph=None, config=None):
        if target:
            raise ValueError(f'Session: target={target!r} is another machine; a session runs on this one')
        if graph is not None and not isinstance(graph, tf.Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._graph = get_default_graph() if graph is None else graph
        self._parts, self._closed, self._entered = {}, False, []
        self._resources, self._looked_at = {}, None
        self._random_states = _engine.random_states()

    @property
    def graph(self) -> tf.Graph:
        return self._graph

    @property
    def graph_def(self) -> Any:
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        return ''

    def _resource(self, tensor):
        """The value of a tensor that an op gives anew each time, such as a variable's handle: a session has one."""
        if tensor.name not in self._resources:
            state = self._graph._state
            if tensor.name in state.get('variables', {}):
                value = _new_handle(state['variables'][tensor.name])
            elif tensor.name in state.get('held', {}):  # a table of the program
                value = state['held'][tensor.name][1]
            else:
                value = value_of(tensor)
            self._resources[tensor.name] = tensor, value
        return self._resources[tensor.name][1]

    def _handle(self, variable):
        """The handle that a variable of the graph has in this session; None for other variables."""
        if getattr(variable, '_made_in', None) is not self._graph:
            return None
        with self._graph.as_default():
            return self._resource(self._graph._capture(variable.handle))

    def _pull(self, variables, is_partial=False):
        """Copies the session's values to the program's variables, from where they are saved; without those that have none yet
        if `is_partial`."""
        with tf._eager_scope():
            for variable in variables:
                if (handle := self._handle(variable)) is not None:
                    if is_partial and not tf.raw_ops.VarIsInitializedOp(resource=handle):
                        continue
                    variable.assign(tf.raw_ops.ReadVariableOp(resource=handle, dtype=variable.dtype))

    def _push(self, variables):
        """Copies the program's values, which were restored, to the session's."""
        with tf._eager_scope():
            for variable in variables:
                if (handle := self._handle(variable)) is not None:
                    tf.raw_ops.AssignVariableOp(resource=handle, value=variable.read_value())

    def _kept(self) -> Any:
        """{name: (tensor, value)} of the resources that ops of the graph make."""
        if self._looked_at != self._graph.version:
            self._looked_at = self._graph.version
            for tensor in self._made():
                self._resource(tensor)
        return self._resources

    def _made(self) -> list[Any]:
        """The resources that ops of the graph make of nothing."""
        return [tensor for op in self._graph.get_operations()
                if op.type not in ('Placeholder', 'IteratorFromStringHandleV2') and not any(t.dtype == tf.resource for t in op.inputs)
                for tensor in op.outputs if tensor.dtype == tf.resource]

    def _feeds(self, feed_dict: dict[Any, Any] | None) -> dict[Any, Any]:
        values = {}
        from footlight._graphs import session_values as _session_values
        for key, value in _session_values.fed(feed_dict):
            try:
                tensor = self._graph.as_graph_element(key, allow_operation=False)
            except (KeyError, ValueError, TypeError) as error:
                raise TypeError(f'Cannot interpret feed_dict key as Tensor: {error.args[0]}') from None
            if not self._graph.is_feedable(tensor):
                raise ValueError(f'Tensor {tensor.name} may not be fed.')
            if isinstance(value, tf.Tensor) and value.dtype != tf.resource:
                raise TypeError('The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python '
                                'scalars, strings, lists, numpy ndarrays, or TensorHandles.')
            if tensor.dtype != tf.resource:
                try:
                    value = tf.constant(value, dtype=tensor.dtype)
                except TypeError as error:
                    if isinstance(value, (str, bytes)):
                        raise ValueError(f'Cannot feed Tensor {tensor.name}: {error}') from None
                    value = _cut_to_integers(value, tensor.dtype)
                    if value is None:
                        raise
                if not tensor.shape.is_compatible_with(value.shape):
                    raise ValueError(f'Cannot feed value of shape {value.shape} for Tensor {tensor.name}, which has '
                                     f'shape {tensor.shape}')
            values[tensor.name] = (tensor, value)
        return values

    def _load(self, variable, value):
        """Gives a variable of the graph a value in this session."""
        handle = self._handle(variable)
        if handle is None:
            raise ValueError(f'Variable.load: {variable.name} is not a variable of the graph that the session runs')
        with tf._eager_scope():
            value = tf.convert_to_tensor(value, variable.dtype)
            if not variable.shape.is_compatible_with(value.shape):
                raise ValueError(f'Cannot feed value of shape {value.shape} for Variable {variable.name}, which has '
                                 f'shape {variable.shape}')
            tf.raw_ops.AssignVariableOp(resource=handle, value=value)

    def _fetch(self, leaf: Any) -> tf.Operation | tf.Tensor:
        if isinstance(leaf, tf.Variable):
            leaf = _read_of(self._graph, leaf)
        if isinstance(leaf, tf.Tensor) and not tf.is_symbolic_tensor(leaf):
            return leaf  # a constant whose value is known already
        try:
            element = self._graph.as_graph_element(leaf)
        except TypeError:
            why = '. Cannot be None' if leaf is None else ' must be a string or Tensor.'
            raise TypeError(f'Argument `fetch` = {leaf!r} has invalid type "{type(leaf).__name__}"{why}') from None
        except (KeyError, ValueError) as error:
            raise ValueError(f'Argument `fetch` = {leaf!s} cannot be interpreted as a Tensor. '
                             f'({error.args[0]})') from None
        if not self._graph.is_fetchable(element):
            raise ValueError(f'Operation {element.name!r} has been marked as not fetchable.')
        return element

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`, in their structure, as arrays; None for operations."""
        if self._closed:
            raise RuntimeError('Attempted to use a closed Session.')
        with tf._eager_scope():
            from footlight._graphs import session_values as _session_values
            leaves, together = _session_values.taken_apart(tf.nest.flatten(fetches))
            elements = [self._fetch(leaf) for leaf in leaves]
            feeds = {**self._kept(), **self._feeds(feed_dict)}
            tensors = [e for e in elements if tf.is_symbolic_tensor(e)]
            operations = [e for e in elements if not isinstance(e, tf.Tensor)]
            key = (tuple(feeds), tuple(t.name for t in tensors), tuple(o.name for o in operations))
            if key not in self._parts:
                self._parts[key] = part(self._graph, [t for t, _ in feeds.values()], tensors, operations, name='session',
                                        states=self._random_states)
            results = iter(self._parts[key](*[value for _, value in feeds.values()]))
            values = [next(results) if tf.is_symbolic_tensor(e) else e if isinstance(e, tf.Tensor) else None for e in elements]
            values = [v if v is None or v.dtype in (tf.resource, tf.variant) else v.numpy() for v in values]
        return tf.nest.pack_sequence_as(fetches, together(values))

    def make_callable(self, fetches: Any, feed_list: Any = None,
                      accept_options: bool = False) -> Callable[..., Any]:
        """A function of the values of `feed_list` that returns what run() does."""
        feeds = list(feed_list or ())
        return lambda *values: self.run(fetches, dict(zip(feeds, values, strict=True)))

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., Any]:
        """A function of the values of the options' `feed` that returns those of `fetch`, as a list, after `target` ran."""
        places = {one.to_tensor: one.from_tensor for one in callable_options.tensor_connection}
        feeds, fetches = list(callable_options.feed), list(callable_options.fetch)
        targets = [self._graph.as_graph_element(name) for name in callable_options.target]

        def function(*values, run_metadata=None):
            given = dict(zip(feeds, values, strict=True))
            given.update(zip(places, self.run(list(places.values()), given) if places else []))
            return self.run([fetches, targets], given)[0]
        return function

    def close(self) -> None:
        """Lets go of what was prepared to run."""
        self._parts, self._resources, self._closed = {}, {}, True

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Any]:
        """A context manager: Tensor.eval() and Operation.run() use this session."""
        stack = _local.__dict__.setdefault('sessions', [])
        stack.append(self)
        try:
            yield self
        finally:
            stack.remove(self)

    def __enter__(self) -> Session:
        scopes = contextlib.ExitStack()
        scopes.enter_context(self._graph.as_default())
        scopes.enter_context(self.as_default())
        self._entered.append(scopes)
        return self

    def __exit__(self, *error: Any) -> None:
        self._entered.pop().close()
        self.close()


def get_default_session() -> Session | None:
    """The innermost session that is entered, or None."""
    sessions = getattr(_local, 'sessions', ())
    return sessions[-1] if sessions else None


def _session(given: Any, what: str) -> Session:
    session = given or get_default_session()
    if session is None:
        raise ValueError(f'Cannot {what}: no default session is registered. Use `with sess.as_default()` or pass an '
                         'explicit session.')
    return session


def run(self: Any, feed_dict: Any = None, session: Any = None) -> None:
    """Runs the operation in a session."""
    _session(session, 'execute operation using `run()`').run(self, feed_dict)


_eval_of = tf.Tensor.eval


def tensor_eval(self, feed_dict=None, session=None):
    """The value of a tensor of a graph, in a session."""
    if tf.is_symbolic_tensor(self) and (session is not None or get_default_session() is not None):
        return _session(session, 'evaluate tensor using `eval()`').run(self, feed_dict)
    if not tf.is_symbolic_tensor(self) and not tf.executing_eagerly():  # a graph's constant that has its value already
        return self.numpy()
    return _eval_of(self, feed_dict, session)  # raises the error that says why


_engine.extend(tf.Operation, 'run', run)
_engine.extend(tf.Tensor, 'eval', tensor_eval)
alias('tf.compat.v1', get_default_session)
alias('tf.compat.v1 tf', Session)
