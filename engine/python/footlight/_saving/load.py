"""tf.saved_model.load: the objects, functions and signatures of a SavedModel."""
from __future__ import annotations

import collections.abc
import os

import footlight as tf
from footlight import _engine, _proto
from footlight._saving import containers as _containers, loaded_gradients as _loaded_gradients, object_graph as _object_graph
from footlight._saving.loaded_functions import LoadedFunction, LoadedTrace, RestoredResource, damaged
from footlight._saving.options_and_assets import Asset, LoadOptions, TrackableResource, saved_model
from footlight._saving.structure_coder import shape_of
from footlight._saving.trackable import VARIABLE_VALUE, AutoTrackable, Trackable
from footlight._typing import Any

_MOST_ITEMS = 1 << 20  # a list may have these children besides its items
_MOST_BYTES = 1 << 31  # protobuf's own limit on the size of a message


def read_messages(export_dir):
    for name, read in (('saved_model.pb', lambda data: _proto.SavedModel.FromString(data)),
                       ('saved_model.pbtxt', lambda data: _proto.SavedModel.FromText(data.decode()))):
        path = os.path.join(export_dir, name)
        if not os.path.isfile(path):
            continue
        if os.path.getsize(path) > _MOST_BYTES:
            raise OSError(f'Cannot parse file {path}: it is larger than {_MOST_BYTES} bytes.')
        with open(path, 'rb') as file:
            content = file.read()  # a limit here would take that much memory at first
        try:
            return read(content)
        except ValueError as error:
            raise OSError(f'Cannot parse file {path}: {error}.') from None
    raise OSError(f'SavedModel file does not exist at: {export_dir}{os.sep}{{saved_model.pbtxt|saved_model.pb}}')


def _member(kind: Any, number: int) -> Any:
    """The member of an enumeration that a file names by its number."""
    try:
        return kind(number)
    except ValueError:
        raise damaged('%d is no %s', number, kind.__name__) from None


class _Loaded(AutoTrackable):
    """An object of the file whose class is not known here; it can be called if it has a function `__call__`."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == '__call__' and type(self) is _Loaded:
            self.__class__ = _LoadedCallable


class _LoadedCallable(_Loaded):
    def __call__(self, *args, **kwargs):
        return vars(self)['__call__'](*args, **kwargs)


class SignatureMap(Trackable, collections.abc.Mapping):
    """The signatures of a SavedModel, which cannot be changed: functions of tensors by name, which give a dict."""

    def __init__(self, functions: Any = ()) -> None:
        self._functions = dict(functions)

    def __getitem__(self, key: str) -> Any:
        return self._functions[key]

    def __iter__(self) -> Any:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f'_SignatureMap({self._functions!r})'

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[Any, Any]:
        return {} if save_type == 'checkpoint' else dict(self._functions)


def _index_of(name: str) -> int:
    """The place in a list that a child's name says."""
    try:
        return int(name)
    except ValueError:
        raise damaged('a list has an item %r, which is no number', name) from None


class _Loader:
    """Makes the objects of a file; `given` has those that are there: {number: (object, what sets a child of it)}."""

    def __init__(self, export_dir, meta, given=None):
        self.folder, self.meta, self.given = export_dir, meta, dict(given or {})
        self.definition, self.graph = meta.graph_def, meta.object_graph_def
        self.functions = {f.signature.name: f for f in self.definition.library.function}
        self.nodes = list(self.graph.nodes)
        self.objects, self.first_values = {number: known for number, (known, _) in self.given.items()}, {}
        self.gradients = _loaded_gradients.Gradients() if self.definition.library.registered_gradients else None
        _loaded_gradients.rename(self)

    def object_of(self, number: int) -> Any:
        """The object of a number: variables and containers first, functions when they are asked for."""
        if not 0 <= number < len(self.nodes):
            raise damaged('it refers to the object %d, of %d', number, len(self.nodes))
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
            if graph is not None and saved.trainable:  # in a graph the program decides what is trained
                trained = graph.get_collection_ref('trainable_variables')
                trained[:] = [variable for variable in trained if variable is not made]
            return made
        if kind == 'constant':
            for found in self.definition.node:
                if found.name == node.constant.operation:
                    return tf.constant(tf.make_ndarray(found.attr['value'].tensor))
            raise damaged('it has no constant %s', node.constant.operation)
        if kind == 'asset':
            files = list(self.meta.asset_file_def)
            if not 0 <= node.asset.asset_file_def_index < len(files):
                raise damaged('it has no asset %d', node.asset.asset_file_def_index)
            name = files[node.asset.asset_file_def_index].filename
            if not name or os.path.basename(name) != name:
                raise damaged('the name %r of an asset is not that of a file in its folder', name)
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
        raise NotImplementedError(f'tf.saved_model.load: objects of the kind {kind} are not supported')

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

    def load(self, options: Any) -> _Loaded | _LoadedCallable:
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
        _loaded_gradients.register(self)
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
    def _add_children(parent: Any, children: list[Any]) -> None:
        if isinstance(parent, list):
            for index, child in sorted(((_index_of(name), child) for name, child in children), key=lambda pair: pair[0]):
                if not 0 <= index <= _MOST_ITEMS + len(children):
                    raise damaged('a list has an item %d', index)
                parent.extend([None] * (index - len(parent)))  # the given object has no saved values
                parent.append(child)
        elif isinstance(parent, dict):
            for name, child in children:
                parent[name] = child
        if isinstance(parent, (SignatureMap, RestoredResource)):
            parent._functions.update(children)
        if isinstance(parent, (_Loaded, RestoredResource)):
            for name, child in children:
                setattr(parent, name, child)

    def _restore(self, root: _Loaded | _LoadedCallable, options: Any) -> None:
        variables = {number for number, node in enumerate(self.nodes) if node.WhichOneof('kind') == 'variable'}
        prefix = os.path.join(self.folder, 'variables', 'variables')
        if not os.path.isfile(prefix + '.index'):
            if variables:
                raise tf.errors.NotFoundError(None, None, f'Could not find checkpoint or SavedModel at {prefix}')
            return
        restoration = _object_graph.Restoration(_engine.open_tensors(prefix), prefix)
        restoration.bind(0, root)
        if options.allow_partial_checkpoint:
            return
        matched = {id(found()) for found in restoration.objects.values()}
        missing = [self.objects[number] for number in variables if id(self.objects[number]) not in matched]
        if missing:
            raise AssertionError(f'Found {len(missing)} Python objects that were not bound to checkpointed values, '
                                 f'likely due to changes in the Python program: {missing[:10]}')

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
        raise ValueError('Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is '
                         f'more than one MetaGraph. Got `tags={tags}`, but there are {len(metas)} MetaGraphs in the '
                         f'SavedModel with tag sets: {[list(m.meta_info_def.tags) for m in metas]}.')
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


def load_partial(export_dir: Any, filters: Any, tags: Any = None, options: Any = None) -> dict[Any, Any]:
    """{path: the object} for paths such as "root.layer.kernel"; a dict of filters gives objects, or (object, what sets a
    child of it), that take the place of those in the file."""
    if isinstance(filters, str):
        raise TypeError(f'load_partial: filters must be a list or a dict of paths, got the string {filters!r}')
    export_dir = os.fspath(export_dir)
    meta = _meta_graph(export_dir, tags)
    nodes = meta.object_graph_def.nodes
    if not nodes:
        raise ValueError(f'load_partial: the SavedModel {export_dir} has no objects, it was written by TensorFlow 1')
    given = dict(filters) if isinstance(filters, dict) else dict.fromkeys(filters)
    numbers = {path: _number_of(nodes, path) for path in given}
    known = {numbers[path]: one if isinstance(one, tuple) else (one, setattr) for path, one in given.items() if one is not None}
    loader = _Loader(export_dir, meta, known)
    loader.load(options or LoadOptions())
    return {path: loader.objects[number] for path, number in numbers.items()}


def _number_of(nodes: Any, path: Any) -> int:
    names, number = path.split('.'), 0
    if names[0] != 'root':
        raise ValueError(f"load_partial: {path!r} does not start with 'root'")
    for name in names[1:]:
        children = {child.local_name: child.node_id for child in nodes[number].children}
        if name not in children:
            raise ValueError(f'load_partial: the SavedModel has no object {path!r}: there is no {name!r} among '
                             f'{sorted(children)}')
        number = children[name]
    return number


load.__module__ = 'footlight.saved_model'
saved_model.load = load
_old = _engine.namespace('compat.v1.saved_model')
_old.load_v2 = load
