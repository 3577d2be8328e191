"""tf.saved_model.load: the objects, functions and signatures of a SavedModel."""
import collections.abc
import itertools
import os
import weakref

import footlight as tf
from footlight import _engine, _proto  # noqa: F401
from footlight._saving import containers as _containers, function_saving as _function_saving, object_graph as _object_graph  # noqa: F401
from footlight._saving.function_saving import unique_names
from footlight._saving.structure_coder import shape_of, value_of
from footlight._saving.names import Asset, LoadOptions, TrackableResource, saved_model
from footlight._types.specs import VariableSpec
from footlight._saving.trackable import VARIABLE_VALUE, AutoTrackable, Trackable

_MOST_ITEMS = 1 << 20  # that a list may have beside those that are saved
_MOST_BYTES = 1 << 31  # bytes of a message, which protobuf cannot exceed either


def read_messages(export_dir):
    for name, read in (('saved_model.pb', lambda data: _proto.SavedModel.FromString(data)),
                       ('saved_model.pbtxt', lambda data: _proto.SavedModel.FromText(data.decode()))):
        path = os.path.join(export_dir, name)
        if not os.path.isfile(path):
            continue
        if os.path.getsize(path) > _MOST_BYTES:
            raise OSError('Cannot parse file %s: it is larger than %d bytes.' % (path, _MOST_BYTES))
        with open(path, 'rb') as file:
            content = file.read()  # a limit here would take that much memory at first
        try:
            return read(content)
        except ValueError as error:
            raise OSError('Cannot parse file %s: %s.' % (path, error)) from None
    raise OSError('SavedModel file does not exist at: %s%s{saved_model.pbtxt|saved_model.pb}' % (export_dir, os.sep))


def _damaged(words, *args):
    return tf.errors.DataLossError(None, None, 'the SavedModel is damaged: ' + words % args)


def _member(kind, number):
    """The member of an enumeration that a file names by its number."""
    try:
        return kind(number)
    except ValueError:
        raise _damaged('%d is no %s', number, kind.__name__) from None


def _components(spec):
    """The specs of the tensors that a value of the spec consists of."""
    return [spec] if isinstance(spec, tf.TensorSpec) else tf.nest.flatten(spec._component_specs, expand_composites=True)


def packed(structure, tensors):
    """The structure with values in the place of their specs, made of the tensors in order."""
    def value(leaf):
        if isinstance(leaf, tf.TensorSpec):
            return next(tensors)
        if isinstance(leaf, VariableSpec):
            return next(tensors)  # the variable itself
        if isinstance(leaf, tf.TypeSpec):
            return leaf._from_components(tf.nest.pack_sequence_as(
                leaf._component_specs, [next(tensors) for _ in _components(leaf)]))
        return leaf
    return tf.nest.map_structure(value, structure)


def _traced_with(leaf):
    """What to trace with for a leaf of a signature: a variable of its own for the spec of one."""
    if not isinstance(leaf, VariableSpec):
        return leaf
    dims = leaf.shape.as_list() if leaf.shape.rank is not None else ()
    return tf.Variable(tf.zeros([d or 0 for d in dims], leaf.dtype), shape=leaf.shape, trainable=leaf.trainable)


def signature_of(spec):
    """The parameters of a saved function, as inspect has them; None where the file does not say them."""
    if spec is None:
        return None
    import inspect
    kinds, parameters = inspect.Parameter, []
    defaults, names = list(spec.defaults or ()), list(spec.args)
    for i, name in enumerate(names):
        at = i - (len(names) - len(defaults))
        parameters.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults[at] if at >= 0 else kinds.empty))
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    for name in spec.kwonlyargs or ():
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=(spec.kwonlydefaults or {}).get(name, kinds.empty)))
    if spec.varkw:
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _as_arguments(structure):
    """A saved signature as arguments to trace with: the positional ones as a tuple, those by name as a dict."""
    return tuple(structure[0]), dict(structure[1])


def _tensor_of(captured):
    """What a function is given for an object that it captured; a variable is given itself."""
    return (captured.asset_path if isinstance(captured, Asset) else
            captured.resource_handle if isinstance(captured, TrackableResource) else captured)


class LoadedTrace(Trackable):
    """A function of the file with the tensors that it captured: made into one of this process when it is called."""

    def __init__(self, loader, name, function_spec=None):
        saved = loader.graph.concrete_functions[name]
        if name not in loader.functions:
            raise _damaged('it has no function %s', name)
        self._definition = loader.functions[name]
        self._loader, self.name = loader, name
        self._graph_def = loader.definition
        arguments = value_of(saved.canonicalized_input_signature) or ((), {})
        self.structured_input_signature = _as_arguments(arguments)
        self._outputs = value_of(saved.output_signature)
        leaves = [s for s in tf.nest.flatten(self.structured_input_signature) if isinstance(s, tf.TypeSpec)]
        self.specs = [s for leaf in leaves for s in _components(leaf)]
        self.bound = list(saved.bound_inputs)
        wanted = len(self._definition.signature.input_arg)
        if len(self.specs) + len(self.bound) != wanted:
            raise _damaged('the function %s has %d inputs, and %d are given', name, wanted,
                           len(self.specs) + len(self.bound))
        self._function = self._parameters = None
        spec = function_spec and value_of(function_spec.fullargspec)
        args, kwargs = self.structured_input_signature
        if spec and not spec.varargs and not spec.varkw and (len(spec.args), set(spec.kwonlyargs or ())) == (len(args), set(kwargs)):
            self._parameters = signature_of(spec)

    def _captured(self):
        return [self._loader.object_of(number) for number in self.bound]

    def _captures(self):
        return [_tensor_of(found) for found in self._captured()]

    def _traced(self, *args, **kwargs):
        """The body: a call of the file's function, read from its library."""
        tensors = [t.handle if isinstance(t, tf.Variable) else t for t in tf.nest.flatten((args, kwargs), expand_composites=True)
                   if isinstance(t, (tf.Tensor, tf.Variable))]
        return self._called(tensors + self._captures())

    def _called(self, tensors):
        definition = self._definition
        graph = _proto.GraphDef()
        graph.versions.CopyFrom(self._graph_def.versions)
        graph.library.CopyFrom(self._graph_def.library)
        inputs = {}
        for i, (argument, value) in enumerate(zip(definition.signature.input_arg, tensors)):
            node = graph.node.add(name='input_%d' % i, op='Placeholder')
            node.attr['dtype'].type = argument.type
            inputs['input_%d:0' % i] = value
        call = graph.node.add(name='call', op='StatefulPartitionedCall', input=['input_%d' % i for i in range(len(inputs))])
        call.attr['f'].func.name = definition.signature.name
        for name, arguments in (('Tin', definition.signature.input_arg), ('Tout', definition.signature.output_arg)):
            call.attr[name].list.SetInParent()  # an empty list is one too
            call.attr[name].list.type.extend([a.type for a in arguments])
        outputs = ['call:%d' % i for i in range(len(definition.signature.output_arg))]
        found = tf.import_graph_def(graph, inputs, outputs, name='')
        for tensor, spec in zip(found, self._flat_outputs()):
            tensor.set_shape(spec.shape)  # the body alone does not know the shapes of variables
        return None if self._outputs is None else packed(self._outputs, iter(found))

    def _keep_gradients(self):
        """Keeps the gradients of the file registered for the graph that is being built, which gets a call of the function.

        A tf.Graph holds them itself. A traced function holds the variables that it captures, and they hold the gradients;
        where there are none, the gradients stay for as long as the process, as nothing tells when the function is gone.
        """
        graph, gradients = _engine.current_graph(), self._loader.gradients
        if graph is None or gradients is None:
            return
        if not graph.building_function:
            graph._state.setdefault('loaded_gradients', set()).add(gradients)
            return
        variables = self.variables
        for variable in variables:
            variable._loaded_gradients = gradients
        if not variables:
            _needed_forever.add(gradients)

    def _flat_outputs(self):
        return [s for leaf in tf.nest.flatten(self._outputs) if isinstance(leaf, tf.TypeSpec) for s in _components(leaf)]

    @property
    def concrete(self):
        """The function as one of this process."""
        self._keep_gradients()
        if self._function is None:
            def body(*args, **kwargs):
                return self._traced(*args, **kwargs)
            body.__name__ = body.__qualname__ = self.name.removeprefix('__inference_').rstrip('0123456789').rstrip('_') or 'f'
            if self._parameters is not None:
                body.__signature__ = self._parameters
            with tf._eager_scope():
                args, kwargs = tf.nest.map_structure(_traced_with, self.structured_input_signature)
                self._function = tf.function(body, autograph=False).get_concrete_function(*args, **kwargs)
        return self._function

    @property
    def graph(self):
        return self.concrete.graph

    function_type = property(lambda self: self.concrete.function_type)

    inputs = property(lambda self: self.concrete.inputs)
    outputs = property(lambda self: self.concrete.outputs)
    captured_inputs = property(lambda self: self.concrete.captured_inputs)
    structured_outputs = property(lambda self: self._outputs)
    variables = property(lambda self: [v for v in self._captured() if isinstance(v, tf.Variable)])
    trainable_variables = property(lambda self: [v for v in self.variables if v.trainable])

    def pretty_printed_signature(self, verbose=True):
        """Parameters, result and captures as text."""
        return self.concrete.pretty_printed_signature(verbose=verbose)

    def flat(self, tensors):
        """The structured outputs for the tensors of the inputs, in order."""
        self._keep_gradients()
        args, kwargs = packed(self.structured_input_signature, iter(tensors))
        if not tf.executing_eagerly() and not tf.inside_function() and any(isinstance(o, Asset) for o in self._captured()):
            return self._traced(*args, **kwargs)  # in a graph, whose constants are the paths
        return self.concrete(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        given, named = self.structured_input_signature
        if not all(isinstance(one, tf.TensorSpec) for one in (*given, *named.values())):
            return self.concrete(*args, **kwargs)  # which finds variables and the tensors in structures
        names = unique_names([s.name for s in self.specs])
        if len(args) > len(names):
            raise TypeError('%s takes %d arguments, %d were given' % (self.name, len(names), len(args)))
        values = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names or name in values:
                raise TypeError('%s got an unexpected argument %r; it takes %s' % (self.name, name, names))
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise TypeError('%s is missing the arguments %s' % (self.name, missing))
        return self.flat([tf.convert_to_tensor(values[name], s.dtype) for name, s in zip(names, self.specs)])


class _SavedGradient:
    """The gradient of a function that the program gave, tf.custom_gradient, of the file."""

    def __init__(self, loader, name):
        self._trace = LoadedTrace(loader, name)
        nodes = [loader.nodes[number] for number in self._trace.bound]
        names = [node.captured_tensor.name if node.WhichOneof('kind') == 'captured_tensor' else None for node in nodes]
        # The registry has this, so it must not keep the loader, and what was captured only as long as the gradients are needed.
        captured = [one.resource_handle if isinstance(one, RestoredResource) else one for one in self._trace._captured()]
        loader.gradients.captured[name] = list(zip(names, captured))
        self._gradients, self._name, self._trace._loader = weakref.ref(loader.gradients), name, None

    def __call__(self, op, *gradients):
        given = [tf.zeros_like(output) if gradient is None else tf.convert_to_tensor(gradient)
                 for output, gradient in zip(op.outputs, gradients)]
        return self._trace._called(given + [_tensor_of(one) if name is None else op.graph.get_tensor_by_name(name)
                                            for name, one in self._gradients().captured[self._name]])


class _Gradients:
    """What the registered gradients of a file captured; they are registered for as long as someone holds this."""

    def __init__(self):
        self.captured = {}  # name of the gradient's function -> [(name of a tensor in the graph of the op or None, object)]


_needed_forever = set()
_loads = itertools.count(1)  # each gives the gradients of its file names of their own


def _rename_gradients(loader):
    """Gives the gradients of a file names that no other file has."""
    library, load = loader.definition.library, next(_loads)
    names = {one.registered_op_type.encode(): f'{one.registered_op_type}-loaded-{load}' for one in library.registered_gradients}
    if not names:
        return
    for function in library.function:
        for node in function.node_def:
            if '_gradient_op_type' in node.attr and node.attr['_gradient_op_type'].s in names:
                node.attr['_gradient_op_type'].s = names[node.attr['_gradient_op_type'].s].encode()
    for one in library.registered_gradients:
        one.registered_op_type = names[one.registered_op_type.encode()]


def _register_gradients(loader):
    """Makes the gradients of a file those of its functions' ops, for as long as someone may ask for them."""
    known = tf.RegisterGradient._known
    for one in loader.definition.library.registered_gradients:
        tf.RegisterGradient(one.registered_op_type)(_SavedGradient(loader, one.gradient_func))
        weakref.finalize(loader.gradients, known.pop, one.registered_op_type, None)


class LoadedSpec:
    """The parameters of a loaded function."""

    def __init__(self, function):
        self._function = function

    fullargspec = property(lambda self: self._function._spec)
    arg_names = property(lambda self: list(self._function._names))
    default_values = property(lambda self: dict(self._function._defaults))
    input_signature = property(lambda self: self._function.input_signature)


class LoadedFunction(Trackable):
    """A tf.function of the file: calls the one of its traces that fits the arguments."""

    def __init__(self, loader, saved):
        self._traces = [LoadedTrace(loader, name) for name in saved.concrete_functions]
        spec = value_of(saved.function_spec.fullargspec)
        self._spec = spec
        self.input_signature = value_of(saved.function_spec.input_signature)
        self._jit_compile = {1: True, 2: False}.get(saved.function_spec.jit_compile)
        self.name = self.__name__ = self._traces[0].name if self._traces else 'f'
        self._names = list(getattr(spec, 'args', ()) or ())
        if saved.function_spec.is_method and self._names[:1] == ['self']:
            self._names = self._names[1:]
        defaults = list(getattr(spec, 'defaults', None) or ())
        self._defaults = dict(zip(self._names[len(self._names) - len(defaults):], defaults))
        self._defaults.update(getattr(spec, 'kwonlydefaults', None) or {})
        self._keyword_only = list(getattr(spec, 'kwonlyargs', None) or ())

    @property
    def __signature__(self):
        """The parameters without `self`, for inspect; None where the file does not say them."""
        if self._spec is None:
            return None
        import inspect
        kinds, spec = inspect.Parameter, self._spec
        named = [(name, kinds.POSITIONAL_OR_KEYWORD) for name in self._names]
        named += [(spec.varargs, kinds.VAR_POSITIONAL)] if getattr(spec, 'varargs', None) else []
        named += [(name, kinds.KEYWORD_ONLY) for name in self._keyword_only]
        named += [(spec.varkw, kinds.VAR_KEYWORD)] if getattr(spec, 'varkw', None) else []
        return inspect.Signature([kinds(name, kind, default=self._defaults.get(name, kinds.empty)) for name, kind in named])

    concrete_functions = property(lambda self: list(self._traces))
    function_spec = property(LoadedSpec)

    def _list_all_concrete_functions(self):
        return [trace.concrete for trace in self._traces]

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def get_concrete_function(self, *args, **kwargs):
        """The trace for arguments, or specs, like these."""
        if not args and not kwargs and len(self._traces) == 1:
            return self._traces[0].concrete
        given = self._canonical(args, kwargs)
        for trace in self._traces:
            if _matched(trace.structured_input_signature, given) is not None:
                return trace.concrete
        raise ValueError(self._unmatched(given))

    def _trackable_children(self, save_type='checkpoint', **kwargs):
        if save_type == 'checkpoint':
            return {}
        return {'trace_%d' % i: trace.concrete for i, trace in enumerate(self._traces)}

    def _canonical(self, args, kwargs):
        args, kwargs = list(args), dict(kwargs)
        for name in self._names[len(args):]:
            if name in kwargs:
                args.append(kwargs.pop(name))
            elif name in self._defaults:
                args.append(self._defaults[name])
            else:
                break
        for name in self._keyword_only:
            if name not in kwargs and name in self._defaults:
                kwargs[name] = self._defaults[name]
        signature = self.input_signature
        if signature is not None and len(args) == len(signature):
            args = [tf.convert_to_tensor(value, spec.dtype) if type(spec) is tf.TensorSpec and isinstance(value, list) else value
                    for value, spec in zip(args, signature)]
        return tuple(args), kwargs

    def _unmatched(self, given):
        if not self._traces:
            return 'Found zero restored functions for caller function.'
        return ('Could not find matching concrete function to call loaded from the SavedModel. Got: %s. Expected one of: %s'
                % (given, [t.structured_input_signature for t in self._traces]))

    def __call__(self, *args, **kwargs):
        given = self._canonical(args, kwargs)
        for trace in self._traces:
            tensors = _matched(trace.structured_input_signature, given)
            if tensors is not None:
                return trace.flat(tensors)
        raise ValueError(self._unmatched(given))


def _matched(signature, given):
    """The tensors for the specs of a signature; None if the arguments do not fit it."""
    try:
        tf.nest.assert_same_structure(signature, given, check_types=False)
    except (ValueError, TypeError):
        return None
    tensors = []
    for spec, value in zip(tf.nest.flatten(signature), tf.nest.flatten(given)):
        if not isinstance(spec, tf.TypeSpec):
            if isinstance(value, tf.Tensor) or spec != value:
                return None
            continue
        if isinstance(value, tf.TypeSpec):
            if not spec.is_compatible_with(value):
                return None
            continue
        if isinstance(spec, VariableSpec):
            if not isinstance(value, tf.Variable) or value.dtype != spec.dtype or not spec.shape.is_compatible_with(value.shape):
                return None
            tensors.append(value)
            continue
        if not isinstance(spec, tf.TensorSpec):
            if isinstance(value, (tf.Tensor, tf.Variable)) or not spec.is_compatible_with(value):
                return None
            tensors += tf.nest.flatten(value, expand_composites=True)
            continue
        try:
            value = tf.convert_to_tensor(value, spec.dtype)
        except (ValueError, TypeError):
            return None
        if not spec.shape.is_compatible_with(value.shape):
            return None
        if value.shape.rank is None and spec.shape.rank is not None:
            value = tf.ensure_shape(value, spec.shape)
        tensors.append(value)
    return tensors


class _Loaded(AutoTrackable):
    """An object of the file whose class is not known here; it can be called if it has a function `__call__`."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == '__call__' and type(self) is _Loaded:
            self.__class__ = _LoadedCallable


class _LoadedCallable(_Loaded):
    def __call__(self, *args, **kwargs):
        return vars(self)['__call__'](*args, **kwargs)


class SignatureMap(Trackable, collections.abc.Mapping):
    """The signatures of a SavedModel, which cannot be changed: functions of tensors by name, which give a dict."""

    def __init__(self, functions=()):
        self._functions = dict(functions)

    def __getitem__(self, key):
        return self._functions[key]

    def __iter__(self):
        return iter(self._functions)

    def __len__(self):
        return len(self._functions)

    def __repr__(self):
        return '_SignatureMap(%r)' % (self._functions,)

    def _trackable_children(self, save_type='checkpoint', **kwargs):
        return {} if save_type == 'checkpoint' else dict(self._functions)


class RestoredResource(TrackableResource):
    """A resource of the file, whose functions make and fill it: they take the place of the methods."""

    def __init__(self, device):
        super().__init__(device)
        self._functions, self._saveables = {}, {}

    def _trackable_children(self, save_type='checkpoint', **kwargs):
        return {} if save_type == 'checkpoint' else dict(self._functions)

    _saveable_name = property(lambda self: next(iter(self._saveables), None))

    def _serialize_to_tensors(self):
        if not self._saveables:
            raise NotImplementedError
        (name, (give, _)), = self._saveables.items()
        return {found['name'].numpy().decode(): found['tensor'] for found in give.flat([tf.constant(name)])}

    def _restore_from_tensors(self, restored_tensors):
        self._saveables[self._saveable_name][1].flat([restored_tensors[name] for name in self._serialize_to_tensors()])


def _index_of(name):
    """The place in a list that a child's name says."""
    try:
        return int(name)
    except ValueError:
        raise _damaged('a list has an item %r, which is no number', name) from None


class _Loader:
    """Makes the objects of a file; `given` has those that are there: {number: (object, what sets a child of it)}."""

    def __init__(self, export_dir, meta, given=None):
        self.folder, self.meta, self.given = export_dir, meta, dict(given or {})
        self.definition, self.graph = meta.graph_def, meta.object_graph_def
        self.functions = {f.signature.name: f for f in self.definition.library.function}
        self.nodes = list(self.graph.nodes)
        self.objects, self.first_values = {number: known for number, (known, _) in self.given.items()}, {}
        self.gradients = _Gradients() if self.definition.library.registered_gradients else None
        _rename_gradients(self)

    def object_of(self, number):
        """The object of a number: variables and containers first, functions when they are asked for."""
        if not 0 <= number < len(self.nodes):
            raise _damaged('it refers to the object %d, of %d', number, len(self.nodes))
        if number not in self.objects:
            self.objects[number] = self._made(number, self.nodes[number])
        return self.objects[number]

    def _made(self, number, node):
        kind = node.WhichOneof('kind')
        if kind == 'variable':
            saved = node.variable
            shape, dtype = shape_of(saved.shape), tf.as_dtype(saved.dtype)
            first = self.first_values.get(number)
            if first is None:
                def first():
                    return tf.zeros([d or 0 for d in (shape.as_list() if shape.rank is not None else ())], dtype)
            made = tf.Variable(first, shape=shape, dtype=dtype, trainable=saved.trainable, name=saved.name or None,
                               synchronization=_member(tf.VariableSynchronization, saved.synchronization),
                               aggregation=_member(tf.VariableAggregation, saved.aggregation))
            graph = getattr(made, '_made_in', None)
            if graph is not None and saved.trainable:  # what a graph trains is for the program to say
                trained = graph.get_collection_ref('trainable_variables')
                trained[:] = [variable for variable in trained if variable is not made]
            return made
        if kind == 'constant':
            for found in self.definition.node:
                if found.name == node.constant.operation:
                    return tf.constant(tf.make_ndarray(found.attr['value'].tensor))
            raise _damaged('it has no constant %s', node.constant.operation)
        if kind == 'asset':
            files = list(self.meta.asset_file_def)
            if not 0 <= node.asset.asset_file_def_index < len(files):
                raise _damaged('it has no asset %d', node.asset.asset_file_def_index)
            name = files[node.asset.asset_file_def_index].filename
            if not name or os.path.basename(name) != name:
                raise _damaged('the name %r of an asset is not that of a file in its folder', name)
            return Asset(os.path.join(self.folder, 'assets', name))
        if kind == 'function':
            return LoadedFunction(self, node.function)
        if kind == 'bare_concrete_function':
            saved = node.bare_concrete_function
            return LoadedTrace(self, saved.concrete_function_name, saved.function_spec)
        if kind == 'resource':
            return RestoredResource(node.resource.device)
        if kind == 'captured_tensor':
            return AutoTrackable()  # a tensor inside of a function, which its gradient takes from there
        if kind == 'user_object':
            if node.user_object.identifier == 'signature_map':
                return SignatureMap()
            made = {'trackable_list_wrapper': list, 'trackable_dict_wrapper': dict,
                    'trackable_tuple_wrapper': list}.get(node.user_object.identifier)
            return _containers.wrap(made()) if made else _Loaded()
        raise NotImplementedError('tf.saved_model.load: objects of the kind %s are not supported' % kind)

    def _read_first_values(self):
        """In a graph the initializers of variables give the values of the file, which each session starts with."""
        prefix = os.path.join(self.folder, 'variables', 'variables')
        if tf.executing_eagerly() or not os.path.isfile(prefix + '.index'):
            return
        with tf._eager_scope():
            restoration = _object_graph.Restoration(_engine.open_tensors(prefix), prefix)
        todo, met = [(0, 0)], set()
        while todo:
            here, there = todo.pop()
            if (here, there) in met:
                continue
            met.add((here, there))
            key = restoration.attributes[there].get(VARIABLE_VALUE)
            if key is not None:
                with tf._eager_scope():
                    self.first_values[here] = _engine.read_tensor(restoration.file, key).numpy()
            todo += [(child.node_id, restoration.children[there][child.local_name]) for child in self.nodes[here].children
                     if child.local_name in restoration.children[there]]

    def load(self, options):
        if not options.experimental_skip_checkpoint:
            self._read_first_values()
        for number in range(len(self.nodes)):
            self.object_of(number)
        for number, node in enumerate(self.nodes):
            children = [(c.local_name, self.object_of(c.node_id)) for c in node.children]
            if number in self.given:
                known, set_child = self.given[number]
                for name, child in children:
                    set_child(known, name, child)
                continue
            self._add_children(self.objects[number], children)
            if node.WhichOneof('kind') == 'resource':
                self.objects[number]._saveables = {
                    name: (self.object_of(found.save_function), self.object_of(found.restore_function))
                    for name, found in dict(node.saveable_objects).items()}
        _register_gradients(self)
        root = self.objects[0]
        if not options.experimental_skip_checkpoint:
            self._restore(root, options)
        for number, found in self.objects.items():
            # One that was given is filled by the file too: its _initialize is the file's now.
            if isinstance(found, TrackableResource) and (number not in self.given or isinstance(
                    vars(found).get('_initialize'), LoadedFunction)):
                found.resource_handle  # noqa: B018  (made now, so that it can be filled)
                found._initialize()
        if not hasattr(root, 'signatures'):
            root.signatures = SignatureMap()
        if options.experimental_load_function_aliases:
            if hasattr(root, 'function_aliases'):
                raise ValueError('Could not load with experimental_load_function_aliases option: the top-level object has an '
                                 'attribute `function_aliases`')
            root.function_aliases = self._aliases()
        root.graph_debug_info, root.tensorflow_version = None, self.meta.meta_info_def.tensorflow_version
        return root

    @staticmethod
    def _add_children(parent, children):
        if isinstance(parent, list):
            for index, child in sorted(((_index_of(name), child) for name, child in children), key=lambda pair: pair[0]):
                if not 0 <= index <= _MOST_ITEMS + len(children):
                    raise _damaged('a list has an item %d', index)
                parent.extend([None] * (index - len(parent)))  # what was there has nothing that is saved
                parent.append(child)
        elif isinstance(parent, dict):
            for name, child in children:
                parent[name] = child
        if isinstance(parent, (SignatureMap, RestoredResource)):
            parent._functions.update(children)
        if isinstance(parent, (_Loaded, RestoredResource)):
            for name, child in children:
                setattr(parent, name, child)

    def _restore(self, root, options):
        variables = {number for number, node in enumerate(self.nodes) if node.WhichOneof('kind') == 'variable'}
        prefix = os.path.join(self.folder, 'variables', 'variables')
        if not os.path.isfile(prefix + '.index'):
            if variables:
                raise tf.errors.NotFoundError(None, None, 'Could not find checkpoint or SavedModel at %s' % prefix)
            return
        restoration = _object_graph.Restoration(_engine.open_tensors(prefix), prefix)
        restoration.bind(0, root)
        if options.allow_partial_checkpoint:
            return
        matched = {id(found()) for found in restoration.objects.values()}
        missing = [self.objects[number] for number in variables if id(self.objects[number]) not in matched]
        if missing:
            raise AssertionError('Found %d Python objects that were not bound to checkpointed values, likely due to changes '
                                 'in the Python program: %s' % (len(missing), missing[:10]))

    def _aliases(self):
        """{alias: the functions that have it}"""
        names = self.meta.meta_info_def.function_aliases
        found = {}
        for loaded in self.objects.values():
            for trace in getattr(loaded, 'concrete_functions', ()):
                if trace.name in names and loaded not in found.setdefault(names[trace.name], []):
                    found[names[trace.name]].append(loaded)
        return {alias: one[0] if len(one) == 1 else one for alias, one in found.items()}


def find_meta_graph(metas, tags):
    """The MetaGraphDef that has just these tags, or None."""
    return next((meta for meta in metas if tags == set(meta.meta_info_def.tags)), None)


def _meta_graph(export_dir, tags):
    """The only MetaGraphDef of a file, or the one with these tags."""
    metas = list(read_messages(export_dir).meta_graphs)
    wanted = None if tags is None else set([tags] if isinstance(tags, str) else tags)
    meta = metas[0] if wanted is None and len(metas) == 1 else find_meta_graph(metas, wanted)
    if meta is None:
        raise ValueError('Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more '
                         'than one MetaGraph. Got `tags=%s`, but there are %d MetaGraphs in the SavedModel with tag sets: '
                         '%s.' % (tags, len(metas), [list(m.meta_info_def.tags) for m in metas]))
    return meta


def load(export_dir, tags=None, options=None):
    """The root object of a SavedModel, with its variables, functions and `signatures`."""
    export_dir = os.fspath(export_dir)
    meta = _meta_graph(export_dir, tags)
    if not meta.object_graph_def.nodes:
        from footlight._saving import load_v1 as _load_v1
        return _load_v1.load(export_dir, meta)
    return _Loader(export_dir, meta).load(options or LoadOptions())


def parse_saved_model(export_dir):
    """The SavedModel message of a folder."""
    return read_messages(os.fspath(export_dir))


def load_partial(export_dir, filters, tags=None, options=None):
    """{path: the object} for paths such as "root.layer.kernel"; a dict of filters gives objects, or (object, what sets a
    child of it), that take the place of those in the file."""
    if isinstance(filters, str):
        raise TypeError('load_partial: filters must be a list or a dict of paths, got the string %r' % filters)
    export_dir = os.fspath(export_dir)
    meta = _meta_graph(export_dir, tags)
    nodes = meta.object_graph_def.nodes
    if not nodes:
        raise ValueError('load_partial: the SavedModel %s has no objects, it was written by TensorFlow 1' % export_dir)
    given = dict(filters) if isinstance(filters, dict) else dict.fromkeys(filters)
    numbers = {path: _number_of(nodes, path) for path in given}
    known = {numbers[path]: one if isinstance(one, tuple) else (one, setattr) for path, one in given.items() if one is not None}
    loader = _Loader(export_dir, meta, known)
    loader.load(options or LoadOptions())
    return {path: loader.objects[number] for path, number in numbers.items()}


def _number_of(nodes, path):
    names, number = path.split('.'), 0
    if names[0] != 'root':
        raise ValueError("load_partial: %r does not start with 'root'" % path)
    for name in names[1:]:
        children = {child.local_name: child.node_id for child in nodes[number].children}
        if name not in children:
            raise ValueError('load_partial: the SavedModel has no object %r: there is no %r among %s' % (path, name, sorted(children)))
        number = children[name]
    return number


load.__module__ = 'footlight.saved_model'
saved_model.load = load
_old = _engine.namespace('compat.v1.saved_model')
_old.load_v2 = load
