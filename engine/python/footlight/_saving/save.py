"""tf.saved_model.save: writes an object with its variables, functions and signatures as TensorFlow's SavedModel."""
from __future__ import annotations

import collections.abc
import os
import shutil
import uuid

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs import graph_def as _graph_def
from footlight._public import publish
from footlight._saving import containers as _containers, function_saving as _function_saving, object_graph as _object_graph, structure_coder as _structure_coder
from footlight._saving.export_graph import ExportGraph
from footlight._saving.load import SignatureMap
from footlight._saving.loaded_functions import LoadedFunction, LoadedTrace, packed
from footlight._saving.options_and_assets import Asset, SaveOptions, TrackableResource, saved_model
from footlight._saving.trackable import SAVEDMODEL, Trackable, TrackableReference
from footlight._typing import Any, Callable, Iterator

_Function = (tf.types.experimental.PolymorphicFunction, LoadedFunction)
_Concrete = tf.types.experimental.ConcreteFunction
_DEFAULT = 'serving_default'
_UNTRACKED = (
    "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable) captured "
    "by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to an attribute of "
    'the main object directly. See the information below:\n\tFunction name = %s\n\tCaptured Tensor = %s\n'
    '\tTrackable referencing this tensor = %s\n\tInternal Tensor = %s')


def _owner_of(tensor):
    """The resource of the program that has this handle, or None."""
    import gc
    # The type is asked, as isinstance() raises of a weak proxy whose object is gone; handles not made yet stay so.
    return next((one for one in gc.get_objects() if issubclass(type(one), TrackableResource) and
                 getattr(one._resource_handle_made, '_id', None) == tensor._id), None)


class Constant(Trackable):
    """A tensor that a function captured."""

    def __init__(self, capture: Any) -> None:
        self.capture = capture

    def _trackable_children(self, save_type: str = SAVEDMODEL, **kwargs: Any) -> dict[Any, Any]:
        return {}


def _is_resource(node: Any) -> bool:
    return isinstance(node, TrackableResource) and node.resource_handle is not None


def _variable_of(node: Any) -> tf.Variable | None:
    """The tf.Variable that a node is, or stands for as Keras's variables do; else None."""
    if isinstance(node, tf.Variable):
        return node
    value = getattr(node, 'value', None) if hasattr(node, '_write_object_proto') else None
    return value if isinstance(value, tf.Variable) else None


# --- signatures ---
def _traced(function):
    """The trace that a signature would call; None where there is no single one."""
    if isinstance(function, LoadedTrace):
        return function.concrete
    if isinstance(function, _Function) and function.input_signature is not None:
        return function.get_concrete_function()
    if isinstance(function, _graph_def.WrappedFunction):
        return function.whole()
    return function if isinstance(function, _Concrete) else None


def _named(outputs, function, key):
    """The outputs of a function as a dict of tensors."""
    if hasattr(outputs, '_asdict'):
        outputs = outputs._asdict()
    if not isinstance(outputs, dict):
        items = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        outputs = {f'output_{i}': item for i, item in enumerate(items)}
    where = f'in the output of the function {function.graph.name} used to generate the SavedModel signature {key!r}'
    for name, value in outputs.items():
        if not isinstance(name, str):
            raise ValueError(f'Got a dictionary with a non-string key {name!r} {where}.')
        if isinstance(value, tf.Variable) or not isinstance(value, (tf.Tensor, tf.__internal__.CompositeTensor)):
            raise ValueError(f'Got a non-Tensor value {value!r} for key {name!r} {where}. Outputs for functions used '
                             'as signatures must be a single Tensor, a sequence of Tensors, or a dictionary from '
                             'string to Tensor.')
    return outputs


def _default_function(children: dict[Any, Any]) -> Any:
    """The function to use as the only signature if none is given, or None."""
    found = []
    for name, child in children.items():
        if not isinstance(child, (*_Function, _Concrete, LoadedTrace)):
            continue
        if name == '_default_save_signature':
            return child
        concrete = _traced(child)
        if concrete is not None and concrete.outputs:
            try:
                _named(concrete.structured_outputs, concrete, _DEFAULT)
            except ValueError:
                continue
            found.append(concrete)
    return found[0] if len(found) == 1 else None


def _wrapped(function: Callable[..., Any], key: str) -> Any:
    """A trace that takes tensors by name and gives a dict of tensors: what a signature is."""
    concrete = _traced(function)
    if concrete is None:
        raise ValueError(f'Expected a TensorFlow function for which to generate a signature, but got {function}. Only '
                         '`tf.functions` with an input signature or concrete functions can be used as a signature.')
    names = _function_saving.names_of_arguments(concrete)
    structure = concrete.structured_input_signature
    inputs = _function_saving.argument_inputs(concrete)
    declared = [s for s in tf.nest.flatten(structure, expand_composites=True) if isinstance(s, tf.TensorSpec)]
    if len(declared) != len(inputs):
        declared = inputs
    # The shapes are those that callers may give; what the function says of its inputs (set_shape) is its own.
    specs = {name: tf.TensorSpec(spec.shape, t.dtype, name) for name, t, spec in zip(names, inputs, declared)}

    def wrapper(**tensors):
        # The function may count on what it said of the shapes.
        given = [tensors[name] if str(specs[name].shape) == str(t.shape) else tf.ensure_shape(
            tensors[name], t.shape) for name, t in zip(names, inputs)]
        args, kwargs = packed(structure, iter(given))
        return _named(concrete(*args, **kwargs), concrete, key)

    wrapper.__name__ = wrapper.__qualname__ = 'signature_wrapper_' + getattr(
        function, '__name__', concrete.graph.name)
    return tf.function(wrapper, autograph=False).get_concrete_function(**dict(sorted(specs.items())))


def _signatures(given: Any, children: dict[Any, Any]) -> dict[Any, Any]:
    if given is None:
        given = _default_function(children)
    if given is None:
        return {}
    if not isinstance(given, collections.abc.Mapping):
        given = {_DEFAULT: given}
    return {key: _wrapped(function, key) for key, function in given.items()}


def _saveable_functions(resource: Any) -> list[Any]:
    """The functions that give the values of a resource under names, and that take them; none if it has no values."""
    try:
        values = resource._serialize_to_tensors()
    except NotImplementedError:
        return []

    def save_fn(checkpoint_key):
        return [{'name': checkpoint_key + name.removeprefix(resource._saveable_name), 'slice_spec': tf.constant(''),
                 'tensor': value} for name, value in resource._serialize_to_tensors().items()]

    def restore_fn(*restored_tensors):
        resource._restore_from_tensors(dict(zip(values, restored_tensors)))
        return tf.constant(1)
    specs = [tf.TensorSpec(None, value.dtype, f'restored_tensors_{i}') for i, value in enumerate(values.values())]
    return [tf.function(save_fn, autograph=False).get_concrete_function(tf.TensorSpec([], tf.string, 'checkpoint_key')),
            tf.function(restore_fn, autograph=False).get_concrete_function(*specs)]


# --- the objects ---
class _View:
    """The children of each object as a SavedModel has them; each object is asked once."""

    def __init__(self, root):
        self.root, self.known, self.kept, self.untraced, self.constants = root, {}, [], [], {}
        self.cache, self.extra = {}, {}

    def __call__(self, trackable: Any, attached: Any = None) -> dict[Any, Any]:
        if id(trackable) not in self.known:
            self.kept.append(trackable)
            self.known[id(trackable)] = self._found(trackable)
        return self.known[id(trackable)]

    def trace_all(self) -> None:
        """Asks all objects below the root, which traces their functions."""
        _object_graph.Listing(self.root, children=self)

    def _found(self, trackable):
        if isinstance(trackable, _Concrete):
            return {f'capture_{i}': self._constant(capture)
                    for i, (capture, variable) in enumerate(zip(trackable.captured_inputs, trackable._captured_variables))
                    if variable is None and capture.dtype not in (tf.resource, tf.variant)}
        if _variable_of(trackable) is not None:
            return {}
        found = dict(trackable._trackable_children(save_type=SAVEDMODEL, cache=self.cache))
        if isinstance(trackable, _Function) and not found:
            self.untraced.append(trackable.name)
        if trackable is self.root:
            found.update(self.extra)
        return {name: self._converted(name, child) for name, child in found.items()}

    def _converted(self, name: str, child: Any) -> Any:
        child = _containers.wrap(child)
        if isinstance(child, LoadedTrace):
            child = child.concrete
        if isinstance(child, Asset):
            self.constants.setdefault(child.asset_path._id, child)
        variable = _variable_of(child)  # Keras's variables and what they hold are one object in a file
        if variable is not None or isinstance(child, Trackable):
            return child if variable is None else variable
        if isinstance(child, tuple):
            return _containers.ListWrapper(child)
        raise ValueError(f'Cannot save {child!r}: it is the child {name!r} of a trackable object but not trackable '
                         'itself')

    def _constant(self, capture):
        return self.constants.setdefault(capture._id, Constant(capture))


def _kind_of(trackable: Any) -> str:
    if isinstance(trackable, SignatureMap):
        return 'signature_map'
    for kind, name in ((list, 'trackable_list_wrapper'), (dict, 'trackable_dict_wrapper'),
                       (tuple, 'trackable_tuple_wrapper')):
        if isinstance(trackable, _containers.TrackableDataStructure) and isinstance(trackable, kind):
            return name
    return trackable._object_identifier


def _traces_of(functions):
    """The traces of what a program gave an alias: a function, a trace, or several of these."""
    if isinstance(functions, _Concrete):
        return [functions]
    if isinstance(functions, _Function):
        return functions._list_all_concrete_functions()
    if isinstance(functions, collections.abc.Iterable):
        return [trace for one in functions for trace in _traces_of(one)]
    raise TypeError(f'Unsupported type {type(functions)} in `function_aliases`: its values are functions of tf.function, their '
                    'concrete functions, or lists of these.')


class _Writer:

    def __init__(self, obj: Any, signatures: Any, options: Any) -> None:
        self.options = options
        self.view = _View(obj)
        self.view.trace_all()
        now = [(one, _variable_of(one)) for one in _object_graph.Listing(obj).objects]
        if any(id(one if variable is None else variable) not in self.view.known for one, variable in now):
            self.view = _View(obj)  # tracing created variables
        children = self.view(obj)
        if 'signatures' in children and not isinstance(children['signatures'], SignatureMap):
            raise ValueError("The object has an attribute `signatures`, which a SavedModel has for its own: `del "
                             'obj.signatures` before saving')
        self.signatures = _signatures(signatures, {k: v for k, v in children.items() if k != 'signatures'})
        children['signatures'] = SignatureMap(self.signatures)
        # Assets first: a captured path is the asset, whichever of the two is found first.
        self.view.trace_all()
        for known in self.view.known.values():
            for name, child in known.items():
                if isinstance(child, Constant):
                    known[name] = self.view.constants[child.capture._id]
        self.listing = _object_graph.Listing(obj, children=self.view)
        self.saveables = {}  # number of a resource -> the functions that give and take its values
        for number, trackable in enumerate(list(self.listing.objects)):
            if _is_resource(trackable) and trackable._saveable_name is not None:
                self.saveables[number] = self._saveables_of(trackable)
        if self.view.untraced:
            tf.get_logger().info('Found untraced functions such as %s while saving (showing %d of %d). These functions will '
                                 'not be directly callable after loading.', ', '.join(self.view.untraced[:5]),
                                 min(5, len(self.view.untraced)), len(self.view.untraced))

    def _saveables_of(self, resource: Any) -> list[Any]:
        kept = getattr(resource, '_saveables', None)  # the function was loaded from a file
        functions = [trace.concrete for trace in next(iter(kept.values()))] if kept else _saveable_functions(resource)
        for function in functions:
            self.listing.numbers[id(function)] = len(self.listing.objects)
            self.listing.objects.append(function)
            self.listing.paths.append(())
            self.listing.children.append({})
        return functions

    def write_variables(self, folder: Any, is_without_values: bool = False) -> None:
        """Writes the values, if they are wanted; slots of optimizers join the listing."""
        prefix = os.path.join(folder, 'variables', 'variables')
        names, values = _object_graph.serialized(self.view.root, listing=self.listing)
        if not is_without_values:
            os.makedirs(os.path.dirname(prefix), exist_ok=True)
            _engine.write_tensors(prefix, names, values)
        self.values = dict(zip(names, values))

    def meta_graph(self, folder):
        """The MetaGraphDef; copies assets."""
        self.meta = _proto.MetaGraphDef()
        info = self.meta.meta_info_def
        info.tags.extend(['serve'] + [t for t in self.options.extra_tags or () if t != 'serve'])
        info.tensorflow_version, info.stripped_default_attrs = tf.__version__, True
        self.concretes = [o for o in self.listing.objects if isinstance(o, _Concrete)]
        for one in self.concretes:
            if not one.graph.saveable:
                reasons = '\n'.join(one.graph._state['unsaveable'])
                raise ValueError(f'Unable to save function {one.name} for the following reason(s):\n{reasons}')
        library, names = tf.Graph._library([c.graph for c in self.concretes])
        self.names = {id(c): name for c, name in zip(self.concretes, names)}
        self.meta.graph_def.versions.producer = 2474
        self.meta.graph_def.versions.min_consumer = 12
        self.meta.graph_def.library.CopyFrom(library)
        self.graph = ExportGraph(self.meta)
        self._add_resources(folder)
        objects = self.meta.object_graph_def
        for number, trackable in enumerate(self.listing.objects):
            self._fill_object(objects.nodes.add(), number, trackable)
        for concrete in self.concretes:
            self._fill_concrete(objects.concrete_functions[self.names[id(concrete)]], concrete)
        self._shape_handles()
        for key, concrete in sorted(self.signatures.items()):
            self._add_signature(key, concrete)
        self.graph.add_initializer(self.options)
        if not self.options.experimental_skip_saver:
            self.graph.add_saver(self._keys(), self._saved_resources(), self.values[_object_graph.GRAPH_KEY])
        for alias, functions in self.options.function_aliases.items():
            for concrete in _traces_of(functions):
                if id(concrete) in self.names:
                    info.function_aliases[self.names[id(concrete)]] = alias
        return self.meta

    def _add_resources(self, folder):
        """Nodes for what functions capture; `self.owners`: the number of the object that a captured tensor belongs to."""
        self.owners, self.assets, self.copied = {}, {}, {}
        for number, trackable in enumerate(self.listing.objects):
            variable = _variable_of(trackable)
            if variable is not None:
                self.owners[variable.handle._id] = number
                self.graph.add_variable(number, variable)
            elif isinstance(trackable, Constant):
                self.owners[trackable.capture._id] = number
                self.graph.add_constant(number, trackable.capture)
            elif isinstance(trackable, Asset):
                self.owners[trackable.asset_path._id] = number
                self.assets[number] = self.graph.add_asset(number, self._copied(folder, trackable))
            elif _is_resource(trackable):
                self.owners[trackable.resource_handle._id] = number
        for number, trackable in enumerate(self.listing.objects):
            if _is_resource(trackable):
                made = self.listing.children[number]
                create, fill = (made[n].get_concrete_function() for n in ('_create_resource', '_initialize'))
                self.graph.add_resource(number, self.names[id(create)], self._bound(create))
                self.graph.later(self.names[id(fill)], self._bound(fill))

    def _copied(self, folder: Any, asset: Any) -> str:
        path = asset.asset_path.numpy().decode()
        if not os.path.isfile(path):
            raise FileNotFoundError(f'the asset {path} does not exist')
        if path in self.copied:
            return self.copied[path]
        taken = set(self.copied.values())
        name = base = os.path.basename(path)
        count = 0
        while name in taken:
            count += 1
            name = f'{base}_{count}'
        target = os.path.join(folder, 'assets')
        if os.path.abspath(path) != os.path.abspath(os.path.join(target, name)):
            shutil.copyfile(path, os.path.join(target, name))
        self.copied[path] = name
        return name

    def _bound(self, concrete: Any) -> list[Any]:
        """The numbers of the objects that a trace captured."""
        found = []
        inputs = concrete.inputs[len(concrete.inputs) - len(concrete.captured_inputs):]
        for capture, variable, inner in zip(concrete.captured_inputs, concrete._captured_variables, inputs):
            number = self.owners.get(capture._id)
            if number is None:
                owner = _owner_of(capture) if variable is None else variable
                raise AssertionError(_UNTRACKED % (concrete.name.decode(), capture, owner, inner))
            found.append(number)
        return found

    def _fill_object(self, proto, number, trackable):
        numbers = self.listing.numbers
        children = self.listing.children[number]
        for name, child in children.items():
            proto.children.add(node_id=numbers[id(child)], local_name=name)
            if isinstance(trackable, (*_Function, _Concrete)):
                proto.dependencies.add(node_id=numbers[id(child)], local_name=name)
        for original, name, slot in self.listing.slots.get(number, ()):
            proto.slot_variables.add(original_variable_node_id=original, slot_name=name, slot_variable_node_id=slot)
        variable = _variable_of(trackable)
        if variable is not None:
            saved = proto.variable
            saved.dtype, saved.trainable = variable.dtype.as_datatype_enum, bool(variable.trainable)
            saved.name = variable._shared_name
            saved.synchronization, saved.aggregation = variable.synchronization.value, variable.aggregation.value
            saved.shape.CopyFrom(_proto.shape_proto(variable.shape))
            if self.options.experimental_variable_policy._save_variable_devices():
                saved.device = variable.device or ''
        elif isinstance(trackable, _Function):
            saved = proto.function
            saved.concrete_functions.extend(self.names[id(child)] for child in children.values())
            self._fill_spec(saved.function_spec, _function_saving.spec_of_function(trackable))
            _structure_coder.fill(saved.function_spec.input_signature, trackable.input_signature)
            saved.function_spec.jit_compile = {None: 0, True: 1, False: 2}[trackable._jit_compile]
        elif isinstance(trackable, _Concrete):
            saved = proto.bare_concrete_function
            saved.concrete_function_name = self.names[id(trackable)]
            names = _function_saving.names_of_arguments(trackable)
            saved.argument_keywords.extend(names)
            keywords = trackable.structured_input_signature[1]
            saved.allowed_positional_arguments = len(names) if not keywords or len(names) == 1 else 0
            parameters = [p for p in trackable.function_type.parameters.values()]
            self._fill_spec(saved.function_spec, _function_saving.argument_spec(parameters))
            saved.function_spec.input_signature.none_value.SetInParent()
        elif isinstance(trackable, Constant):
            proto.constant.operation = self.graph.constants[number]
            proto.registered_name = 'tf.TrackableConstant'
        elif isinstance(trackable, Asset):
            proto.asset.asset_file_def_index = self.assets[number]
        elif _is_resource(trackable):
            proto.resource.device = trackable._resource_device
            if self.saveables.get(number):
                found = proto.saveable_objects[trackable._saveable_name]
                found.save_function, found.restore_function = (numbers[id(f)] for f in self.saveables[number])
        else:
            user = proto.user_object
            user.identifier = _kind_of(trackable)
            user.version.producer = user.version.min_consumer = 1

    def _fill_spec(self, proto: Any, spec: Any) -> None:
        _structure_coder.fill(proto.fullargspec, spec)

    def _fill_concrete(self, proto: Any, concrete: Any) -> None:
        proto.bound_inputs.extend(self._bound(concrete))
        args, kwargs = concrete.structured_input_signature
        tensors = sum(_structure_coder.components(leaf) for leaf in tf.nest.flatten((args, kwargs)))
        if tensors != len(_function_saving.argument_inputs(concrete)):
            raise NotImplementedError(f'{concrete.name.decode()} takes a value that consists of tensors, which cannot '
                                      'be saved: give it the tensors')
        _structure_coder.fill(proto.canonicalized_input_signature, (tuple(args), dict(kwargs)))
        _structure_coder.fill(proto.output_signature, _function_saving.named_outputs(concrete.structured_outputs))

    def _shape_handles(self):
        """Says of handles that functions capture what their variables hold, so that readers know the shapes."""
        defs = {f.signature.name: f for f in self.meta.graph_def.library.function}
        for concrete in self.concretes:
            arguments = list(defs[self.names[id(concrete)]].signature.input_arg)
            captured = concrete._captured_variables
            for argument, variable in zip(arguments[len(arguments) - len(captured):], captured):
                if variable is not None:
                    argument.handle_data.add(dtype=variable.dtype.as_datatype_enum,
                                             shape=_proto.shape_proto(variable.shape))

    def _add_signature(self, key: str, concrete: Any) -> None:
        names = _function_saving.names_of_arguments(concrete)
        outputs = concrete.structured_outputs
        self.graph.add_signature(
            key, self.names[id(concrete)],
            [tf.TensorSpec(t.shape, t.dtype, name)
             for name, t in zip(names, _function_saving.argument_inputs(concrete))],
            self._bound(concrete), [(name, outputs[name]) for name in sorted(outputs)])

    def _saved_resources(self) -> Iterator[Any]:
        """(number, keys of its values in the checkpoint, their dtypes, names of the two functions) of each resource."""
        for number, functions in self.saveables.items():
            resource = self.listing.objects[number]
            prefix = '/'.join(part for part in (self.listing.key(number), '.ATTRIBUTES', resource._saveable_name) if part)
            values = {key: value.dtype for key, value in self.values.items() if key.startswith(prefix)}
            if functions:
                yield number, prefix, values, [self.names[id(f)] for f in functions]

    def _keys(self) -> dict[Any, Any]:
        """{number of a variable: its key in the checkpoint}"""
        keys = {}
        for number, trackable in enumerate(self.listing.objects):
            if _variable_of(trackable) is not None:
                way = self.listing.slot_keys.get(number) or self.listing.key(number)
                key = (way + '/' if way else '') + '.ATTRIBUTES/VARIABLE_VALUE'
                if key in self.values:
                    keys[number] = key
        return keys


def _fingerprint(content: bytes, meta: Any, folder: Any) -> Any:
    """The message in fingerprint.pb."""
    def number(data):
        return int.from_bytes(bytes(tf.fingerprint(tf.constant([data])).numpy()[0].tolist()), 'little')

    def of(message):
        return number(message.SerializeToString(deterministic=True))
    signatures = _proto.MetaGraphDef()
    for key in meta.signature_def:
        signatures.signature_def[key].CopyFrom(meta.signature_def[key])
    index = b''
    if os.path.exists(os.path.join(folder, 'variables', 'variables.index')):
        with open(os.path.join(folder, 'variables', 'variables.index'), 'rb') as file:
            index = file.read()
    made = _proto.FingerprintDef(
        saved_model_checksum=number(content), graph_def_program_hash=of(meta.graph_def), signature_def_hash=of(signatures),
        saved_object_graph_hash=of(meta.object_graph_def), checkpoint_hash=number(index), uuid=str(uuid.uuid4().int))
    made.version.producer = 4
    return made


def replace_file(path: Any, content: Any) -> None:
    fresh = f'{path}.{os.getpid()}.new'  # readers see the old file or the new one
    with open(fresh, 'wb') as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Writes a trackable object with its variables and its functions' traces to a folder that tf.saved_model.load reads.

    `signatures`: a tf.function with an input_signature, a concrete function, or a dict of these by name.
    """
    if not isinstance(obj, Trackable):
        raise ValueError('Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` '
                         f'class, for export. Got {obj!s} with type {type(obj)}.')
    if tf.inside_function():
        raise AssertionError('tf.saved_model.save is not supported inside a traced @tf.function. Move the call to the outer '
                             'eagerly-executed context.')
    if options is not None and not isinstance(options, SaveOptions):
        raise TypeError(f'options must be a tf.saved_model.SaveOptions, not {type(options).__name__}')
    save_and_return_nodes(obj, export_dir, signatures, options)


def save_and_return_nodes(obj, export_dir, signatures=None, options=None, experimental_skip_checkpoint=False):
    """Saves like tf.saved_model.save; returns the saved objects and the path of each. `experimental_skip_checkpoint` leaves
    the values out."""
    if not experimental_skip_checkpoint:
        _take_values_of_session(obj, export_dir)
    with tf._eager_scope():  # variables of a graph take the values of the session
        listing = _write(obj, os.fspath(export_dir), signatures, options or SaveOptions(), experimental_skip_checkpoint)
    paths = []
    for found, names in zip(listing.objects, listing.paths):
        at, path = 0, []
        for name in names:
            at = listing.numbers[id(listing.children[at][name])]
            path.append(TrackableReference(name, listing.objects[at]))
        paths.append((found, tuple(path)))
    return listing.objects, _object_graph.ByIdentity(paths)


def _take_values_of_session(obj: Any, export_dir: Any) -> None:
    """Gives variables of a graph the values that they have in the default session."""
    session = tf.compat.v1.get_default_session()
    variables = [_variable_of(found) for found in _object_graph.Listing(obj).with_slots().objects]
    variables = [variable for variable in variables if variable is not None]
    if session is not None:
        session._pull(variables)
    else:
        from footlight._saving.checkpoint import check_session
        check_session(variables, os.path.join(os.fspath(export_dir), 'variables', 'variables'))


def _write(obj: Any, folder: Any, signatures: Any, options: Any, is_without_values: bool) -> Any:
    os.makedirs(os.path.join(folder, 'assets'), exist_ok=True)
    writer = _Writer(obj, signatures, options)
    writer.write_variables(folder, is_without_values)
    message = _proto.SavedModel(saved_model_schema_version=1)
    message.meta_graphs.add().CopyFrom(writer.meta_graph(folder))
    content = message.SerializeToString(deterministic=True)
    replace_file(os.path.join(folder, 'saved_model.pb'), content)
    replace_file(os.path.join(folder, 'fingerprint.pb'),
             _fingerprint(content, writer.meta, folder).SerializeToString(deterministic=True))
    return writer.listing


publish('tf.saved_model', save)
_engine.namespace('python.saved_model.save').save_and_return_nodes = save_and_return_nodes
