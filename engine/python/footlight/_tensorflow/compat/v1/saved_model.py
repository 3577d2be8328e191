"""tf.compat.v1.saved_model: SavedModels of graphs and sessions rather than of objects, and signatures made by hand."""
from __future__ import annotations

import os
import shutil

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs import graph as _graph, session as _session
from footlight._public import alias, publish
from footlight._saving import options_and_assets as _options
from footlight._saving.export_graph import ExportGraph
from footlight._saving.load import find_meta_graph, read_messages
from footlight._saving.save import replace_file, save
from footlight._saving.structure_coder import fill, shape_of, value_of
from footlight._typing import Any

_INIT = '__saved_model_init_op'


# --- signatures ---
def build_tensor_info(tensor):
    """A TensorInfo: the dtype and shape of a tensor of a graph, and its name, or those of what a composite one consists of."""
    is_composite = isinstance(tensor, tf.__internal__.CompositeTensor)
    parts = tf.nest.flatten(tensor, expand_composites=True) if is_composite else [tensor]
    if tf.executing_eagerly() and not all(tf.is_symbolic_tensor(part) for part in parts):
        raise RuntimeError('`build_tensor_info` is not supported in eager execution.')
    made = _proto.TensorInfo(dtype=tensor.dtype.as_datatype_enum, tensor_shape=_proto.shape_proto(tensor.shape))
    if isinstance(tensor, tf.SparseTensor):
        for part in ('indices', 'values', 'dense_shape'):
            setattr(made.coo_sparse, part + '_tensor_name', getattr(tensor, part).name)
    elif is_composite:
        spec = _proto.StructuredValue()
        fill(spec, tensor._type_spec)
        made.composite_tensor.type_spec.CopyFrom(spec.type_spec_value)
        for part in parts:
            made.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
    else:
        made.name = tensor.name
    return made


def names_in_info(key: Any, tensor_info: Any) -> list[Any]:
    """[(name that a signature has for it, name in the graph)] of each tensor that a TensorInfo stands for."""
    if tensor_info.HasField('coo_sparse'):
        return [(f'{key}_{part}', getattr(tensor_info.coo_sparse, part + '_tensor_name'))
                for part in ('indices', 'values', 'dense_shape')]
    if tensor_info.HasField('composite_tensor'):
        return [(f'{key}_component_{number}', part.name)
                for number, part in enumerate(tensor_info.composite_tensor.components)]
    return [(key, tensor_info.name)]


def composed(tensor_info, tensors):
    """What a TensorInfo stands for, of its tensors."""
    if tensor_info.HasField('coo_sparse'):
        return tf.SparseTensor(*tensors)
    if tensor_info.HasField('composite_tensor'):
        spec = _proto.StructuredValue()
        spec.type_spec_value.CopyFrom(tensor_info.composite_tensor.type_spec)
        spec = value_of(spec)
        return spec._from_components(tf.nest.pack_sequence_as(spec._component_specs, list(tensors)))
    return tensors[0]


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None,
                                import_scope: Any = None) -> tf.SparseTensor | tf.Tensor:
    """The tensor of a graph, or what consists of several, that a TensorInfo names."""
    graph, scope = graph or _graph.get_default_graph(), import_scope + '/' if import_scope else ''
    return composed(tensor_info, [graph.get_tensor_by_name(scope + name) for _, name in names_in_info('', tensor_info)])


def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """A SignatureDef of TensorInfos by name."""
    made = _proto.SignatureDef(method_name=method_name or '')
    for field, given in ((made.inputs, inputs), (made.outputs, outputs), (made.defaults, defaults)):
        for name, value in (given or {}).items():
            if isinstance(value, tf.Tensor):  # a default
                known = tf.get_static_value(value)
                with tf._eager_scope():
                    value = tf.make_tensor_proto(known)
            field[name].CopyFrom(value)
    return made


def _described(tensors: Any) -> dict[Any, Any]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def predict_signature_def(inputs, outputs):
    """The signature of a function of tensors by name."""
    for what, given in (('inputs', inputs), ('outputs', outputs)):
        if not given:
            raise ValueError(f'Prediction `{what}` cannot be None or empty.')
    return build_signature_def(_described(inputs), _described(outputs), _options.constants['PREDICT_METHOD_NAME'])


def classification_signature_def(examples, classes, scores):
    """The signature of what gives classes, scores or both for serialized examples."""
    if examples is None:
        raise ValueError('Classification `examples` cannot be None.')
    if classes is None and scores is None:
        raise ValueError('Classification `classes` and `scores` cannot both be None.')
    if examples.dtype != tf.string:
        raise ValueError('Classification input tensors must be of type string. Found tensors of type '
                         f'{examples.dtype.as_datatype_enum:d}')
    outputs = {}
    if classes is not None:
        if classes.dtype != tf.string:
            raise ValueError('Classification classes must be of type string Tensor. Found tensors of type '
                             f'{classes.dtype.as_datatype_enum:d}.`')
        outputs['classes'] = classes
    if scores is not None:
        if scores.dtype != tf.float32:
            raise ValueError('Classification scores must be a float Tensor.')
        outputs['scores'] = scores
    return build_signature_def(_described({'inputs': examples}), _described(outputs),
                               _options.constants['CLASSIFY_METHOD_NAME'])


def regression_signature_def(examples, predictions):
    """The signature of what gives a number for each serialized example."""
    for what, given in (('examples', examples), ('predictions', predictions)):
        if given is None:
            raise ValueError(f'Regression `{what}` cannot be None.')
    if examples.dtype != tf.string:
        raise ValueError('Regression input tensors must be of type string. Found tensors with type '
                         f'{examples.dtype.as_datatype_enum:d}.')
    if predictions.dtype != tf.float32:
        raise ValueError('Regression output tensors must be of type float. Found tensors with type '
                         f'{predictions.dtype.as_datatype_enum:d}.')
    return build_signature_def(_described({'inputs': examples}), _described({'outputs': predictions}),
                               _options.constants['REGRESS_METHOD_NAME'])


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature is one of the three kinds that servers know, with the inputs and outputs of its kind."""
    if signature_def is None:
        return False
    inputs, outputs = dict(signature_def.inputs), dict(signature_def.outputs)
    kind = signature_def.method_name
    if kind == _options.constants['PREDICT_METHOD_NAME']:
        return bool(inputs) and bool(outputs)
    found = {name: info.dtype for name, info in outputs.items()}
    wanted = {_options.constants['CLASSIFY_METHOD_NAME']: {'classes': tf.string, 'scores': tf.float32},
              _options.constants['REGRESS_METHOD_NAME']: {'outputs': tf.float32}}.get(kind)
    return (wanted is not None and set(inputs) == {'inputs'} and
            inputs['inputs'].dtype == tf.string.as_datatype_enum and bool(found) and
            all(name in wanted and dtype == wanted[name].as_datatype_enum for name, dtype in found.items()))


# --- loading ---
def _node_of(name: str) -> str:
    return name.lstrip('^').split(':')[0]


def _part(meta: Any, nodes: list[Any]) -> Any:
    """A GraphDef of these nodes with the functions that they use."""
    functions = {f.signature.name: f for f in meta.graph_def.library.function}
    used, todo = set(), list(nodes)
    while todo:
        for attr in dict(todo.pop().attr).values():
            for function in [attr.func] * attr.HasField('func') + list(attr.list.func):
                if function.name in functions and function.name not in used:
                    used.add(function.name)
                    todo += functions[function.name].node_def
    graph = _proto.GraphDef(node=nodes)
    graph.versions.CopyFrom(meta.graph_def.versions)
    graph.library.function.extend(functions[name] for name in functions if name in used)
    return graph


def _above(nodes: list[Any], name: str) -> set[Any]:
    """The names of a node and of all that it depends on."""
    by_name, found, todo = {node.name: node for node in nodes}, set(), [name]
    while todo:
        at = todo.pop()
        if at in by_name and at not in found:
            found.add(at)
            todo += [_node_of(i) for i in by_name[at].input]
    return found


def _without_saver(meta):
    """The graph without what gives the name of the checkpoint, and what depends on that."""
    nodes, count = list(meta.graph_def.node), -1
    gone = _above(nodes, _node_of(meta.saver_def.filename_tensor_name))
    while count != len(gone):
        count = len(gone)
        gone.update(node.name for node in nodes if any(_node_of(i) in gone for i in node.input))
    return _part(meta, [node for node in nodes if node.name not in gone])


def _with_values(nodes: list[Any], file: Any) -> tuple[Any, ...]:
    """The nodes with constants, of what the checkpoint holds, in the place of ops that read it."""
    constants = {node.name: node for node in nodes if node.op == 'Const'}
    found, read = [], set()
    for node in nodes:
        if node.op != 'RestoreV2':
            found.append(node)
            continue
        read.add(node.name)
        keys = tf.make_ndarray(constants[_node_of(node.input[1])].attr['value'].tensor).ravel().tolist()
        one = _proto.NodeDef(name=node.name, op='IdentityN')
        for i, key in enumerate(keys):
            value = _engine.read_tensor(file, key.decode())
            constant = _proto.NodeDef(name=f'{node.name}/value_{i}', op='Const')
            constant.attr['dtype'].type = value.dtype.as_datatype_enum
            constant.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(value))
            found.append(constant)
            one.input.append(constant.name)
            one.attr['T'].list.type.append(value.dtype.as_datatype_enum)
        found.append(one)
    return found, read


def _restore(sess: Any, meta: Any, prefix: str, scope: str) -> None:
    """Runs the file's restoring op, on the session's resources, in a graph of its own."""
    file = _engine.open_tensors(prefix)
    nodes, _ = _with_values(list(meta.graph_def.node), file)
    wanted = _above(nodes, meta.saver_def.restore_op_name)
    graph = _part(meta, [node for node in nodes if node.name in wanted])
    for node in graph.node:
        if node.name == _node_of(meta.saver_def.filename_tensor_name):
            node.CopyFrom(_proto.NodeDef(name=node.name, op='Const'))
            node.attr['dtype'].type = tf.string.as_datatype_enum
            node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(prefix))
    for function in graph.library.function:
        inside, read = _with_values(list(function.node_def), file)
        if read:
            inside = [_proto.NodeDef.FromString(node.SerializeToString()) for node in inside]
            for node in inside:
                inputs = [f"{i.split(':')[0]}:output:{i.split(':')[-1]}" if _node_of(i) in read and ':' in i else
                          i + ':output:0' if node.name in read else i for i in node.input]
                del node.input[:]
                node.input.extend(inputs)
            del function.node_def[:]
            function.node_def.extend(inside)
    restoring = tf.Graph()
    with restoring.as_default():
        tf.import_graph_def(graph, name='')
    with tf.compat.v1.Session(graph=restoring) as own:
        for tensor in own._made():
            own._resources[tensor.name] = tensor, sess._resource(sess.graph.get_tensor_by_name(scope + tensor.name))
        own.run(restoring.get_operation_by_name(meta.saver_def.restore_op_name))


def assets_of(meta: Any) -> list[Any]:
    """The AssetFileDefs, which graphs without objects have in a collection."""
    held = dict(meta.collection_def).get(_options.constants['ASSETS_KEY'])
    return list(meta.asset_file_def) or [_proto.AssetFileDef.FromString(one.value)
                                         for one in (held.any_list.value if held is not None else ())]


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds the graph of a SavedModel to the session's graph, gives its variables their values; returns the MetaGraphDef."""
    folder = os.fspath(export_dir)
    wanted = set([tags] if isinstance(tags, str) else tags)
    meta = find_meta_graph(read_messages(folder).meta_graphs, wanted)
    if meta is None:
        raise RuntimeError('MetaGraphDef associated with tags '
                           f"{str([tags] if isinstance(tags, str) else list(tags)).strip('[]')} could not be found in "
                           'SavedModel, with available tags '
                           f"'{[set(m.meta_info_def.tags) for m in read_messages(folder).meta_graphs]}'.")
    with sess.graph.as_default():
        tf.import_graph_def(_without_saver(meta), name=import_scope or '')
    prefix = os.path.join(folder, 'variables', 'variables')
    scope = import_scope + '/' if import_scope else ''
    if os.path.isfile(prefix + '.index') and meta.saver_def.restore_op_name:
        with tf._eager_scope():
            _restore(sess, meta, prefix, scope)
    feeds = {scope + asset.tensor_info.name: os.path.join(folder, 'assets', os.path.basename(asset.filename))
             for asset in assets_of(meta)}
    signatures, collections = dict(meta.signature_def), dict(meta.collection_def)
    for found in ([signatures[_INIT].outputs[_INIT].name] if _INIT in signatures else
                  [name for key in ('saved_model_main_op', 'legacy_init_op') if key in collections
                   for name in collections[key].node_list.value]):
        sess.run(sess.graph.get_operation_by_name(scope + found.split(':')[0]), feeds)
    return meta


def maybe_saved_model_directory(export_dir):
    """Whether a folder holds a SavedModel."""
    return _options.contains_saved_model(export_dir)


# --- saving ---
def _write_message(message: Any, folder: Any, as_text: bool) -> str:
    path = os.path.join(folder, 'saved_model.pbtxt' if as_text else 'saved_model.pb')
    replace_file(path, str(message).encode() if as_text else message.SerializeToString(deterministic=True))
    return path


class Builder:
    """Writes graphs, one for each set of tags, with the variables of a session."""

    def __init__(self, export_dir: Any) -> None:
        self._folder = os.fspath(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(f"Export directory {export_dir} already exists, and isn't empty. Please choose a "
                                 'different export directory, or delete all the contents of the specified directory.')
        os.makedirs(self._folder, exist_ok=True)
        self._message, self._saved = _proto.SavedModel(saved_model_schema_version=1), False

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False, saver=None):
        """Adds the session's graph, and writes the values of its variables."""
        if self._saved:
            raise AssertionError('Graph state including variables and assets has already been saved. Please invoke '
                                 '`add_meta_graph()` instead.')
        variables = {}
        for op in sess.graph.get_operations():
            if op.type == 'VarHandleOp':
                variables[op.name] = op, sess._resource(op.outputs[0])
        meta = self._added(sess.graph, variables, tags, signature_def_map, assets_collection, clear_devices,
                           main_op or legacy_init_op, saver)
        with tf._eager_scope():
            values = {name: tf.raw_ops.ReadVariableOp(resource=handle, dtype=op.get_attr('dtype'))
                      for name, (op, handle) in variables.items() if name in self._saved_names(meta)}
        if values:
            os.makedirs(os.path.join(self._folder, 'variables'), exist_ok=True)
            _engine.write_tensors(os.path.join(self._folder, 'variables', 'variables'), list(values), list(values.values()))
        self._saved = True

    def add_meta_graph(self, tags: Any, signature_def_map: Any = None, assets_collection: Any = None,
                       legacy_init_op: Any = None, clear_devices: bool = False, main_op: Any = None,
                       strip_default_attrs: bool = False, saver: Any = None) -> None:
        """Adds the default graph for other tags; it uses the values that were written for the first."""
        if not self._saved:
            raise AssertionError('Graph state including variables and assets has not been saved yet. Please invoke '
                                 '`add_meta_graph_and_variables()` first.')
        graph = _graph.get_default_graph()
        variables = {op.name: (op, None) for op in graph.get_operations() if op.type == 'VarHandleOp'}
        self._added(graph, variables, tags, signature_def_map, assets_collection, clear_devices,
                    main_op or legacy_init_op, saver)

    @staticmethod
    def _saved_names(meta: Any) -> set[Any]:
        """Variables but those that hold the path of an asset, which the initializer assigns."""
        paths = {asset.tensor_info.name.split(':')[0] for asset in meta.asset_file_def}
        assigned = {node.input[0] for node in meta.graph_def.node
                    if node.op == 'AssignVariableOp' and node.input[1].split(':')[0] in paths}
        return {node.name for node in meta.graph_def.node if node.op == 'VarHandleOp' and node.name not in assigned}

    def _added(self, graph, variables, tags, signatures, assets, clear_devices, init, saver):
        if saver is not None:
            raise NotImplementedError('Builder: all variables are saved, `saver` is not supported')
        for key, signature in (signatures or {}).items():
            for infos in (signature.inputs, signature.outputs):
                for name, info in dict(infos).items():
                    if not all(part for _, part in names_in_info(name, info)) or not info.dtype:
                        raise AssertionError(f'The TensorInfo {name!r} of the signature {key!r} has no name or no '
                                             'dtype')
        meta = self._message.meta_graphs.add()
        meta.meta_info_def.tags.extend(tags)
        meta.meta_info_def.tensorflow_version = tf.__version__
        meta.graph_def.CopyFrom(graph.as_graph_def())
        if clear_devices:
            for node in meta.graph_def.node:
                node.device = ''
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        self._add_assets(meta, graph, assets or ())
        if init is not None:
            meta.collection_def['saved_model_main_op'].node_list.value.append(init.name)
            info = meta.signature_def[_INIT].outputs[_INIT]
            info.name, info.tensor_shape.unknown_rank = init.name, True
        saved = {name: op for name, (op, _) in variables.items() if name in self._saved_names(meta)}
        if saved:
            export = ExportGraph(meta)
            export.taken.update(node.name.lower() for node in meta.graph_def.node)
            export.nodes = {name: name for name in saved}
            export.variables = {name: tf.TensorSpec(shape_of(op.get_attr('shape')), op.get_attr('dtype'))
                                for name, op in saved.items()}
            with tf._eager_scope():
                export.add_saver({name: name for name in saved}, (), None)
        return meta

    def _add_assets(self, meta: Any, graph: tf.Graph, assets: Any) -> None:
        for tensor in assets:
            path = tf.get_static_value(tensor) if not isinstance(tensor, tf.Tensor) else _session.value_of(tensor).numpy()
            path = path.decode() if isinstance(path, bytes) else str(path)
            if not os.path.isfile(path):
                raise FileNotFoundError(f'the asset {path} does not exist')
            os.makedirs(os.path.join(self._folder, 'assets'), exist_ok=True)
            shutil.copyfile(path, os.path.join(self._folder, 'assets', os.path.basename(path)))
            asset = meta.asset_file_def.add(filename=os.path.basename(path))
            asset.tensor_info.name = tensor.name

    def save(self, as_text: bool = False, experimental_image_format: bool = False,
             experimental_image_writer_options: Any = None) -> bytes:
        """Writes the file; returns its path."""
        if experimental_image_format:
            raise NotImplementedError('Builder.save: experimental_image_format is not supported')
        return _write_message(self._message, self._folder, as_text).encode()




class MethodNameUpdater:
    """Replaces names of methods in the signatures of a SavedModel."""

    def __init__(self, export_dir: Any) -> None:
        self._folder, self._message = os.fspath(export_dir), read_messages(os.fspath(export_dir))

    def replace_method_name(self, signature_key: Any, method_name: Any, tags: Any = None) -> None:
        """Gives a signature another method, in the graph with these tags or in all graphs."""
        if not signature_key:
            raise ValueError('`signature_key` must be defined.')
        if not method_name:
            raise ValueError('`method_name` must be defined.')
        wanted = None if tags is None else set([tags] if isinstance(tags, str) else tags)
        metas = [meta for meta in self._message.meta_graphs if wanted in (None, set(meta.meta_info_def.tags))]
        if not metas:
            raise ValueError(f'MetaGraphDef associated with tags {tags} could not be found in SavedModel: there are '
                             f'{[sorted(meta.meta_info_def.tags) for meta in self._message.meta_graphs]}.')
        for meta in metas:
            if signature_key not in meta.signature_def:
                raise ValueError(f'MetaGraphDef associated with tags {tags} does not have a signature_def with key: '
                                 f"'{signature_key}'. It has {sorted(meta.signature_def)}.")
            meta.signature_def[signature_key].method_name = method_name

    def save(self, new_export_dir: Any = None) -> None:
        """Writes the file with the signatures, over the one that was read or into another folder."""
        as_text = os.path.exists(os.path.join(self._folder, 'saved_model.pbtxt'))
        _write_message(self._message, os.fspath(new_export_dir or self._folder), as_text)


def simple_save(session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None) -> None:
    """Writes a session's graph with one signature, for serving."""
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(session, ['serve'], {'serving_default': predict_signature_def(inputs, outputs)},
                                         clear_devices=True, main_op=legacy_init_op)
    builder.save()


_V1 = 'tf.compat.v1.saved_model'
publish(f'{_V1} {_V1}.signature_def_utils', MethodNameUpdater, build_signature_def, classification_signature_def,
        is_valid_signature, predict_signature_def, regression_signature_def)
publish(f'{_V1} {_V1}.utils', build_tensor_info, get_tensor_from_tensor_info)
publish(f'{_V1} {_V1}.loader', load, maybe_saved_model_directory)
publish(_V1, simple_save)
publish(f'{_V1}.builder', SavedModelBuilder=Builder)
Builder.__module__ = 'footlight.compat.v1.saved_model'
alias(_V1, save, Builder=Builder)


def _publish_constants(place: str, names: Any) -> None:
    namespace = _engine.namespace('compat.v1.saved_model')
    alias(f'{_V1}.{place}', **{name: getattr(namespace, name) for name in names})


_publish_constants('tag_constants', ('GPU', 'SERVING', 'TPU', 'TRAINING'))
_publish_constants('constants', (
    'ASSETS_DIRECTORY', 'ASSETS_KEY', 'DEBUG_DIRECTORY', 'DEBUG_INFO_FILENAME_PB', 'LEGACY_INIT_OP_KEY', 'MAIN_OP_KEY',
    'SAVED_MODEL_FILENAME_PB', 'SAVED_MODEL_FILENAME_PBTXT', 'SAVED_MODEL_SCHEMA_VERSION', 'VARIABLES_DIRECTORY',
    'VARIABLES_FILENAME'))
_publish_constants('signature_constants', [
    name for name in _options.constants if name.startswith(('CLASSIFY', 'DEFAULT', 'PREDICT', 'REGRESS'))])
