"""tf.compat.v1.train.export_meta_graph and import_meta_graph: a graph with its collections and what its Saver saves."""
from __future__ import annotations

import os

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs.graph import get_default_graph
from footlight._public import publish
from footlight._tensorflow.compat.v1 import saved_model
from footlight._saving.export_graph import ExportGraph
from footlight._saving.save import replace_file
from footlight._saving.saver import Saver
from footlight._saving.structure_coder import shape_of
from footlight._typing import Any

_v1 = tf.compat.v1
# The handles of iterators that the Saver saves, and their keys in the checkpoint.
_ITERATORS, _ITERATOR_KEYS = 'footlight_saved_iterators', 'footlight_saved_iterator_keys'


def _fill_collection(made: Any, values: list[Any]) -> bool:
    """A CollectionDef of names, texts or numbers; False if it can hold none of them."""
    names = [value.name for value in values if isinstance(value, (tf.Tensor, tf.Operation))]
    if len(names) == len(values):
        made.node_list.value.extend(names)
    elif all(isinstance(value, (str, bytes)) for value in values):
        made.bytes_list.value.extend(value.encode() if isinstance(value, str) else value for value in values)
    elif all(isinstance(value, int) for value in values):
        made.int64_list.value.extend(values)
    elif all(isinstance(value, (int, float)) for value in values):
        made.float_list.value.extend(values)
    else:
        return False
    return True


def _add_saver(meta, saver):
    """What the saver saves: nodes for variables, which TensorFlow can run too, and collections for iterators."""
    variables, iterators = saver._kinds()
    handles = {node.name: node for node in meta.graph_def.node if node.op == 'VarHandleOp'}
    keys = {variable._shared_name: key for key, variable in variables.items() if variable._shared_name in handles}
    if keys:
        export = ExportGraph(meta)
        export.taken.update(node.name.lower() for node in meta.graph_def.node)
        export.nodes = {name: name for name in keys}
        export.variables = {name: tf.TensorSpec(shape_of(handles[name].attr['shape'].shape),
                                                tf.as_dtype(handles[name].attr['dtype'].type)) for name in keys}
        with tf._eager_scope():
            export.add_saver(keys, (), None)
    if iterators:
        meta.collection_def[_ITERATORS].node_list.value.extend(one.op.name for one in iterators.values())
        meta.collection_def[_ITERATOR_KEYS].node_list.value.extend(iterators)


def export_meta_graph(filename: Any = None, meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None,
                      collection_list: Any = None, as_text: bool = False, graph: Any = None, export_scope: Any = None,
                      clear_devices: bool = False, clear_extraneous_savers: bool = False,
                      strip_default_attrs: bool = False, save_debug_info: bool = False, saver: Any = None,
                      **kwargs: Any) -> Any:
    """A MetaGraphDef of the graph and its collections, also written to a file if `filename` is given."""
    if tf.executing_eagerly() and graph is None:
        raise RuntimeError('Exporting/importing meta graphs is not supported when eager execution is enabled. No graph '
                           'exists when eager execution is enabled.')
    if export_scope:
        raise NotImplementedError('export_meta_graph: export_scope is not supported; the whole graph can be exported')
    graph = get_default_graph() if graph is None else graph
    meta = _proto.MetaGraphDef()
    if meta_info_def is not None:
        meta.meta_info_def.CopyFrom(meta_info_def)
    meta.meta_info_def.tensorflow_version = tf.__version__
    meta.graph_def.CopyFrom(graph.as_graph_def() if graph_def is None else graph_def)
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ''
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        values = graph.get_collection(key)
        made = _proto.CollectionDef()
        if isinstance(key, str) and values and _fill_collection(made, values):
            meta.collection_def[key].CopyFrom(made)
    if saver_def is not None:
        meta.saver_def.CopyFrom(saver_def)
    if saver is not None:
        _add_saver(meta, saver)
    if filename is not None:
        os.makedirs(os.path.dirname(os.path.abspath(filename)), exist_ok=True)
        replace_file(filename, str(meta).encode() if as_text else meta.SerializeToString(deterministic=True))
    return meta


class _ImportedSaver(Saver):
    """The Saver of a graph that was imported: it saves what that of the exported graph saved."""

    def __init__(self, meta: Any, scope: str, **kwargs: Any) -> None:
        super().__init__([], allow_empty=True, **kwargs)
        self._meta, self._scope = meta, scope
        collections = dict(meta.collection_def)
        self._iterators = {}
        if _ITERATORS in collections:
            self._iterators = dict(zip(collections[_ITERATOR_KEYS].node_list.value, collections[_ITERATORS].node_list.value))
        self._keys = self._saved_names() if meta.saver_def.restore_op_name else {}

    def _saved_names(self) -> dict[Any, Any]:
        """{name of a variable's handle: key in the file}, as the exported graph restores them."""
        nodes = {node.name: node for node in self._meta.graph_def.node}
        found = {}
        for node in nodes.values():
            source = node.input[1].split(':') if node.op == 'AssignVariableOp' else ['']
            restore = nodes.get(source[0])
            while restore is not None and restore.op == 'Identity':
                source = restore.input[0].split(':')
                restore = nodes.get(source[0])
            if restore is None or restore.op != 'RestoreV2':
                continue
            keys = tf.make_ndarray(nodes[restore.input[1].split(':')[0]].attr['value'].tensor).ravel().tolist()
            found[node.input[0].split(':')[0]] = keys[int(source[1]) if len(source) > 1 else 0].decode()
        return found

    def _resource(self, session: Any, name: str) -> tf.Tensor:
        return session._resource(session.graph.get_tensor_by_name(self._scope + name))

    def _values(self, session):
        values = {key: _engine.iterator_state(self._resource(session, name)) for key, name in self._iterators.items()}
        dtypes = {node.name: node.attr['dtype'].type for node in self._meta.graph_def.node if node.name in self._keys}
        for name, key in self._keys.items():
            values[key] = tf.raw_ops.ReadVariableOp(resource=self._resource(session, name + ':0'), dtype=tf.as_dtype(dtypes[name]))
        return values

    def _give_values(self, session: Any, path: Any, file: Any, there: dict[Any, Any]) -> None:
        for key, name in self._iterators.items():
            if key not in there:
                raise tf.errors.NotFoundError(None, None, f'Key {key} not found in checkpoint {path}')
            _engine.iterator_restore(self._resource(session, name), _engine.read_tensor(file, key))
        if self._meta.saver_def.restore_op_name:
            saved_model._restore(session, self._meta, path, self._scope)

    def _write_meta_graph(self, filename: Any, graph: tf.Graph) -> None:
        replace_file(filename, self._meta.SerializeToString(deterministic=True))


def read_meta_graph_file(filename):
    """The MetaGraphDef in a file, in binary or text form."""
    if not os.path.isfile(filename):
        raise OSError(f'File does not exist. Received: {filename}.')
    with open(filename, 'rb') as file:
        content = file.read()
    try:
        return _proto.MetaGraphDef.FromString(content)
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        raise OSError(f'Cannot parse file {filename}: it is no MetaGraphDef ({error})') from error


def import_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False, import_scope: Any = None,
                      **kwargs: Any) -> Any:
    """Adds an exported graph and its collections to the default graph; returns its Saver, or None if it had none."""
    if tf.executing_eagerly():
        raise RuntimeError('Exporting/importing meta graphs is not supported when eager execution is enabled. No graph '
                           'exists when eager execution is enabled.')
    meta = meta_graph_or_file
    if not isinstance(meta, _proto.MetaGraphDef):
        meta = read_meta_graph_file(os.fspath(meta))
    graph, scope = get_default_graph(), import_scope + '/' if import_scope else ''
    definition = saved_model._without_saver(meta) if meta.saver_def.filename_tensor_name else meta.graph_def
    if clear_devices:
        for node in definition.node:
            node.device = ''
    tf.import_graph_def(definition, name=import_scope or '')
    there = {operation.name for operation in graph.get_operations()}
    for key, held in sorted(dict(meta.collection_def).items()):
        for name in held.node_list.value:
            if scope + name.split(':')[0] in there and key not in (_ITERATORS, _ITERATOR_KEYS):
                graph.add_to_collection(key, graph.as_graph_element(scope + name))
        for values in (held.int64_list.value, held.float_list.value):
            for value in values:
                graph.add_to_collection(key, value)
    if meta.saver_def.restore_op_name or _ITERATORS in dict(meta.collection_def):
        return _ImportedSaver(meta, scope, **kwargs)
    return Saver(allow_empty=True, **kwargs) if _v1.global_variables() else None


publish('tf.compat.v1.train', export_meta_graph, import_meta_graph)
