"""The graph of a SavedModel outside of its functions, which programs without objects use: resources, signatures, saver."""
from __future__ import annotations

import itertools
import re

import footlight as tf
from footlight import _proto
from footlight._saving.structure_coder import fill
from footlight._typing import Any, Callable


class ExportGraph:
    """Adds nodes to the GraphDef of a MetaGraphDef."""

    def __init__(self, meta):
        self.meta, self.graph, self.taken = meta, meta.graph_def, set()
        self.nodes = {}        # number of an object -> the name of the node whose output is its tensor
        self.constants = {}    # number of a constant -> the name of its node
        self.variables = {}    # number of a variable -> the variable
        self.shared = set()
        self.first, self.after = [], []  # nodes that the initializer runs, and calls that are added to it later
        self.assets = {}       # number of an asset -> (handle of the variable with its path, op that assigns it)

    def _name(self, wanted: str) -> str:
        name, count = wanted, 0
        while name.lower() in self.taken:
            count += 1
            name = f'{wanted}_{count}'
        self.taken.add(name.lower())
        return name

    def _node(self, name: str, op: str, inputs: Any = (), **attrs: Any) -> str:
        node = self.graph.node.add(name=self._name(name), op=op)
        node.input.extend(inputs)
        for key, value in attrs.items():
            self._fill(node.attr[key], value)
        return node.name

    def _fill(self, attr: Any, value: Any) -> None:
        if isinstance(value, tf.DType):
            attr.type = value.as_datatype_enum
        elif isinstance(value, tf.TensorShape):
            attr.shape.CopyFrom(_proto.shape_proto(value))
        elif isinstance(value, _proto.TensorProto):
            attr.tensor.CopyFrom(value)
        elif isinstance(value, _proto.NameAttrList):
            attr.func.CopyFrom(value)
        elif isinstance(value, str):
            attr.s = value.encode()
        elif isinstance(value, bool):
            attr.b = value
        else:  # a list of dtypes
            attr.list.SetInParent()
            attr.list.type.extend(t.as_datatype_enum for t in value)

    def _const(self, name: str, tensor: tf.Tensor) -> str:
        return self._node(name, 'Const', dtype=tensor.dtype, value=tf.make_tensor_proto(tensor))

    def add_variable(self, number, variable):
        """The handle, under the variable's name."""
        name = re.sub(r'[^A-Za-z0-9_.\\/>-]', '_', variable._shared_name or 'Variable').lstrip('_/-\\>') or 'Variable'
        name = self._name(name)
        self.taken.discard(name.lower())
        self.nodes[number] = self._node(name, 'VarHandleOp', dtype=variable.dtype, shape=variable.shape, shared_name=name)
        self.variables[number] = variable
        self._node(name + '/Read/ReadVariableOp', 'ReadVariableOp', [self.nodes[number]], dtype=variable.dtype)

    def add_constant(self, number: Any, tensor: Any) -> None:
        """A tensor that functions captured."""
        self.nodes[number] = self.constants[number] = self._const('Const', tensor)

    def add_asset(self, number: Any, filename: Any) -> int:
        """A path that the initializer is fed with; returns its number among the assets."""
        placeholder = self._node('asset_path_initializer', 'Placeholder', dtype=tf.string, shape=tf.TensorShape([]))
        handle = self._name('asset_path')
        self.taken.discard(handle.lower())
        handle = self._node(handle, 'VarHandleOp', dtype=tf.string, shape=tf.TensorShape([]), shared_name=handle)
        self.first.append(self._node(handle + '/Assign', 'AssignVariableOp', [handle, placeholder], dtype=tf.string))
        self.assets[number] = handle, self.first[-1]
        self.nodes[number] = self._node(handle + '/Read/ReadVariableOp', 'ReadVariableOp', [handle], dtype=tf.string)
        asset = self.meta.asset_file_def.add(filename=filename)
        asset.tensor_info.name = placeholder + ':0'
        asset.tensor_info.dtype = tf.string.as_datatype_enum
        return len(self.meta.asset_file_def) - 1

    def _call(self, function: str, inputs: list[Any], controls: Any = ()) -> str:
        """A call of a function of the library."""
        definition = next(f for f in self.graph.library.function if f.signature.name == function)
        signature = definition.signature
        return self._node('StatefulPartitionedCall', 'StatefulPartitionedCall',
                          list(inputs) + ['^' + control for control in controls],
                          Tin=[tf.as_dtype(a.type) for a in signature.input_arg],
                          Tout=[tf.as_dtype(a.type) for a in signature.output_arg],
                          f=_proto.NameAttrList(name=function))

    def add_resource(self, number: Any, function: Any, bound: Any) -> None:
        """A resource, which a function of the library makes."""
        self.nodes[number] = self._call(function, [self.nodes[b] for b in bound])

    def later(self, function: Callable[..., Any], bound: Any) -> None:
        """The initializer calls this after variables of assets are there."""
        self.after.append((function, bound))

    def add_initializer(self, options: Any) -> None:
        """The node that is run once after loading."""
        ready = {number: self._node('ReadVariableOp', 'ReadVariableOp', [handle, '^' + assigned], dtype=tf.string)
                 for number, (handle, assigned) in self.assets.items()}
        calls = [self._call(function, [ready.get(b) or self.nodes[b] for b in bound], self.first)
                 for function, bound in self.after]
        name = self._node('NoOp', 'NoOp', ['^' + n for n in self.first + calls])
        self.meta.collection_def['saved_model_main_op'].node_list.value.append(name)
        info = self.meta.signature_def['__saved_model_init_op'].outputs['__saved_model_init_op']
        info.name = name
        info.tensor_shape.unknown_rank = True

    def add_signature(self, key: Any, function: Any, specs: Any, bound: Any, outputs: Any) -> None:
        """Placeholders, a call, and the SignatureDef that names both."""
        signature = self.meta.signature_def[key]
        signature.method_name = 'tensorflow/serving/predict'
        given = []
        for spec in specs:
            name = re.sub(r'[^A-Za-z0-9_.\\-]', '_', re.sub('^[^A-Za-z0-9.]*', '', f'{key}_{spec.name}'))
            given.append(self._node(name, 'Placeholder', dtype=spec.dtype, shape=spec.shape))
            self._describe(signature.inputs[spec.name], given[-1] + ':0', spec)
        call = self._call(function, given + [self.nodes[b] for b in bound])
        count = itertools.count()
        for name, value in outputs:
            self._describe_output(signature.outputs[name], value, lambda: f'{call}:{next(count)}')

    def _describe_output(self, info: Any, value: Any, next_name: Callable[..., Any]) -> None:
        """Says of an output its names, dtype and shape, or those of the tensors of a composite."""
        if isinstance(value, tf.Tensor):
            self._describe(info, next_name(), value)
            return
        if isinstance(value, tf.SparseTensor):
            info.dtype = value.dtype.as_datatype_enum
            info.tensor_shape.CopyFrom(_proto.shape_proto(value.shape))
            for part in ('indices', 'values', 'dense_shape'):
                setattr(info.coo_sparse, part + '_tensor_name', next_name())
            return
        spec = _proto.StructuredValue()
        fill(spec, value._type_spec)
        info.composite_tensor.type_spec.CopyFrom(spec.type_spec_value)
        for part in tf.nest.flatten(value, expand_composites=True):
            self._describe(info.composite_tensor.components.add(), next_name(), part)

    @staticmethod
    def _describe(info: Any, name: str, like: tf.Tensor | tf.TensorSpec) -> None:
        info.name, info.dtype = name, like.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(_proto.shape_proto(like.shape))

    def add_saver(self, keys: Any, resources: Any, objects: Any) -> None:
        """Nodes that write and restore all variables, whose keys in the file are `keys`, and resources with values."""
        prefix = self._node('saver_filename', 'Placeholder', dtype=tf.string, shape=tf.TensorShape([]))
        numbers = list(keys)
        dtypes = [self.variables[n].dtype for n in numbers]
        names = [keys[n] for n in numbers]
        reads = [self._node('save/ReadVariableOp', 'ReadVariableOp', [self.nodes[n]], dtype=d)
                 for n, d in zip(numbers, dtypes)]
        restorers = []  # of a resource: the function, the handle, where its values begin, how many there are
        for number, key, values, (give, take) in resources:
            given = self._call(give, [self._const('save/key', tf.constant(key)), self.nodes[number]])
            restorers.append((take, self.nodes[number], len(names), len(values)))
            reads += [f'{given!s}:{3 * i + 2}' for i in range(len(values))]
            names, dtypes = names + list(values), dtypes + list(values.values())
        more = {} if objects is None else {'_CHECKPOINTABLE_OBJECT_GRAPH': self._const('save/Const', objects)}
        saved = self._node('save/SaveV2', 'SaveV2', [prefix] + self._slices('save', names + list(more)) + reads +
                           list(more.values()), dtypes=dtypes + [tf.string] * len(more))
        written = self._node('save/Identity', 'Identity', [prefix, '^' + saved], T=tf.string)
        assigns = []
        if names:
            restored = self._node('save/RestoreV2', 'RestoreV2', [prefix] + self._slices('restore', names), dtypes=dtypes)
            assigns = [self._node('save/AssignVariableOp', 'AssignVariableOp',
                                  [self.nodes[n], restored + (f':{i}' if i else '')], dtype=d)
                       for i, (n, d) in enumerate(zip(numbers, dtypes))]
            assigns += [self._call(take, [f'{restored}:{first + i}' for i in range(count)] + [handle])
                        for take, handle, first, count in restorers]
        done = self._node('save/restore_all', 'NoOp', ['^' + a for a in assigns])
        saver = self.meta.saver_def
        saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name = prefix + ':0', written + ':0', done
        saver.version = 2

    def _slices(self, what: str, names: list[Any]) -> list[Any]:
        return [self._const(f'save/{what}/tensor_names', tf.constant(names, tf.string)),
                self._const(f'save/{what}/shape_and_slices', tf.constant([''] * len(names), tf.string))]
