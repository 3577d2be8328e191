"""Graphs of files: import_graph_def, wrap_function and prune, freezing, tf.io.write_graph, graph_util."""
from __future__ import annotations

import contextlib
import os

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs import graph as _graph, session as _session
from footlight._public import alias
from footlight._typing import Any

_v1 = tf.compat.v1


def _string(argument: str, value: int | str) -> str:
    if isinstance(value, bytes):
        value = value.decode()
    if not isinstance(value, str):
        raise TypeError(f'Argument `{argument}` must hold strings, got {value!r}')
    return value


def _inputs(input_map: Any) -> list[Any]:
    if input_map is None:
        return []
    if not isinstance(input_map, dict):
        raise TypeError(f'Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}')
    pairs = []
    for name, value in input_map.items():
        name = _string('input_map', name)
        if not name.startswith('^') and ':' not in name:
            name += ':0'
        pairs.append((name, value.handle if isinstance(value, tf.Variable) else value))
    return pairs


def import_graph_def(graph_def: Any, input_map: Any = None, return_elements: Any = None, name: str | None = None,
                     op_dict: Any = None, producer_op_list: Any = None) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the graph that is being built, below the scope `name` ("import" by default).

    `input_map` gives tensors in place of those of the file, by name. Returns the tensors ("node:0") and operations
    ("node") that `return_elements` names, or None.
    """
    if return_elements is not None and (isinstance(return_elements, (str, bytes)) or
                                        not hasattr(return_elements, '__iter__')):
        raise TypeError(f'Argument `return_elements` must be a list of strings. Obtained {return_elements!r}')
    wanted = [_string('return_elements', element) for element in return_elements or ()]
    inputs = _inputs(input_map)
    if _engine.current_graph() is None:
        with _graph.get_default_graph().as_default():
            return import_graph_def(graph_def, input_map, return_elements, name, op_dict, producer_op_list)
    prefix = ''
    if name != '':
        with tf.name_scope('import' if name is None else name) as prefix:
            pass
    found = _engine.import_graph_def(graph_def, inputs, wanted, prefix, producer_op_list)
    return None if return_elements is None else found


class WrappedFunction:
    """A concrete function of which parts can be had: see prune().

    `structure` makes what a call returns of an iterator over its results; `targets` are the operations that a call runs
    besides what its results need, or None for all that have effects.
    """

    def __init__(self, concrete: Any, structure: Any = None, targets: Any = None) -> None:
        self._concrete, self._structure, self._targets, self._run = concrete, structure, targets, None

    def __call__(self, *args, **kwargs):
        args = self._as_tensors(args) if not kwargs else args
        if self._targets is None or len(self._targets) == len(self._concrete.graph.control_outputs):
            results = self._concrete(*args, **kwargs)
        else:
            results = self._without_other_effects(args, kwargs)
        return results if self._structure is None else self._structure(iter(results))

    def whole(self) -> Any:
        """The concrete function, where a call runs all of it and returns what it returns; else None."""
        runs_all = self._targets is None or len(self._targets) == len(self._concrete.graph.control_outputs)
        return self._concrete if self._structure is None and runs_all else None

    def _without_other_effects(self, args, kwargs):
        if self._run is None:
            concrete = self._concrete
            feeds = concrete.inputs[:len(concrete._flat_names)]
            self._run = _session.part(concrete.graph, feeds, concrete.outputs, self._targets, _captures(concrete),
                                      concrete.graph.name)
        names = self._concrete._flat_names
        flat = tf.nest.flatten(args, expand_composites=True)
        given = {**dict(zip(names, flat)), **kwargs}
        if set(given) != set(names):
            raise TypeError(f'{self._concrete.graph.name} takes the arguments {names}, got {len(flat)} by place and '
                            f'{sorted(kwargs)} by name')
        results = self._run(*(given[name] for name in names))
        structure = self._concrete.structured_outputs
        if structure is None:
            return None
        return tf.nest.pack_sequence_as(structure, results, expand_composites=True)

    def _as_tensors(self, args: tuple[Any, ...]) -> Any:
        """Numbers and arrays as tensors of the dtypes that they are for, where each argument is one of the tensors."""
        feeds = self._concrete.inputs[:len(self._concrete._flat_names)]
        if len(args) != len(feeds):
            return args
        stays = lambda value: value is None or tf.is_tensor(value) or isinstance(value, (tf.Variable, list, tuple, dict))
        return [value if stays(value) else tf.convert_to_tensor(value, feed.dtype) for value, feed in zip(args, feeds)]

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, '_concrete'), name)

    @property
    def structured_outputs(self) -> dict[Any, Any]:
        outputs = self._concrete.structured_outputs
        return outputs if self._structure is None else self._structure(iter(outputs))

    def __repr__(self) -> str:
        return repr(self._concrete).replace('ConcreteFunction', 'WrappedFunction', 1)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None,
              input_signature: Any = None) -> WrappedFunction:
        """The part of the graph that computes `fetches`, as a function of the tensors `feeds`.

        `fetches` is a structure of tensors, operations (which run, and give None), names of both and messages TensorInfo.
        Feeds that the graph captured keep their values.
        """
        graph, captures = self.graph, _captures(self)
        captured = {inner.name for inner, _ in captures}
        flat = [graph.as_graph_element(t.handle if isinstance(t, tf.Variable) else t, allow_operation=False)
                for t in tf.nest.flatten(feeds, expand_composites=True)]
        flat = [t for t in flat if t.name not in captured]
        if input_signature is not None and len(tf.nest.flatten(input_signature, expand_composites=True)) != len(flat):
            raise ValueError(f'prune: input_signature has {len(tf.nest.flatten(input_signature))} specs for '
                             f'{len(flat)} feeds')
        elements = [graph.as_graph_element(f.name if isinstance(f, _proto.TensorInfo) else f)
                    for f in tf.nest.flatten(fetches, expand_composites=True)]
        tensors = [e for e in elements if isinstance(e, tf.Tensor)]
        operations = [e for e in elements if not isinstance(e, tf.Tensor)]
        concrete = _session.part(graph, flat, tensors, operations, captures, name or 'pruned')

        def structure(results):
            return tf.nest.pack_sequence_as(fetches, [next(results) if isinstance(e, tf.Tensor) else None
                                                      for e in elements], expand_composites=True)
        return WrappedFunction(concrete, structure)


def _captures(concrete: Any) -> list[Any]:
    """The placeholders that stand for values from outside, with these."""
    values = concrete.captured_inputs
    inputs = concrete.graph.inputs
    return list(zip(inputs[len(inputs) - len(values):], values))


def _with_trace(traced_graph):
    def graph(self):
        found = traced_graph.__get__(self)
        found._state['concrete'] = self
        return found
    return property(graph, doc='What was traced.')


def _of_trace(name: str, read: Any) -> None:
    """Adds a method to the graphs of traced functions."""
    def member(self):
        if 'concrete' not in self._state:
            raise AttributeError(f"only the graph of a ConcreteFunction has '{name}'")
        return read(self._state['concrete'])
    _engine.extend(tf.Graph, name, property(member))


_Concrete = tf.types.experimental.ConcreteFunction
_engine.extend(_Concrete, 'graph', _with_trace(_Concrete.graph))
_of_trace('captures', lambda concrete: [(value, inner) for inner, value in _captures(concrete)])
_of_trace('external_captures', lambda concrete: concrete.captured_inputs)
_of_trace('internal_captures', lambda concrete: [inner for inner, _ in _captures(concrete)])
_of_trace('variables', lambda concrete: concrete.variables)
_of_trace('trainable_variables', lambda concrete: concrete.trainable_variables)
_of_trace('structured_input_signature', lambda concrete: concrete.structured_input_signature)
_of_trace('structured_outputs', lambda concrete: concrete.structured_outputs)


def _capture_call_time_value(self, closure, spec, key=None, default_value=None, placeholder=None):
    """What stands, in the function that is traced, for a value that `closure` gives at each call."""
    value = _engine.capture_at_call(closure, spec, key)
    asked = self._state.setdefault('asked', [])
    if not any(value is known for known, _ in asked):
        asked.append((value, closure))
    return value


_engine.extend(tf.Graph, 'capture_call_time_value', _capture_call_time_value)
_engine.extend(tf.Graph, 'deferred_external_captures', property(lambda self: [f for _, f in self._state.get('asked', ())]))
_engine.extend(tf.Graph, 'deferred_internal_captures', property(lambda self: [t for t, _ in self._state.get('asked', ())]))


def _mark_as_unsaveable(self, error_message):
    """A function with this graph is not saved: this says why."""
    self._state.setdefault('unsaveable', []).append(error_message)


_engine.extend(tf.Graph, 'mark_as_unsaveable', _mark_as_unsaveable)
_engine.extend(tf.Graph, 'saveable', property(lambda self: not self._state.get('unsaveable'),
                                              doc='Whether a function with this graph may be saved.'))


def wrap_function(fn, signature, name=None):
    """Traces `fn` for a list of specs; ops run for whoever asks for their results, in no other order."""
    # Variables of the first trace. If their initial values are tensors of that trace, a second trace takes them.
    made = []
    returned = []

    def body(*args, **kwargs):
        _engine.as_written()
        graph, known = _engine.current_graph(), iter(tuple(made))
        graph._state['as_written'] = True

        def once(creator, **how):
            variable, initial = next(known, None), how.get('initial_value')
            if variable is None:
                if isinstance(initial, tf.Tensor) and tf.is_symbolic_tensor(initial):
                    variable = creator(**how)
                else:
                    with tf._eager_scope():
                        variable = creator(**{**how, 'experimental_enable_variable_lifting': False})
                made.append(variable)
            _graph.collect(graph, variable)
            return variable
        with tf.variable_creator_scope(once):
            result = fn(*args, **kwargs)
        returned[:] = [r for r in tf.nest.flatten(result) if isinstance(r, tf.Operation)]
        return tf.nest.map_structure(lambda r: None if isinstance(r, tf.Operation) else r, result)

    body.__name__ = body.__qualname__ = name or getattr(fn, '__name__', '').strip('<>') or 'wrapped_function'
    if not isinstance(signature, (list, tuple, dict)):
        signature = [signature]
    args, kwargs = ((), signature) if isinstance(signature, dict) else (signature, {})
    with tf._eager_scope():
        concrete = tf.function(body, autograph=False).get_concrete_function(*args, **kwargs)
        return WrappedFunction(concrete, targets=returned)


def convert_variables_to_constants_v2(func: Any, lower_control_flow: bool = True,
                                      aggressive_inlining: bool = False) -> WrappedFunction:
    """A function of the same inputs with the values of its variables, and of captured tensors, as constants.

    Branches and loops stay functions whatever `lower_control_flow` says, and so do calls.
    """
    if not hasattr(func, '_frozen_graph'):
        raise TypeError('convert_variables_to_constants_v2 takes a concrete function, which get_concrete_function() '
                        f'returns, not a {type(func).__name__}')
    graph = func._frozen_graph()
    return WrappedFunction(_session.part(graph, graph.inputs, graph.outputs, name='frozen_' + func.graph.name.strip('_')))


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph, or a GraphDef, as text or as bytes. Returns the path of the file."""
    if isinstance(graph_or_graph_def, tf.Graph):
        graph_or_graph_def = graph_or_graph_def.as_graph_def()
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    data = str(graph_or_graph_def).encode() if as_text else graph_or_graph_def.SerializeToString(deterministic=True)
    fresh = f'{path}.{os.getpid()}.new'  # readers see the old file or the new one
    with open(fresh, 'wb') as file:
        file.write(data)
    os.replace(fresh, path)
    return path


# --- tf.compat.v1.graph_util: changes to messages ---
def _node_name(reference: str) -> str:
    return reference.lstrip('^').partition(':')[0]


def extract_sub_graph(graph_def, dest_nodes):
    """A GraphDef of the nodes that `dest_nodes` need."""
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError(f'Argument `dest_nodes` must be an iterable of strings. Obtained: {dest_nodes!r}')
    if not isinstance(graph_def, _proto.GraphDef):
        raise TypeError(f'Argument `graph_def` must be a GraphDef, got {type(graph_def).__name__}')
    nodes = {node.name: node for node in graph_def.node}
    needed, waiting = set(), [_node_name(name) for name in dest_nodes]
    for name in waiting:
        if name not in nodes:
            raise AssertionError(f'{name} is not in graph')
    while waiting:
        name = waiting.pop()
        if name not in needed and name in nodes:
            needed.add(name)
            waiting.extend(_node_name(i) for i in nodes[name].input)
    out = _proto.GraphDef(node=[node for node in graph_def.node if node.name in needed])
    if graph_def.library.function:
        out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """A GraphDef of what the outputs need, with a session's values of variables as constants."""
    part = extract_sub_graph(input_graph_def, output_node_names)
    handles = {node.name for node in part.node if node.op == 'VarHandleOp'
               and (variable_names_whitelist is None or node.name in variable_names_whitelist)
               and node.name not in (variable_names_blacklist or ())}
    others = [node.name for node in part.node if node.op != 'ReadVariableOp' for source in node.input
              if _node_name(source) in handles]
    if others:
        raise ValueError(f'Cannot find the Placeholder op that is an input to the ReadVariableOp: {others[0]!s} takes '
                         'a variable itself, which cannot become a constant')
    for node in part.node:
        if node.name in handles:
            tensor = sess.graph.get_tensor_by_name(node.name + ':0')
            with tf._eager_scope():
                value = tf.raw_ops.ReadVariableOp(resource=sess._resource(tensor), dtype=tf.as_dtype(node.attr['dtype'].type))
                message = tf.make_tensor_proto(value.numpy())
            constant = _proto.NodeDef(name=node.name, op='Const')
            constant.attr['dtype'].type = value.dtype.as_datatype_enum
            constant.attr['value'].tensor.CopyFrom(message)
            node.CopyFrom(constant)
        elif node.op == 'ReadVariableOp' and _node_name(node.input[0]) in handles:
            copy = _proto.NodeDef(name=node.name, op='Identity', input=list(node.input))
            copy.attr['T'].type = node.attr['dtype'].type
            node.CopyFrom(copy)
    return part


def remove_training_nodes(input_graph, protected_nodes=None):
    """A GraphDef without checks and identities that only training needs."""
    protected = set(protected_nodes or ())
    kept = {node.name: node for node in input_graph.node
            if node.op != 'CheckNumerics' or node.name in protected}
    controls = {_node_name(i) for node in kept.values() for i in node.input if i.startswith('^')}
    spliced = {node.name for node in kept.values()
               if node.op == 'Identity' and node.name not in protected and node.name not in controls
               and not any(i.startswith('^') for i in node.input)}

    def source(reference):
        while _node_name(reference) not in kept or (_node_name(reference) in spliced and reference[0] != '^'):
            dropped = nodes[_node_name(reference)]
            if reference.startswith('^'):
                return None
            reference = dropped.input[0]
        return reference

    nodes = {node.name: node for node in input_graph.node}
    out = _proto.GraphDef()
    for name, node in kept.items():
        if name in spliced:
            continue
        made = out.node.add()
        made.CopyFrom(node)
        made.ClearField('input')
        made.input.extend([i for i in map(source, node.input) if i is not None])
    for field in ('library', 'versions'):
        if input_graph.HasField(field):
            getattr(out, field).CopyFrom(getattr(input_graph, field))
    return out


def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of the tensor "node:output" of a graph."""
    return graph.get_tensor_by_name(input_name if ':' in input_name else input_name + ':0').shape


def _add_node(graph, node, inputs):
    """The node of a message, with these tensors as its inputs, as an operation of the graph."""
    for i, value in enumerate(inputs):
        if not isinstance(value, tf.Tensor):
            raise TypeError(f'Input #{i} is not a tensor: {value!s}')
    if graph.finalized:
        raise RuntimeError('Graph is finalized and cannot be modified.')
    definition = _v1.GraphDef(node=[node])
    del definition.node[0].input[:]
    definition.node[0].input.extend(f'input/{i}' for i in range(len(inputs)))
    given = {f'input/{i}:0': value for i, value in enumerate(inputs)}
    with contextlib.nullcontext() if _engine.current_graph() is graph else graph.as_default():
        return import_graph_def(definition, given, [node.name], name='')[0]


def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None,
              compute_shapes=True, compute_device=True):
    """Adds a node: an op by its name, with its inputs and attributes (messages) as they are.

    `input_types` is checked; the definition of an op is that of its name, whatever `op_def` says.
    """
    if input_types is not None and all(tf.is_tensor(t) for t in inputs):
        given, wanted = [t.dtype for t in inputs], [tf.as_dtype(d) for d in input_types]
        if given != wanted:
            raise TypeError(f"In op '{name or op_type}', input types ({given!s}) are not compatible with expected "
                            f'types ({wanted})')
    scope = tf.get_current_name_scope() if _engine.current_graph() is self else ''
    if name and name.endswith('/'):
        name, scope = name[:-1], ''
    node = _v1.NodeDef(name=(scope and scope + '/') + (name or op_type), op=op_type)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    made = _add_node(self, node, inputs)
    if dtypes is not None and [t.dtype for t in made.outputs] != [tf.as_dtype(d) for d in dtypes]:
        raise TypeError(f'{op_type} gives {[t.dtype.name for t in made.outputs]}, not '
                        f'{[tf.as_dtype(d).name for d in dtypes]}')
    return made


def from_node_def(cls, node_def, g, inputs=None, output_types=None, control_inputs=None, input_types=None,
                  original_op=None, op_def=None):
    """Adds the node of a NodeDef, with these tensors as its inputs."""
    if not isinstance(node_def, _v1.NodeDef):
        raise TypeError(f'Argument node_def must be a NodeDef. Received an instance of type: {type(node_def).__name__}')
    if not isinstance(g, tf.Graph):
        raise TypeError(f'Argument g must be a Graph. Received an instance of type: {type(g).__name__}')
    return _add_node(g, node_def, inputs or [])


_engine.extend(tf.Graph, 'create_op', create_op)
_engine.extend(tf.Operation, 'from_node_def', classmethod(from_node_def))


alias('tf tf.graph_util tf.compat.v1 tf.compat.v1.graph_util tf.python.framework.importer', import_graph_def)
alias('tf.io tf.compat.v1.io tf.compat.v1.train', write_graph)
alias('tf.compat.v1', wrap_function)
alias('tf.compat.v1.graph_util', convert_variables_to_constants, extract_sub_graph, remove_training_nodes,
      tensor_shape_from_node_def_name)
alias('tf.python.framework.convert_to_constants', convert_variables_to_constants_v2)
alias('tf.python.eager.wrap_function', wrap_function, WrappedFunction)
# Their messages are found when they are asked for.
for _folder, _names in (('example', 'example feature'),
                        ('framework', 'attr_value cost_graph full_type function graph node_def op_def step_stats summary tensor '
                                      'tensor_shape types variable versions'),
                        ('protobuf', 'cluster config meta_graph rewriter_config saved_model saved_object_graph saver struct tensorflow_server '
                                     'trackable_object_graph'),
                        ('util', 'event')):
    for _name in _names.split():
        _engine.namespace(f'core.{_folder}.{_name}_pb2')
alias('tf.version', GRAPH_DEF_VERSION=2474, GRAPH_DEF_VERSION_MIN_CONSUMER=0, GRAPH_DEF_VERSION_MIN_PRODUCER=0)
