"""Modules inside of TensorFlow by rule: in which public namespaces the names of each lie, and which have another name there.

What is public in a different form has a file of this tree; AutoGraph's modules are in autograph/impl/api.py.
"""
from __future__ import annotations

import inspect
import sys

import footlight as tf
from footlight import _engine
from footlight._public import find_public
from footlight._typing import Any, Callable

# Module: the namespaces to look into, in this order ('' is tf); NAME=PLACE is a name that is different there.
_MODULES = {
    'checkpoint.checkpoint': 'train',
    'client.session': 'compat.v1',
    'data.experimental.ops': 'data.experimental',
    'data.ops.dataset_ops': 'data compat.v1.data data.experimental DatasetV1=data.Dataset DatasetV2=data.Dataset',
    'data.ops.iterator_ops': 'data data.experimental IteratorBase=data.Iterator Iterator=compat.v1.data.Iterator '
                              'OwnedIterator=contrib.eager.Iterator',
    'data.ops.options': 'data data.experimental',
    'data.ops.readers': 'data TFRecordDatasetV2=data.TFRecordDataset TextLineDatasetV2=data.TextLineDataset '
                        'FixedLengthRecordDatasetV2=data.FixedLengthRecordDataset',
    'distribute.cluster_resolver': 'distribute.cluster_resolver',
    'distribute.input_lib': 'distribute',
    'distribute.distribute_lib': 'distribute get_distribution_strategy=distribute.get_strategy',
    'eager.backprop': '',
    'eager.context': 'config config.experimental experimental . compat.v1',
    'eager.def_function': '. config',
    'eager.forwardprop': 'autodiff',
    'eager.function': '',
    'eager.polymorphic_function.polymorphic_function': '. config',
    'eager.test': 'test compat.v1.test',
    'eager.wrap_function': 'compat.v1',
    'feature_column.feature_column': 'compat.v1.feature_column',
    'feature_column.feature_column_lib': 'feature_column __internal__.feature_column',
    'feature_column.feature_column_v2': 'feature_column __internal__.feature_column',
    'framework.composite_tensor': '__internal__',
    'framework.constant_op': '. constant_v1=constant',
    'framework.config': 'config config.experimental',
    'framework.dtypes': 'dtypes .',
    'framework.errors': 'errors',
    'framework.errors_impl': 'errors . InaccessibleTensorError=errors.InaccessibleTensorError',
    'framework.func_graph': '__internal__',
    'framework.importer': '',
    'framework.indexed_slices': '',
    'framework.ops': '. __internal__ compat.v1 device_v2=device name_scope=compat.v1.name_scope '
                     'name_scope_v1=compat.v1.name_scope name_scope_v2=name_scope '
                     'get_name_scope=get_current_name_scope '
                     'NoGradient=no_gradient NotDifferentiable=no_gradient',
    'framework.random_seed': 'compat.v1 random',
    'framework.sparse_tensor': '. compat.v1',
    'framework.tensor': '. compat.v1',
    'framework.tensor_shape': '. compat compat.v1',
    'framework.tensor_spec': '',
    'framework.tensor_util': '. constant_value=get_static_value MakeNdarray=make_ndarray',
    'framework.type_spec': '',
    'lib.io.file_io': 'io.gfile compat.v1.gfile',
    'lib.io.tf_record': 'io',
    'module.module': '',
    'ops.array_ops': 'compat.v1 . linalg nn image quantization sparse extract_image_patches_v2=image.extract_patches matrix_diag=linalg.diag matrix_diag_part=linalg.diag_part '
                     'matrix_set_diag=linalg.set_diag sparse_mask=sparse.mask',
    'ops.array_ops_stack': '',
    'ops.bincount_ops': 'math sparse',
    'ops.bitwise_ops': 'bitwise',
    'ops.check_ops': 'assert_shapes=compat.v1.debugging.assert_shapes debugging . math compat.v1',
    'ops.clip_ops': '. compat.v1',
    'ops.cond': 'compat.v1 . cond_for_tf_v2=cond',
    'ops.confusion_matrix': 'math compat.v1',
    'ops.control_flow_assert': 'debugging',
    'ops.control_flow_case': '. compat.v1',
    'ops.control_flow_ops': '. debugging compat.v1 __internal__ Assert=debugging.Assert',
    'ops.control_flow_switch_case': '. __internal__',
    'ops.control_flow_v2_toggles': 'compat.v1',
    'ops.critical_section_ops': '',
    'ops.custom_gradient': '',
    'ops.data_flow_ops': 'queue compat.v1',
    'ops.embedding_ops': 'nn compat.v1.nn',
    'ops.functional_ops': '. compat.v1',
    'ops.gradient_checker_v2': 'test',
    'ops.gradients': '. autodiff compat.v1',
    'ops.gradients_impl': '. compat.v1 HessiansV2=hessians',
    'ops.image_ops': 'image io',
    'ops.image_ops_impl': 'image io resize_images=image.resize resize_images_v2=image.resize',
    'ops.init_ops': 'compat.v1 compat.v1.initializers initializers',
    'ops.init_ops_v2': '. initializers constant=constant_initializer normal=random_normal_initializer one=ones_initializer '
                       'ones=ones_initializer random_normal=random_normal_initializer zero=zeros_initializer '
                       'random_uniform=random_uniform_initializer uniform=random_uniform_initializer zeros=zeros_initializer',
    'ops.io_ops': 'io compat.v1',
    'ops.linalg.linalg': 'linalg',
    'ops.linalg.linalg_impl': 'linalg matrix_exponential=linalg.expm',
    'ops.linalg_ops': 'linalg . compat.v1 matrix_solve_ls=linalg.lstsq matrix_triangular_solve=linalg.triangular_solve '
                      'matrix_solve=linalg.solve matrix_inverse=linalg.inv matrix_determinant=linalg.det '
                      'self_adjoint_eig=linalg.eigh self_adjoint_eigvals=linalg.eigvalsh',
    'ops.logging_ops': '. compat.v1 print_v2=print',
    'ops.lookup_ops': 'lookup lookup.experimental compat.v1 HashTable=lookup.StaticHashTable',
    'ops.manip_ops': '',
    'ops.map_fn': '. compat.v1',
    'ops.math_ops': '. math linalg sparse compat.v1 div_no_nan=math.divide_no_nan linspace_nd=linspace argmax=compat.v1.argmax argmin=compat.v1.argmin '
                    'count_nonzero=compat.v1.count_nonzero sparse_segment_mean_v2=sparse.segment_mean '
                    'sparse_segment_sqrt_n_v2=sparse.segment_sqrt_n sparse_segment_sum_v2=sparse.segment_sum',
    'ops.nn': 'compat.v1.nn nn math . random linalg ctc_loss_v3=nn.ctc_loss lrn=nn.local_response_normalization swish=nn.silu',
    'ops.nn_impl': 'compat.v1.nn nn math linalg swish=nn.silu',
    'ops.nn_ops': 'compat.v1.nn nn math',
    'ops.numerics': 'debugging compat.v1 verify_tensor_all_finite_v2=debugging.assert_all_finite',
    'ops.numpy_ops': 'experimental.numpy',
    'ops.parallel_for.control_flow_ops': '',
    'ops.parsing_ops': 'io compat.v1',
    'ops.ragged.ragged_array_ops': 'ragged . ragged_one_hot=one_hot',
    'ops.ragged.ragged_concat_ops': 'ragged .',
    'ops.ragged.ragged_factory_ops': 'ragged compat.v1.ragged',
    'ops.ragged.ragged_functional_ops': 'ragged',
    'ops.ragged.ragged_math_ops': 'ragged',
    'ops.ragged.ragged_string_ops': 'strings compat.v1 string_bytes_split=strings.bytes_split string_split_v2=strings.split '
                                    'strings_split_v1=compat.v1.strings.split',
    'ops.ragged.ragged_tensor': '. compat.v1.ragged',
    'ops.ragged.row_partition': 'experimental',
    'ops.random_ops': 'random compat.v1 random_gamma=random.gamma random_normal=random.normal random_shuffle=random.shuffle '
                      'random_uniform=random.uniform random_poisson_v2=random.poisson',
    'ops.script_ops': '. compat.v1 eager_py_func=py_function',
    'ops.sets_impl': 'sets',
    'ops.signal.signal': 'signal',
    'ops.sort_ops': '',
    'ops.special_math_ops': 'math .',
    'ops.state_ops': 'compat.v1',
    'ops.stateful_random_ops': 'random',
    'ops.string_ops': 'strings compat.v1 string_to_hash_bucket=strings.to_hash_bucket string_format=strings.format',
    'ops.summary_ops_v2': 'summary create_file_writer_v2=summary.create_file_writer',
    'ops.resource_variable_ops': '. ResourceVariable=Variable BaseResourceVariable=Variable VariableSpec=__internal__.VariableSpec',
    'ops.tensor_array_ops': '',
    'ops.variable_scope': 'compat.v1 .',
    'ops.variable_v1': 'compat.v1 VariableV1=compat.v1.Variable',
    'ops.variables': '. compat.v1',
    'ops.while_loop': 'compat.v1 .',
    'platform.gfile': 'compat.v1.gfile io.gfile',
    'platform.googletest': 'test compat.v1.test',
    'platform.test': 'test compat.v1.test',
    'saved_model.load': 'saved_model',
    'saved_model.save': 'saved_model',
    'trackable.autotrackable': '__internal__.tracking',
    'trackable.base': '__internal__.tracking',
    'training.checkpoint_utils': 'train',
    'training.training_util': 'compat.v1.train',
    'types.core': 'types.experimental .',
    'types.trace': 'types.experimental',
    'util.compat': 'compat',
    'util.nest': 'nest',
}
# Modules of which less is asked for: the same.
_MODULES.update({
    'compat.compat': 'compat',
    'compat.v2_compat': 'compat.v1',
    'distribute.mirrored_strategy': 'distribute',
    'framework.device_spec': '. compat.v1 DeviceSpecV2=DeviceSpec',
    'framework.extension_type': 'experimental',
    'framework.graph_io': 'io compat.v1.train',
    'framework.graph_util': 'compat.v1.graph_util',
    'framework.graph_util_impl': 'compat.v1.graph_util',
    'framework.load_library': '',
    'framework.meta_graph': 'compat.v1.train',
    'framework.smart_cond': '__internal__.smart_cond',
    'framework.tensor_conversion': '. compat.v1 convert_to_tensor_v2=convert_to_tensor '
        'convert_to_tensor_v2_with_dispatch=convert_to_tensor',
    'framework.tensor_conversion_registry': '',
    'framework.versions': 'version compat.v1',
    'ops.gradient_checker': 'compat.v1.test test',
    'ops.histogram_ops': '',
    'ops.ragged.dynamic_ragged_shape': 'experimental',
    'ops.ragged.ragged_tensor_value': 'compat.v1.ragged',
    'ops.resource_variables_toggle': 'compat.v1',
    'ops.rnn': 'compat.v1.nn',
    'ops.rnn_cell_impl': 'compat.v1.nn compat.v1.nn.rnn_cell',
    'ops.signal.fft_ops': 'signal',
    'ops.standard_ops': '. math compat.v1',
    'ops.structured.structured_tensor': 'experimental',
    'ops.template': 'compat.v1',
    'ops.unconnected_gradients': '',
    'platform.app': 'compat.v1.app',
    'platform.flags': 'compat.v1.flags',
    'platform.tf_logging': 'compat.v1.logging',
    'profiler.trace': 'profiler.experimental',
    'saved_model.loader': 'compat.v1.saved_model saved_model',
    'saved_model.save_options': 'saved_model saved_model.experimental',
    'saved_model.signature_constants': 'saved_model compat.v1.saved_model.signature_constants',
    'saved_model.simple_save': 'compat.v1.saved_model',
    'saved_model.tag_constants': 'saved_model compat.v1.saved_model.tag_constants',
    'trackable.asset': 'saved_model',
    'trackable.python_state': 'train.experimental',
    'trackable.resource': 'saved_model.experimental',
    'training.adam': 'compat.v1.train',
    'training.gradient_descent': 'compat.v1.train',
    'training.momentum': 'compat.v1.train',
    'training.monitored_session': 'compat.v1.train',
    'training.optimizer': 'compat.v1.train',
    'training.queue_runner_impl': 'compat.v1.train',
    'training.saver': 'compat.v1.train',
    'training.server_lib': 'train compat.v1.train',
    'training.training': 'compat.v1.train train',
    'util.dispatch': 'experimental __internal__.dispatch',
})
# A name with one of these before it: `stateless_random_normal` of its module is tf.random.stateless_normal.
_INITIALIZERS = {
    one: ''.join('_' + c.lower() if c.isupper() else c for c in one)[1:] + '_initializer'
    for one in ('Constant', 'GlorotNormal', 'GlorotUniform', 'Ones', 'Orthogonal', 'RandomNormal', 'RandomUniform',
                'TruncatedNormal', 'VarianceScaling', 'Zeros')}
_MODULES['ops.init_ops'] += ''.join(f' {one}=compat.v1.{name}' for one, name in _INITIALIZERS.items())
_MODULES['ops.init_ops_v2'] += ''.join(f' {one}={name}' for one, name in _INITIALIZERS.items())
_PREFIXED = {'ops.stateless_random_ops': ('stateless_random_', 'random.stateless_'), 'ops.sparse_ops': ('sparse_', 'sparse.'),
             'ops.string_ops': ('string_', 'strings.')}
_MODULES.update({'ops.stateless_random_ops': 'random', 'ops.sparse_ops': 'sparse io compat.v1 sparse_tensor_dense_matmul='
                 'sparse.sparse_dense_matmul sparse_tensor_to_dense=sparse.to_dense sparse_to_indicator=sparse.to_indicator'})
_GENERATED = ('array audio bitwise boosted_trees control_flow ctc data_flow dataset experimental_dataset functional image io linalg '
              'list logging lookup map_dataset math nn parsing ragged_array ragged_conversion ragged_math random resource_variable '
              'script sendrecv set sparse spectral state stateful_random stateless_random stateless_random_v2 string summary '
              'training user').split()


_WITH_OPS = {f'ops.{one}_ops' for one in (
    'array bitwise control_flow data_flow linalg list logging lookup math nn parsing random resource_variable script sparse '
    'state string').split()}


def _op(name: str) -> Callable[..., Any] | None:
    """The function of an op by its name in small letters, whose inputs and attributes may stand in order."""
    op = ''.join(part[:1].upper() + part[1:] for part in name.split('_'))
    for spelled in (op, *(op.replace(a, b) for a, b in (('Lu', 'LU'), ('Fft', 'FFT'), ('Add', 'AddV2')) if a in op)):
        function = getattr(tf.raw_ops, spelled, None)
        if function is not None:
            break
    else:
        return None
    order = list(inspect.signature(function).parameters)

    def call(*values, **named):
        return function(**dict(zip(order, values)), **named)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def find(path, name):
    """What the module tensorflow.python.`path` has under this name, or None."""
    inside = path.rpartition('.')[2]
    if path.startswith('ops.gen_') and inside[4:-4] in _GENERATED:
        return _op(name)
    words = _MODULES.get(path)
    if words is None:
        return _op(name) if path in _WITH_OPS else None
    renamed = dict(word.split('=') for word in words.split() if '=' in word)
    if name in renamed:
        return find_public(renamed[name])
    spaces = [word for word in words.split() if '=' not in word] or ['.']
    before, after = _PREFIXED.get(path, (None, None))
    stems = [(name, spaces)]
    if name.endswith('_v2'):
        stems.append((name[:-3], [space for space in spaces if 'v1' not in space] + ['.']))
    if name.endswith('_v1'):
        stems.append((name[:-3], [space for space in spaces if 'v1' in space] + ['compat.v1']))
    for stem, where in stems:
        for space in where:
            found = find_public(stem if space == '.' else space + '.' + stem)
            if found is not None and not (inspect.ismodule(found) and getattr(found, '__file__', None) is None):
                return found
        if before and stem.startswith(before):
            found = find_public(after + stem[len(before):])
            if found is not None:
                return found
    return _op(name) if path in _WITH_OPS else None  # it has the functions of the ops too


def fill(namespace: Any, name: str) -> None:
    """Gives a module inside of TensorFlow the name, if that is known."""
    found = find(namespace[len('footlight.python.'):], name)
    if found is not None:
        setattr(sys.modules[namespace], name, found)


# Programs import these and ask for nothing in them, or for little that has files of this tree.
_OTHERS = (
    'python.data: util\npython.data.ops: from_generator_op from_sparse_tensor_slices_op from_tensor_slices_op from_tensors_op range_op\n'
    'python.data.util: structure\n'
    'python.distribute: distribute_utils input_lib input_ops parameter_server_strategy\n'
    'python.eager: core execute executor forwardprop_util graph_only_ops imperative_grad monitoring remote\n'
    'python.eager.polymorphic_function: atomic_function autograph_util compiler_ir composite_tensor_utils eager_function_run '
    'function_context saved_model_exported_concrete saved_model_utils transform\n'
    'python.framework: auto_control_deps_utils byte_swap_tensor c_api_util combinations common_shapes '
    'composite_tensor_gradient device error_interpolation extension_type_field function graph_to_function_def immutable_dict '
    'kernels none_tensor op_callbacks op_def_library op_def_registry registry stack strict_mode subscribe test_combinations '
    'test_ops tfrt_utils traceable_stack type_utils weak_tensor\n'
    'python.grappler: tf_optimizer\npython.layers: convolutional core\npython.lib: core\n'
    'python.ops: array_grad batch_ops clustering_ops control_flow_grad control_flow_state control_flow_v2_func_graphs '
    'gradients_util handle_data_util map_ops nn_grad optional_grad proto_ops ref_variable shape_util tensor_array_grad '
    'tensor_getitem_override weak_tensor_ops while_v2_indexed_slices_rewriter\n'
    'python.ops.linalg: linear_operator_addition linear_operator_identity\npython.ops.parallel_for: test_util\npython.ops.ragged: ragged_map_ops ragged_tensor_shape ragged_util\n'
    'python.saved_model: model_utils save_context utils_impl\npython.types: internal\n'
    'python.util: all_util custom_nest_protocol decorator_utils deprecation lazy_loader serialization tf_export tf_stack '
    'traceback_utils\npython.util.protobuf: compare\npython.client: pywrap_tf_session\n'
    'python: pywrap_tensorflow pywrap_tfe tf2')
for _line in _OTHERS.split('\n'):
    for _name in _line.partition(': ')[2].split():
        _engine.namespace(_line.partition(': ')[0] + '.' + _name)
for _path in (*_MODULES, *(f'ops.gen_{one}_ops' for one in _GENERATED)):
    _engine.namespace('python.' + _path)
_engine.namespace('python.framework.test_util')
