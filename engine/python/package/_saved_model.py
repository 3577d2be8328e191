"""tf.saved_model.load: the objects, functions and signatures of a SavedModel."""
import os

import footlight as tf
from footlight import _containers, _engine, _object_graph, _proto
from footlight._trackable import AutoTrackable, Trackable

saved_model = _engine.namespace('saved_model')
_MOST = 1 << 31  # bytes of a message, which protobuf cannot exceed either


def contains_saved_model(export_dir):
    """Whether a folder holds a SavedModel."""
    return os.path.isfile(os.path.join(os.fspath(export_dir), 'saved_model.pb'))


def _read(export_dir):
    path = os.path.join(export_dir, 'saved_model.pb')
    if not os.path.isfile(path):
        raise OSError('SavedModel file does not exist at: %s%s{saved_model.pbtxt|saved_model.pb}' % (export_dir, os.sep))
    with open(path, 'rb') as file:
        content = file.read(_MOST)
    try:
        return _proto.SavedModel.FromString(content)
    except ValueError as error:
        raise OSError('Cannot parse file %s: %s.' % (path, error)) from None


def _damaged(words, *args):
    return tf.errors.DataLossError(None, None, 'the SavedModel is damaged: ' + words % args)


def _shape(proto):
    return tf.TensorShape(None) if proto.unknown_rank else tf.TensorShape(
        [None if d.size < 0 else d.size for d in proto.dim])


def _value(proto):
    """A StructuredValue as a Python value."""
    kind = proto.WhichOneof('kind')
    if kind in (None, 'none_value'):
        return None
    value = getattr(proto, kind)
    if kind == 'tensor_spec_value':
        return tf.TensorSpec(_shape(value.shape), tf.as_dtype(value.dtype), value.name or None)
    if kind == 'bounded_tensor_spec_value':
        return tf.TensorSpec(_shape(value.shape), tf.as_dtype(value.dtype), value.name or None)
    if kind == 'list_value':
        return [_value(v) for v in value.values]
    if kind == 'tuple_value':
        return tuple(_value(v) for v in value.values)
    if kind == 'dict_value':
        return {key: _value(value.fields[key]) for key in sorted(value.fields)}
    if kind == 'named_tuple_value':
        import collections
        return collections.namedtuple(value.name, [p.key for p in value.values])(*(_value(p.value) for p in value.values))
    if kind == 'tensor_shape_value':
        return _shape(value)
    if kind == 'tensor_dtype_value':
        return tf.as_dtype(value)
    if kind in ('tensor_value', 'numpy_value'):
        return tf.make_ndarray(value)
    if kind == 'type_spec_value':
        raise NotImplementedError('a SavedModel whose functions take or return %s is not supported'
                                  % (value.type_spec_class_name or 'composite tensors'))
    return value


class _Concrete(Trackable):
    """A function of the file with the tensors that it captured: made into one of this process when it is called."""

    def __init__(self, loader, name):
        saved = loader.graph.concrete_functions[name]
        if name not in loader.functions:
            raise _damaged('it has no function %s', name)
        self._definition = loader.functions[name]
        self._loader, self.name = loader, name
        arguments = _value(saved.canonicalized_input_signature) or ((), {})
        self.structured_input_signature = tuple(arguments[0]), dict(arguments[1])
        self.structured_outputs = _value(saved.output_signature)
        self.specs = [s for s in tf.nest.flatten(self.structured_input_signature) if isinstance(s, tf.TensorSpec)]
        self.bound = list(saved.bound_inputs)
        wanted = len(self._definition.signature.input_arg)
        if len(self.specs) + len(self.bound) != wanted:
            raise _damaged('the function %s has %d inputs, and %d are given', name, wanted,
                           len(self.specs) + len(self.bound))
        self._function = None

    def _captures(self):
        return [self._loader.object_of(number) for number in self.bound]

    def _traced(self, *tensors):
        """The body: a call of the file's function, read from its library."""
        definition = self._definition
        graph = _proto.GraphDef()
        graph.versions.CopyFrom(self._loader.definition.versions)
        graph.library.CopyFrom(self._loader.definition.library)
        inputs = {}
        for i, (argument, value) in enumerate(zip(definition.signature.input_arg, list(tensors) + self._captures())):
            node = graph.node.add(name='input_%d' % i, op='Placeholder')
            node.attr['dtype'].type = argument.type
            inputs['input_%d:0' % i] = value
        call = graph.node.add(name='call', op='StatefulPartitionedCall', input=['input_%d' % i for i in range(len(inputs))])
        call.attr['f'].func.name = definition.signature.name
        call.attr['Tin'].list.type.extend([a.type for a in definition.signature.input_arg])
        call.attr['Tout'].list.type.extend([a.type for a in definition.signature.output_arg])
        outputs = ['call:%d' % i for i in range(len(definition.signature.output_arg))]
        return tf.import_graph_def(graph, inputs, outputs, name='')

    @property
    def concrete(self):
        """The function as one of this process."""
        if self._function is None:
            specs = [tf.TensorSpec(s.shape, s.dtype, s.name) for s in self.specs]
            self._function = tf.function(self._traced, input_signature=specs, autograph=False).get_concrete_function()
        return self._function

    @property
    def graph(self):
        return self.concrete.graph

    inputs = property(lambda self: self.concrete.inputs)
    variables = property(lambda self: [v for v in self._captures() if isinstance(v, tf.Variable)])
    trainable_variables = property(lambda self: [v for v in self.variables if v.trainable])

    def flat(self, tensors):
        """The structured outputs for the tensors of the inputs, in order."""
        found = self.concrete(*tensors)
        found = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
        if self.structured_outputs is None:
            return None
        return _packed(self.structured_outputs, iter(found))

    def __call__(self, *args, **kwargs):
        names = [s.name for s in self.specs]
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
        return self.flat([tf.convert_to_tensor(values[s.name], s.dtype) for s in self.specs])


def _packed(structure, tensors):
    """The structure with tensors in the place of their specs."""
    if isinstance(structure, tf.TensorSpec):
        return next(tensors)
    if isinstance(structure, dict):
        return {key: _packed(structure[key], tensors) for key in sorted(structure)}
    if isinstance(structure, (list, tuple)):
        items = [_packed(item, tensors) for item in structure]
        return items if isinstance(structure, list) else \
            type(structure)(*items) if hasattr(structure, '_fields') else tuple(items)
    return structure


class _Function(Trackable):
    """A tf.function of the file: calls the one of its traces that fits the arguments."""

    def __init__(self, loader, saved):
        self._traces = [_Concrete(loader, name) for name in saved.concrete_functions]
        spec = _value(saved.function_spec.fullargspec)
        self._names = list(getattr(spec, 'args', ()) or ())
        if saved.function_spec.is_method and self._names[:1] == ['self']:
            self._names = self._names[1:]
        defaults = list(getattr(spec, 'defaults', None) or ())
        self._defaults = dict(zip(self._names[len(self._names) - len(defaults):], defaults))
        self._defaults.update(getattr(spec, 'kwonlydefaults', None) or {})
        self._keyword_only = list(getattr(spec, 'kwonlyargs', None) or ())

    concrete_functions = property(lambda self: list(self._traces))

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
        return tuple(args), kwargs

    def __call__(self, *args, **kwargs):
        given = self._canonical(args, kwargs)
        for trace in self._traces:
            tensors = _matched(trace.structured_input_signature, given)
            if tensors is not None:
                return trace.flat(tensors)
        raise ValueError('Could not find matching concrete function to call loaded from the SavedModel. Got: %s. Expected '
                         'one of: %s' % (given, [t.structured_input_signature for t in self._traces]))


def _matched(signature, given):
    """The tensors for the specs of a signature; None if the arguments do not fit it."""
    try:
        tf.nest.assert_same_structure(signature, given, check_types=False)
    except (ValueError, TypeError):
        return None
    tensors = []
    for spec, value in zip(tf.nest.flatten(signature), tf.nest.flatten(given)):
        if not isinstance(spec, tf.TensorSpec):
            if isinstance(value, tf.Tensor) or spec != value:
                return None
            continue
        try:
            value = tf.convert_to_tensor(value, spec.dtype)
        except (ValueError, TypeError):
            return None
        if not spec.shape.is_compatible_with(value.shape):
            return None
        tensors.append(value)
    return tensors


class _Loaded(AutoTrackable):
    """An object of the file whose class is not known here."""

    def __call__(self, *args, **kwargs):
        function = vars(self).get('__call__')
        if function is None:
            raise TypeError('%r object is not callable' % type(self).__name__)
        return function(*args, **kwargs)


class _Loader:

    def __init__(self, export_dir, meta):
        self.folder, self.meta = export_dir, meta
        self.definition, self.graph = meta.graph_def, meta.object_graph_def
        self.functions = {f.signature.name: f for f in self.definition.library.function}
        self.nodes = list(self.graph.nodes)
        self.objects = {}

    def object_of(self, number):
        """The object of a number: variables and containers first, functions when they are asked for."""
        if not 0 <= number < len(self.nodes):
            raise _damaged('it refers to the object %d, of %d', number, len(self.nodes))
        if number not in self.objects:
            self.objects[number] = self._made(self.nodes[number])
        return self.objects[number]

    def _made(self, node):
        kind = node.WhichOneof('kind')
        if kind == 'variable':
            saved = node.variable
            shape, dtype = _shape(saved.shape), tf.as_dtype(saved.dtype)
            return tf.Variable(lambda: tf.zeros([d or 0 for d in (shape.as_list() if shape.rank is not None else ())],
                                                dtype),
                               shape=shape, trainable=saved.trainable, name=saved.name or None)
        if kind == 'constant':
            for found in self.definition.node:
                if found.name == node.constant.operation:
                    return tf.constant(tf.make_ndarray(found.attr['value'].tensor))
            raise _damaged('it has no constant %s', node.constant.operation)
        if kind == 'asset':
            files = list(self.meta.asset_file_def)
            if not 0 <= node.asset.asset_file_def_index < len(files):
                raise _damaged('it has no asset %d', node.asset.asset_file_def_index)
            return tf.constant(os.path.join(self.folder, 'assets', files[node.asset.asset_file_def_index].filename))
        if kind == 'function':
            return _Function(self, node.function)
        if kind == 'bare_concrete_function':
            return _Concrete(self, node.bare_concrete_function.concrete_function_name)
        if kind == 'user_object':
            made = {'trackable_list_wrapper': list, 'trackable_dict_wrapper': dict, 'trackable_tuple_wrapper': list,
                    'signature_map': dict}.get(node.user_object.identifier)
            return _containers.wrap(made()) if made else _Loaded()
        raise NotImplementedError('tf.saved_model.load: objects of the kind %s are not supported' % kind)

    def load(self):
        for number in range(len(self.nodes)):
            self.object_of(number)
        for number, node in enumerate(self.nodes):
            parent = self.objects[number]
            children = [(child.local_name, self.object_of(child.node_id)) for child in node.children]
            if isinstance(parent, list):
                for _, child in sorted(((int(name), child) for name, child in children), key=lambda pair: pair[0]):
                    parent.append(child)
            elif isinstance(parent, dict):
                for name, child in children:
                    parent[name] = child
            elif isinstance(parent, _Loaded):
                for name, child in children:
                    setattr(parent, name, child)
        root = self.objects[0]
        prefix = os.path.join(self.folder, 'variables', 'variables')
        if os.path.isfile(prefix + '.index'):
            file = _engine.open_tensors(prefix)
            _object_graph.Restoration(file, prefix).bind(0, root)
        if not hasattr(root, 'signatures'):
            root.signatures = {}
        root.graph_debug_info, root.tensorflow_version = None, self.meta.meta_info_def.tensorflow_version
        return root


def load(export_dir, tags=None, options=None):
    """The root object of a SavedModel, with its variables, functions and `signatures`."""
    export_dir = os.fspath(export_dir)
    metas = list(_read(export_dir).meta_graphs)
    wanted = None if tags is None else set([tags] if isinstance(tags, str) else tags)
    for meta in metas:
        if wanted is None and len(metas) == 1 or wanted == set(meta.meta_info_def.tags):
            break
    else:
        raise ValueError('Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more '
                         'than one MetaGraph. Got `tags=%s`, but there are %d MetaGraphs in the SavedModel with tag sets: '
                         '%s.' % (tags, len(metas), [list(m.meta_info_def.tags) for m in metas]))
    if not meta.object_graph_def.nodes:
        raise NotImplementedError('%s is a SavedModel of TensorFlow 1: it has no objects, and is not supported'
                                  % export_dir)
    return _Loader(export_dir, meta).load()


for _object in (load, contains_saved_model):
    _object.__module__ = 'footlight.saved_model'
    setattr(saved_model, _object.__name__, _object)
for _name, _text in (('ASSETS_DIRECTORY', 'assets'), ('SAVED_MODEL_FILENAME_PB', 'saved_model.pb'), ('SERVING', 'serve'),
                     ('SAVED_MODEL_SCHEMA_VERSION', 1), ('VARIABLES_DIRECTORY', 'variables'), ('TRAINING', 'train'),
                     ('VARIABLES_FILENAME', 'variables'), ('PREDICT_METHOD_NAME', 'tensorflow/serving/predict'),
                     ('DEFAULT_SERVING_SIGNATURE_DEF_KEY', 'serving_default'), ('GPU', 'gpu'), ('TPU', 'tpu')):
    setattr(saved_model, _name, _text)
