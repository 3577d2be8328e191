"""Functions and their graphs by the names that they have inside of TensorFlow: func_graph, tracing_compilation and others."""
import contextlib
import inspect

import footlight as tf
from footlight import _engine
from footlight._graphs import graph_def as _graph_def, session as _session
from footlight._inside import utils as _inside_utils, internal as _internal, python_util as _python_util

_Concrete = tf.types.experimental.ConcreteFunction


def _spec_of(value):
    """What an argument is traced as: specs and Python values as they are, of tensors the spec."""
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype)
    return value


# --- tensorflow.python.framework.func_graph ---
def func_graph_from_py_func(name, python_func, args, kwargs, signature=None, func_graph=None, add_control_dependencies=True,
                            arg_names=None, op_return_value=None, collections=None, capture_by_value=None,
                            create_placeholders=True):
    """The graph of a function, traced for these arguments: tensors become placeholders, specs too."""
    if func_graph is not None:
        return _into(func_graph, python_func, args, kwargs, create_placeholders)
    args, kwargs = (signature, {}) if signature is not None else (args or (), kwargs or {})
    args, kwargs = tf.nest.map_structure(_spec_of, (tuple(args), dict(kwargs)))

    def body(*args, **kwargs):
        if not add_control_dependencies:
            _engine.as_written()
        result = python_func(*args, **kwargs)
        return tf.nest.map_structure(lambda r: _after(r, op_return_value) if isinstance(r, tf.Operation) else r, result)
    body.__name__ = body.__qualname__ = name
    try:
        body.__signature__ = inspect.signature(python_func)
    except (TypeError, ValueError):
        pass
    with tf._eager_scope():
        concrete = tf.function(body, autograph=False).get_concrete_function(*args, **kwargs)
    if not capture_by_value:
        return concrete.graph
    graph, structured = concrete._frozen_graph(), concrete.structured_outputs
    traced = _session.part(graph, graph.inputs, graph.outputs, name=name).graph
    outputs = iter(traced.outputs)
    traced.structured_outputs = tf.nest.map_structure(lambda t: t if t is None else next(outputs), structured)
    return traced


def _after(operation, value):
    """A value, given when an operation has run; None without one."""
    if value is None:
        return None
    with tf.control_dependencies([operation]):
        return tf.identity(value)


def _into(graph, python_func, args, kwargs, create_placeholders):
    """Traces a function into a graph that is there already."""
    def placeholder(value):
        spec = _spec_of(value)
        if not isinstance(spec, tf.TensorSpec) or not create_placeholders:
            return value
        return _engine.placeholder(spec.dtype, spec.shape, spec.name or 'Placeholder')
    with graph.as_default():
        args, kwargs = tf.nest.map_structure(placeholder, (tuple(args or ()), dict(kwargs or {})))
        given = [t for t in tf.nest.flatten((args, kwargs)) if isinstance(t, tf.Tensor)]
        result = python_func(*args, **kwargs)
        result = tf.nest.map_structure(lambda t: t if t is None else tf.convert_to_tensor(t), result)
    graph.structured_outputs = result
    graph.inputs = given + list(graph.internal_captures)
    graph.outputs = [t for t in tf.nest.flatten(result) if t is not None]
    return graph


def convert_structure_to_signature(structure, arg_names=None, signature_context=None):
    """The structure with a spec in place of each tensor, named after where it stands."""
    def spec(path, value):
        name = '/'.join(str(part) for part in path)
        if isinstance(value, (tf.Tensor, tf.Variable)):
            own = value.op.name if isinstance(value, tf.Tensor) and tf.is_symbolic_tensor(value) else None
            return tf.TensorSpec(value.shape, value.dtype, name=own or name or None)
        return value
    return tf.nest.pack_sequence_as(structure, [spec(path, value) for path, value in _paths(structure)])


def _paths(structure, path=()):
    """The leaves of a structure with the keys that lead to them, in the order of flatten()."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in _paths(structure[key], (*path, key))]
    if isinstance(structure, (list, tuple)):
        return [leaf for i, part in enumerate(structure) for leaf in _paths(part, (*path, i))]
    return [(path, structure)]


def check_func_mutation(old_args, old_kwargs, new_args, new_kwargs, func):
    """An error if a function has changed the lists and dicts that it was given."""
    if not _same((old_args, old_kwargs), (new_args, new_kwargs)):
        raise ValueError('%s should not modify its Python input arguments. Modifying a copy is allowed.' % (
            getattr(func, '__name__', func),))


def _same(a, b):
    try:
        tf.nest.assert_same_structure(a, b)
    except (TypeError, ValueError):
        return False
    return all(x is y for x, y in zip(tf.nest.flatten(a), tf.nest.flatten(b)))


def dismantle_func_graph(func_graph):
    """Does nothing: a graph is freed when nobody has it any more."""


def empty(name):
    """The graph of a function that is built by hand."""
    graph = _engine.function_graph(name)
    graph._state['outer'] = tf.compat.v1.get_default_graph()
    return graph


# --- what a graph of a function has, whether it was traced or is built by hand ---
def _hold(graph):
    """What was captured until now, of a graph that is built by hand: inside by outside."""
    kept = graph._state.setdefault('captured', {})
    for outside, inside in graph._captured():
        kept.setdefault(inside.name, (outside, inside))
    return kept


def _as_default(self):
    if _engine.current_graph() is self:  # ops go there already
        return contextlib.nullcontext(self)
    return _Entered(self) if _by_hand(self) else _engine.graph_scope(self)


def _by_hand(graph):
    return graph.building_function and 'outer' in graph._state


class _Entered:
    """The scope of a graph of a function that is built by hand, which remembers what it captured."""

    def __init__(self, graph):
        self._graph, self._scope = graph, _engine.graph_scope(graph)

    def __enter__(self):
        return self._scope.__enter__()

    def __exit__(self, *error):
        _hold(self._graph)
        done = self._scope.__exit__(*error)
        for callback in self._graph._state.pop('exit_callbacks', ()):
            callback()
        return done


def _settable(name, otherwise):
    """A member of graphs that a program may set; until then what `otherwise` says."""
    def read(self):
        return self._state['own_' + name] if 'own_' + name in self._state else otherwise(self)

    def write(self, value):
        self._state['own_' + name] = value
    _engine.extend(tf.Graph, name, property(read, write))


def _captured_or(member, read):
    """A member that tells of captures: of a trace as that says, else of what the graph captured by hand."""
    of_trace = vars(tf.Graph)[member]

    def captured(self):
        if 'concrete' in self._state:
            return of_trace.__get__(self)
        if not self.building_function:
            raise AttributeError("'Graph' object has no attribute %r" % member)
        return read(list(_hold(self).values()))
    _engine.extend(tf.Graph, member, property(captured))


def _first_inputs(graph_inputs):
    def inputs(self):
        if not _by_hand(self):
            return graph_inputs.__get__(self)
        own = self._state.setdefault('list_inputs', [])
        for _, inside in _hold(self).values():
            if not any(inside is one for one in own):
                own.append(inside)
        return own
    return inputs


def _own_list(member):
    def read(self):
        return self._state.setdefault('list_outputs', []) if _by_hand(self) else member.__get__(self)
    return read


def capture(self, tensor, name=None, shape=None):
    """What stands in this graph for a value from outside: the same for the same value."""
    value = tensor.handle if isinstance(tensor, tf.Variable) else tf.convert_to_tensor(tensor)
    kept = _hold(self)
    for outside, inside in kept.values():
        if outside is value or outside._id == value._id:
            return inside
    inside = self._capture(value, name)
    if inside is not value and _by_hand(self):
        kept[inside.name] = value, inside
    return inside


_engine.extend(tf.Graph, 'as_default', _as_default)
_engine.extend(tf.Graph, 'capture', capture)
_settable('_last_loss_reduction', lambda self: None)  # what losses say to strategies
_engine.extend(tf.Graph, 'captured', lambda self, tensor: any(tensor is inside for inside in self.internal_captures))
_captured_or('captures', list)
_captured_or('external_captures', lambda pairs: [outside for outside, _ in pairs])
_captured_or('internal_captures', lambda pairs: [inside for _, inside in pairs])
_captured_or('structured_outputs', lambda pairs: None)
_captured_or('structured_input_signature', lambda pairs: None)
_captured_or('variables', lambda pairs: ())
_captured_or('trainable_variables', lambda pairs: ())
_settable('inputs', _first_inputs(vars(tf.Graph)['inputs']))
_settable('outputs', _own_list(vars(tf.Graph)['outputs']))
_settable('structured_outputs', vars(tf.Graph)['structured_outputs'].__get__)
_settable('structured_input_signature', vars(tf.Graph)['structured_input_signature'].__get__)


# --- tensorflow.python.eager.polymorphic_function: concrete_function, transform ---
def from_func_graph(graph, function_type=None, attrs=None, shared_func_graph=True):
    """The concrete function of a graph: that which was traced, or one made of a graph that was built by hand."""
    if 'concrete' in graph._state and not attrs:
        return graph._state['concrete']
    captured = list(graph.captures)
    inside = [inner for _, inner in captured]
    feeds = [t for t in graph.inputs if not any(t is inner for inner in inside)]
    outputs = [t for t in tf.nest.flatten(graph.outputs) if t is not None]
    made = _session.part(graph, feeds, outputs, graph.control_outputs, [(inner, outer) for outer, inner in captured],
                         graph.name)
    structure = graph.structured_outputs
    return made if structure is None or isinstance(structure, list) else _graph_def.WrappedFunction(
        made, lambda results: tf.nest.map_structure(lambda t: t if t is None else next(results), structure))


# --- tensorflow.python.framework.function_def_to_graph, tensorflow.python.eager.lift_to_graph ---
def function_def_to_graph(fdef, structured_input_signature=None, structured_outputs=None, input_shapes=None,
                          propagate_device_spec=False, include_library_functions=False):
    """The graph of a function that is given as FunctionDef."""
    if input_shapes is None and structured_input_signature is not None and not isinstance(structured_input_signature, tuple):
        input_shapes, structured_input_signature = structured_input_signature, None
    definition, names = function_def_to_graph_def(fdef, input_shapes)
    wanted = [names.get(fdef.ret[out.name], fdef.ret[out.name]) for out in fdef.signature.output_arg]

    def body():
        tensors = tf.graph_util.import_graph_def(definition, name='', return_elements=wanted)
        return tensors
    graph = tf.__internal__.FuncGraph(fdef.signature.name)
    with graph.as_default():
        outputs = body() or []
    graph.inputs = [graph.get_tensor_by_name(arg.name + ':0') for arg in fdef.signature.input_arg]
    graph.outputs = list(outputs)
    graph.structured_outputs = structured_outputs
    graph.structured_input_signature = structured_input_signature
    return graph


def function_def_to_graph_def(fdef, input_shapes=None, include_library_functions=False):
    """A function as GraphDef, its arguments as placeholders, and the names in it of the outputs of nodes."""
    from footlight import _proto
    graph = _proto.GraphDef()
    graph.versions.producer = 1395
    default = tf.compat.v1.get_default_graph()
    definition, names = default.as_graph_def(), {}
    graph.library.CopyFrom(definition.library)
    if input_shapes is not None and len(input_shapes) != len(fdef.signature.input_arg):
        raise ValueError('Length of `input_shapes` must match the number of `input_arg`s in `fdef`. Got %d `input_shapes` '
                         'and %d `input_arg`s.' % (len(input_shapes), len(fdef.signature.input_arg)))
    for i, arg in enumerate(fdef.signature.input_arg):
        node = graph.node.add(name=arg.name, op='Placeholder')
        node.attr['dtype'].type = arg.type
        given = fdef.arg_attr[i].attr if i in fdef.arg_attr else {}
        shape = input_shapes[i] if input_shapes is not None else None
        if shape is not None:
            node.attr['shape'].shape.CopyFrom(tf.TensorShape(shape).as_proto())
        elif '_output_shapes' in given:
            node.attr['shape'].shape.CopyFrom(given['_output_shapes'].list.shape[0])
        else:
            node.attr['shape'].shape.unknown_rank = True
        if '_user_specified_name' in given:
            node.attr['_user_specified_name'].CopyFrom(given['_user_specified_name'])
        names[arg.name] = arg.name + ':0'
    for node in fdef.node_def:
        count = 0
        for out in tf.Graph().op_def_for_type(node.op).output_arg:
            size = (node.attr[out.number_attr].i if out.number_attr else
                    len(node.attr[out.type_list_attr].list.type) if out.type_list_attr else 1)
            for k in range(size):
                names['%s:%s:%d' % (node.name, out.name, k)] = '%s:%d' % (node.name, count + k)
            count += size
        names['^' + node.name] = '^' + node.name
    for node in fdef.node_def:
        made = graph.node.add()
        made.CopyFrom(node)
        del made.input[:]
        made.input.extend(names.get(name, name) for name in node.input)
    return graph, names


def function_from_graph_def(graph_def, inputs, outputs, captures=None):
    """The part of a GraphDef that computes `outputs`, as a function of the tensors that are named as inputs."""
    wrapped = _graph_def.wrap_function(lambda: tf.graph_util.import_graph_def(graph_def, name=''), [])
    graph = wrapped.graph
    element = lambda name: graph.as_graph_element(name)
    return wrapped.prune(tf.nest.map_structure(element, inputs), tf.nest.map_structure(element, outputs))


class UnliftableError(Exception):
    """Raised where what was asked for depends on what cannot be copied."""
    ag_pass_through = True


def lift_to_graph(tensors, graph, sources=None, disallowed_placeholders=None, add_sources=False, handle_captures=False,
                  base_graph=None, op_map=None):
    """Copies tensors with all that they need into another graph; what each became, by what it was."""
    tensors = [t if isinstance(t, (tf.Tensor, tf.Operation)) else t.handle for t in tf.nest.flatten(tensors)]
    sources = [t if isinstance(t, tf.Tensor) else t.handle for t in tf.nest.flatten(sources or [])]
    base_graph = base_graph or tensors[0].graph
    done = _inside_utils.ObjectIdentityDictionary() if op_map is None else op_map
    needed, waiting = {}, [t.op if isinstance(t, tf.Tensor) else t for t in tensors]
    stop = {t.op.name for t in sources}
    while waiting:
        op = waiting.pop()
        if op.name in needed:
            continue
        needed[op.name] = op
        if op.name in stop:
            continue
        if op.type == 'Placeholder' and not add_sources:
            raise UnliftableError('Unable to lift tensor %r because it depends transitively on placeholder %r' % (
                tensors[0], op))
        waiting.extend([t.op for t in op.inputs] + list(op.control_inputs))
    left = [t for op in needed.values() if op.type == 'Placeholder' or op.name in stop for t in op.outputs]
    outside = {}
    if handle_captures and base_graph.building_function:
        captures = list(base_graph.captures)
        outside = {inner.name: outer for outer, inner in captures}
        places = {inner.name: i for i, (_, inner) in enumerate(captures)}
        left.sort(key=lambda t: places.get(t.name, -1))  # what is captured stays in the order in which it was
    with graph.as_default():
        stand = []
        for t in left:
            stand.append(graph.capture(outside[t.name], name=t.op.name) if t.name in outside else
                         _engine.placeholder(t.dtype, t.shape, t.op.name))
        wanted = [t for t in tensors if isinstance(t, tf.Tensor)]
        found = _engine.inline_graph(base_graph, left, stand, wanted, [t for t in tensors if isinstance(t, tf.Operation)])
    for old, new in [*zip(left, stand), *zip(wanted, found)]:
        done[old], done[old.op] = new, new.op
    return done


# --- tensorflow.python.framework.auto_control_deps ---
class AutomaticControlDependencies:
    """A context in which effects of a graph happen in the order in which they are made."""

    def __init__(self, record_initial_resource_uses=False):
        self._returned, self._seen = [], None

    def __enter__(self):
        if not tf.executing_eagerly():
            graph = tf.compat.v1.get_default_graph()
            self._graph, self._seen = graph, graph.num_operations()
        return self

    def mark_as_return(self, tensor):
        """The tensor as it is returned: when all effects before have happened."""
        if tf.executing_eagerly() or tensor is None:
            return tensor
        if isinstance(tensor, (tf.IndexedSlices, tf.SparseTensor, tf.RaggedTensor)):
            return tf.nest.map_structure(self.mark_as_return, tensor, expand_composites=True)
        return self._after_effects(tensor)

    def _after_effects(self, tensor):
        effects = [op for op in self._graph.get_operations()[self._seen:] if op_is_stateful(op)]
        with tf.control_dependencies(effects):
            return tf.identity(tensor)

    @property
    def ops_which_must_run(self):
        """The operations with effects that were made inside."""
        return {op for op in self._graph.get_operations()[self._seen:] if op_is_stateful(op)}

    def __exit__(self, *error):
        return None


def automatic_control_dependencies(f):
    """Decorates a function: in a graph what it returns is there when its effects have happened."""
    def wrapper(*args, **kwargs):
        with AutomaticControlDependencies() as scope:
            result = f(*args, **kwargs)
            return tf.nest.map_structure(lambda t: scope.mark_as_return(tf.convert_to_tensor(t)), result)
    return _inside_utils.same_words(f, wrapper)


def op_is_stateful(op):
    """Whether the operation has an effect, or reads what others change."""
    return op._is_stateful and op.type not in ('ReadVariableOp', 'VarHandleOp', 'Placeholder')


_engine.extend(tf.types.experimental.PolymorphicFunction, '_tf_decorator', property(
    lambda self: _python_util.TFDecorator('tf.function', self.python_function)))
_engine.extend(tf.types.experimental.PolymorphicFunction, '_name', property(lambda self: self.name))


def _attributes_of(function):
    """What a library's function is given besides its graph, as messages."""
    from footlight._inside import tracing as _tracing
    options = function._options
    given = dict(options.get('experimental_attributes') or {})
    if options.get('experimental_implements') is not None:
        given[_tracing.IMPLEMENTS] = options['experimental_implements']
    return _tracing.parse_func_attrs(given, _tracing.POLYMORPHIC_FUNCTION_ALLOWLIST)


for _member, _option, _otherwise in (('_autograph', 'autograph', True), ('_reduce_retracing', 'reduce_retracing', False),
                                     ('_experimental_autograph_options', 'experimental_autograph_options', None)):
    _engine.extend(tf.types.experimental.PolymorphicFunction, _member, property(
        lambda self, option=_option, otherwise=_otherwise: self._options.get(option, otherwise)))
_engine.extend(tf.types.experimental.PolymorphicFunction, '_attributes', property(_attributes_of))
_engine.extend(tf.Operation, '_is_stateful', property(lambda self: self.op_def.is_stateful))
class ConcreteFunction(metaclass=_internal.ByKind):
    """Concrete functions, and how one is made of a graph."""

    kind = _Concrete
    from_func_graph = staticmethod(from_func_graph)


class Function(metaclass=_internal.ByKind):
    """Functions that are traced: made by tf.function, here for isinstance() and by this name too."""

    kind = tf.types.experimental.PolymorphicFunction

    def __new__(cls, python_function, name=None, input_signature=None, **options):
        return tf.function(python_function, input_signature, **options)


for _path, _names in {
        'eager.def_function': 'Function', 'eager.polymorphic_function.concrete_function': 'ConcreteFunction',
        'eager.polymorphic_function.polymorphic_function': 'Function',
        'eager.lift_to_graph': 'lift_to_graph UnliftableError', 'eager.wrap_function': 'function_from_graph_def',
        'framework.auto_control_deps': 'AutomaticControlDependencies automatic_control_dependencies op_is_stateful',
        'framework.func_graph': 'func_graph_from_py_func convert_structure_to_signature check_func_mutation '
                                'dismantle_func_graph',
        'framework.function_def_to_graph': 'function_def_to_graph function_def_to_graph_def'}.items():
    for _name in _names.split():
        setattr(_engine.namespace('python.' + _path), _name, globals()[_name])
