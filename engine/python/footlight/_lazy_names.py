"""Names whose modules are loaded when they are first used: what `import footlight` has no time for."""
from __future__ import annotations

import importlib
import sys

from footlight import _engine
from footlight._typing import Any

# The module of this package that adds the names, by namespace. Those without a leading underscore are in _tensorflow.
_BY_NAMESPACE = {
    'footlight': {
        '_ragged.tensor': 'RaggedTensor RaggedTensorSpec ragged',
        '_distribute.strategies': 'distribute',
        '_distribute.refusals': 'lite tpu',
        '_lookup': 'lookup',
        'compat.v1.variable_scope': 'AUTO_REUSE get_variable get_variable_scope variable_scope',
        '_types.tensor_operators': '__operators__',
        'python.all_modules': 'compiler python sysconfig tools',
        '_summary.profiler': 'profiler',
        '_sparse.sets': 'sets',
        '_signal': 'fftnd ifftnd irfftnd rfftnd',
    },
    'footlight.__internal__': {
        'internal.for_keras': 'CompositeTensor EagerTensor FuncGraph distribute eager_context smart_cond tf2',
    },
    'footlight.audio': {
        '_io.gfile': 'decode_wav',
    },
    'footlight.compat': {
        '_compat': (
            'as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index dimension_value '
            'forward_compatibility_horizon forward_compatible integral_types path_to_str real_types'),
    },
    'footlight.compat.v1': {
        '_io.parse_example': (
            'FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example parse_single_example '
            'parse_single_sequence_example'),
        '_io.gfile': (
            'decode_base64 decode_compressed decode_csv decode_raw encode_base64 matching_files parse_tensor '
            'read_file serialize_tensor write_file'),
        'compat.v1.renamed_arguments': (
            'arg_max arg_min argmax argmin batch_to_space_nd boolean_mask cond constant control_flow_v2_enabled convert_to_tensor '
            'convert_to_tensor_or_sparse_tensor count_nonzero enable_control_flow_v2 enable_resource_variables '
            'enable_tensor_equality executing_eagerly_outside_functions resource_variables_enabled '
            'depth_to_space device div expand_dims gather gather_nd multinomial name_scope ones_like pad random_crop '
            'random_poisson shape size transpose zeros_like reduce_all reduce_any reduce_logsumexp '
            'reduce_max reduce_mean '
            'reduce_min reduce_prod reduce_sum regex_replace scatter_add scatter_sub scatter_update setdiff1d '
            'space_to_depth sparse_tensor_to_dense squeeze string_join substr to_bfloat16 truncated_normal '
            'verify_tensor_all_finite where while_loop'),
        '_graphs.session_values': 'SparseTensorValue',
        'compat.v1.scatter_ops': (
            'batch_scatter_update batch_to_space reduce_join scatter_div scatter_max scatter_min scatter_mul scatter_nd_add '
            'scatter_nd_sub scatter_nd_update sparse_add sparse_reduce_max_sparse sparse_reduce_sum_sparse'),
        'compat.v1.variable_scope': (
            'AUTO_REUSE Variable VariableScope get_local_variable get_variable get_variable_scope global_variables_initializer '
            'local_variables_initializer tables_initializer variable_scope variables_initializer'),
        '_graphs.collections': (
            'GraphKeys add_to_collection add_to_collections get_collection get_collection_ref global_variables '
            'local_variables model_variables moving_average_variables trainable_variables'),
        '_nn.quantization': 'quantization',
        '_signal': 'signal',
        'compat.v1.logging': 'logging',
        '_sparse.segments': 'sparse_placeholder',
        '_strings': 'string_split',
        'compat.v1.v2_behavior': (
            'InteractiveSession disable_control_flow_v2 disable_eager_execution disable_resource_variables '
            'disable_tensor_equality disable_v2_behavior disable_v2_tensorshape enable_eager_execution enable_v2_behavior '
            'enable_v2_tensorshape'),
        'compat.v1.check_ops': (
            'Dimension Print all_variables assert_equal assert_greater assert_greater_equal assert_less '
            'assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal '
            'assert_positive assert_rank assert_rank_at_least assert_rank_in assert_type batch_gather clip_by_average_norm '
            'extract_image_patches fixed_size_partitioner foldl foldr initialize_all_tables initialize_all_variables '
            'initialize_local_variables initialize_variables is_variable_initialized make_template map_fn '
            'min_max_variable_partitioner no_regularizer norm op_scope py_func report_uninitialized_variables '
            'scan space_to_batch sparse_concat sparse_to_dense string_to_hash_bucket to_complex128 to_complex64 '
            'variable_axis_size_partitioner variable_op_scope'),
        'compat.v1.initializers': (
            'constant_initializer ones_initializer orthogonal_initializer random_normal_initializer '
            'random_uniform_initializer truncated_normal_initializer '
            'uniform_unit_scaling_initializer variance_scaling_initializer zeros_initializer'),
    },
    'footlight.compat.v1.app': {'compat.v1.flags': 'run flags'},
    'footlight.compat.v1.data': {
        'compat.v1.data': ('Iterator get_output_classes get_output_shapes get_output_types make_initializable_iterator '
                      'make_one_shot_iterator'),
    },
    'footlight.compat.v1.data.experimental': {'compat.v1.data': 'make_saveable_from_iterator'},
    'footlight.compat.v1.distributions': {
        'compat.v1.distributions.continuous': 'Beta Exponential Gamma Laplace Normal StudentT Uniform',
        'compat.v1.distributions.discrete': 'Bernoulli Categorical Dirichlet DirichletMultinomial Multinomial',
        'compat.v1.distributions.distribution': (
            'Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType'),
        'compat.v1.distributions.kullback_leibler': 'RegisterKL kl_divergence',
    },
    'footlight.compat.v1.gfile': {
        'compat.v1.gfile': (
            'Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs MkDir Open Remove Rename '
            'Stat Walk'),
    },
    'footlight.compat.v1.image': {
        '_image.glimpses': 'extract_glimpse',
        'compat.v1.image': (
            'ResizeMethod crop_and_resize draw_bounding_boxes extract_image_patches extract_patches resize '
            'resize_area resize_bicubic resize_bilinear resize_image_with_pad resize_images '
            'resize_nearest_neighbor'),
    },
    'footlight.compat.v1.initializers': {
        'compat.v1.initializers': 'he_normal he_uniform identity lecun_normal lecun_uniform',
    },
    'footlight.compat.v1.python_io': {'compat.v1.gfile': 'TFRecordCompressionType'},
    'footlight.compat.v1.resource_loader': {
        'compat.v1.gfile': ('get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource '
                       'readahead_file_path'),
    },
    'footlight.compat.v1.nn': {
        'compat.v1.renamed_arguments': (
            'avg_pool batch_norm_with_global_normalization batch_normalization conv2d dropout fused_batch_norm max_pool moments relu_layer sigmoid_cross_entropy_with_logits '
            'softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 xw_plus_b'),
        '_nn.ctc': 'ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder ctc_loss ctc_loss_v2',
        'compat.v1.scatter_ops': 'erosion2d',
        '_nn.fractional_pool': 'fractional_avg_pool fractional_max_pool',
        'compat.v1.nn': (
            'avg_pool2d conv1d conv2d_backprop_filter conv2d_backprop_input conv2d_transpose conv3d conv3d_backprop_filter '
            'conv3d_backprop_filter_v2 conv3d_transpose convolution crelu depthwise_conv2d '
            'depthwise_conv2d_native dilation2d embedding_lookup embedding_lookup_sparse in_top_k log_softmax '
            'max_pool_with_argmax nce_loss pool safe_embedding_lookup_sparse sampled_softmax_loss separable_conv2d softmax '
            'sparse_softmax_cross_entropy_with_logits sufficient_statistics weighted_cross_entropy_with_logits '
            'weighted_moments'),
    },
    'footlight.compat.v1.ragged': {
        '_graphs.session_values': 'RaggedTensorValue',
        '_ragged.constants': 'constant_value placeholder',
    },
    'footlight.compat.v1.saved_model': {
        'compat.v1.saved_model': (
            'Builder MethodNameUpdater build_signature_def build_tensor_info builder classification_signature_def '
            'constants get_tensor_from_tensor_info is_valid_signature load loader maybe_saved_model_directory predict_signature_def '
            'regression_signature_def save signature_constants signature_def_utils simple_save tag_constants utils'),
    },
    'footlight.compat.v1.test': {
        'compat.v1.gradient_checker': 'compute_gradient compute_gradient_error',
        '_test.test_case': (
            'TestCase assert_equal_graph_def disable_with_predicate get_temp_dir gpu_device_name is_built_with_cuda '
            'is_built_with_gpu_support is_built_with_rocm is_built_with_xla is_gpu_available main mock'),
    },
    'footlight.compat.v1.train': {
        'compat.v1.learning_rate_decay': (
            'cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay natural_exp_decay '
            'noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay'),
        'compat.v1.session_run_hooks': (
            'CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook '
            'NanLossDuringTrainingError NanTensorHook SecondOrStepTimer SessionRunArgs SessionRunContext SessionRunHook '
            'SessionRunValues StepCounterHook StopAtStepHook SummarySaverHook'),
        'compat.v1.monitored_session': (
            'ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator SingularMonitoredSession '
            'WorkerSessionCreator'),
        'compat.v1.warm_start': 'assert_global_step global_step init_from_checkpoint replica_device_setter warm_start',
        'compat.v1.adaptive_optimizers': (
            'AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer FtrlOptimizer ProximalAdagradOptimizer '
            'ProximalGradientDescentOptimizer RMSPropOptimizer'),
    },
    'footlight.compat.v1.sparse': {
        'compat.v1.scatter_ops': 'add reduce_max_sparse reduce_sum_sparse',
    },
    'footlight.compat.v1.strings': {
        'compat.v1.scatter_ops': 'reduce_join',
        '_strings': 'split',
    },
    'footlight.compat.v1.tpu': {
        '_distribute.refusals': (
            'CrossShardOptimizer batch_parallel cross_replica_sum initialize_system outside_compilation replicate rewrite '
            'shard shutdown_system'),
    },
    'footlight.config': {'_distribute.refusals': 'experimental_connect_to_cluster experimental_connect_to_host'},
    'footlight.distribute': {'_distribute.refusals': 'cluster_resolver experimental'},
    'footlight.data.experimental': {
        '_data.sql': 'SqlDataset',
        '_data.feature_files': (
            'DatasetInitializer index_table_from_dataset make_batched_features_dataset make_csv_dataset '
            'table_from_dataset'),
    },
    'footlight.experimental': {
        '_ragged.tensor': 'RowPartition',
        '_types.api_dispatch': (
            'dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis '
            'dispatch_for_unary_elementwise_apis unregister_dispatch_for'),
        '_types.extension_types': 'BatchableExtensionType ExtensionType ExtensionTypeSpec extension_type',
        '_distribute.strategies': 'dtensor',
    },
    'footlight.image': {
        '_image.glimpses': 'extract_glimpse',
        '_image.geometry': (
            'ResizeMethod central_crop combined_non_max_suppression crop_and_resize crop_to_bounding_box '
            'draw_bounding_boxes extract_patches flip_left_right flip_up_down non_max_suppression '
            'non_max_suppression_overlaps non_max_suppression_padded non_max_suppression_with_scores '
            'pad_to_bounding_box random_crop random_flip_left_right random_flip_up_down resize '
            'resize_with_crop_or_pad resize_with_pad rot90 stateless_random_crop stateless_random_flip_left_right '
            'stateless_random_flip_up_down transpose'),
        '_image.colour': (
            'adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation convert_image_dtype '
            'grayscale_to_rgb hsv_to_rgb image_gradients per_image_standardization psnr random_brightness '
            'random_contrast random_hue random_saturation rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv '
            'sobel_edges ssim ssim_multiscale stateless_random_brightness stateless_random_contrast '
            'stateless_random_hue stateless_random_saturation total_variation yiq_to_rgb yuv_to_rgb'),
        '_image.encoding': (
            'adjust_jpeg_quality decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png '
            'encode_jpeg extract_jpeg_shape is_jpeg random_jpeg_quality stateless_random_jpeg_quality'),
    },
    'footlight.io': {
        '_io.parse_example': (
            'FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature parse_example '
            'parse_sequence_example parse_single_example parse_single_sequence_example'),
        '_io.gfile': (
            'decode_base64 decode_compressed decode_csv decode_raw encode_base64 gfile matching_files parse_tensor '
            'read_file serialize_tensor write_file'),
        '_image.encoding': (
            'decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg '
            'extract_jpeg_shape is_jpeg'),
        '_sparse.segments': 'deserialize_many_sparse serialize_many_sparse serialize_sparse',
    },
    'footlight.io.gfile': {
        '_io.gfile': (
            'GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree '
            'stat walk'),
    },
    'footlight.linalg': {
        '_linalg.lu_and_bands': (
            'banded_triangular_solve eigh_tridiagonal lu_matrix_inverse lu_reconstruct lu_solve tridiagonal_matmul '
            'tridiagonal_solve'),
        '_linalg.conjugate_gradient': 'experimental',
        '_linalg.block_operators': 'LinearOperatorBlockLowerTriangular',
        '_linalg.composed_operators': (
            'LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorCirculant LinearOperatorCirculant2D '
            'LinearOperatorCirculant3D LinearOperatorComposition LinearOperatorDiag LinearOperatorFullMatrix '
            'LinearOperatorHouseholder LinearOperatorIdentity LinearOperatorInversion LinearOperatorKronecker '
            'LinearOperatorLowRankUpdate LinearOperatorLowerTriangular LinearOperatorPermutation '
            'LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros'),
    },
    'footlight.linalg.experimental': {
        '_linalg.conjugate_gradient': 'conjugate_gradient',
    },
    'footlight.lookup': {
        '_lookup': (
            'KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer '
            'experimental'),
    },
    'footlight.lookup.experimental': {
        '_lookup': 'DenseHashTable MutableHashTable',
    },
    'footlight.nn': {
        '_nn.atrous_conv': 'atrous_conv2d_transpose',
        '_nn.ctc': 'collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels',
        '_nn.embedding_lookup_sparse': 'embedding_lookup_sparse safe_embedding_lookup_sparse',
        '_nn.erosion': 'erosion2d',
        '_nn.fractional_pool': 'fractional_avg_pool fractional_max_pool',
        '_nn.replica_losses': 'compute_average_loss scale_regularization_loss',
        'compat.v1.renamed_arguments': 'batch_norm_with_global_normalization',
        '_nn.sampled_losses': 'compute_accidental_hits nce_loss sampled_softmax_loss',
    },
    'footlight.profiler': {
        '_summary.profiler': 'experimental',
    },
    'footlight.profiler.experimental': {
        '_summary.profiler': 'Profile ProfilerOptions Trace start stop',
    },
    'footlight.ragged': {
        '_ragged.tensor': 'row_splits_to_segment_ids segment_ids_to_row_splits stack_dynamic_partitions',
        '_sparse.cross': 'cross cross_hashed',
    },
    'footlight.raw_ops': {
        'raw_ops': 'Bucketize',
    },
    'footlight.python.saved_model.save': {
        '_saving.save': 'save_and_return_nodes',
    },
    'footlight.saved_model': {
        '_saving.save': 'save',
    },
    'footlight.sets': {
        '_sparse.sets': 'difference intersection size union',
    },
    'footlight.sparse': {
        '_sparse.cross': 'cross cross_hashed',
        '_sparse.functions': (
            'add bincount concat expand_dims eye fill_empty_rows map_values mask maximum minimum reduce_max '
            'reduce_sum reorder reshape retain slice softmax sparse_dense_matmul transpose'),
        '_sparse.segments': 'reset_shape segment_mean segment_sqrt_n segment_sum split to_indicator',
    },
    'footlight.strings': {
        '_strings': (
            'bytes_split ngrams split unicode_decode unicode_decode_with_offsets unicode_encode unicode_script '
            'unicode_split unicode_split_with_offsets unicode_transcode unsorted_segment_join'),
    },
    'footlight.test': {
        '_test.gradient_checker': 'compute_gradient',
        '_test.test_case': (
            'TestCase assert_equal_graph_def disable_with_predicate is_built_with_rocm is_built_with_xla main'),
        'python.framework.test_util': 'with_eager_op_as_function',
        'python.platform.test': 'Benchmark',
    },
    'footlight.train.experimental': {
        '_saving.python_state': 'PythonState',
    },
    'footlight.train': {
        '_saving.moving_average': 'CheckpointView ExponentialMovingAverage',
        '_distribute.cluster_spec': 'ClusterDef ClusterSpec JobDef ServerDef',
        '_distribute.coordinator': 'Coordinator',
        '_io.example_messages': (
            'BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample'),
    },
}
# Namespaces of which one module adds all names; they can be imported before.
_WHOLE = {**{path: path for path in ('compat.v1.flags', 'compat.v1.losses', 'compat.v1.metrics', 'compat.v1.summary',
                                      'compat.v1.feature_column')},
          'feature_column': '_features.columns',
          'experimental.numpy': '_numpy.math', 'experimental.numpy.random': '_numpy.math', 'quantization': '_nn.quantization',
          'signal': '_signal', '__internal__.test.combinations': '_test.combinations',
          '__internal__.distribute.combinations': '_test.combinations'}
for _namespace in (*_WHOLE, 'compat.v1.app', 'compat.v1.nn', 'compat.v1.strings', 'compat.v1.test', 'train.experimental'):
    _engine.namespace(_namespace)
_LAZY = {(namespace, name): module for namespace, modules in _BY_NAMESPACE.items()
         for module, names in modules.items() for name in names.split()}
# What tf.compat.v1 has in a form of its own is loaded, and is not today's, which was put there with it.
for _name in _BY_NAMESPACE['footlight.compat.v1']['compat.v1.check_ops'].split():
    vars(sys.modules['footlight.compat.v1']).pop(_name, None)

# Names of tf.compat.v1 that are today's of tf: nothing about them has changed since.
_AS_TODAY = frozenset((
    'AggregationMethod Assert CriticalSection DType GradientTape Graph IndexedSlices IndexedSlicesSpec Module '
    'NoneTensorSpec Operation OptionalSpec RaggedTensor RaggedTensorSpec RegisterGradient SparseTensor '
    'SparseTensorSpec Tensor TensorArray TensorArraySpec TensorShape TensorSpec TypeSpec UnconnectedGradients '
    'VariableAggregation VariableSynchronization abs case executing_eagerly tuple variable_creator_scope '
    'acos acosh add add_n argsort as_dtype as_string asin asinh atan atan2 atanh bfloat16 '
    'bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to cast clip_by_global_norm clip_by_norm '
    'clip_by_value complex complex128 complex64 concat conv cos cosh cumsum custom_gradient divide double '
    'dynamic_partition dynamic_stitch edit_distance einsum ensure_shape equal exp extract_volume_patches eye fftnd '
    'fill fingerprint float16 float32 float64 floor function get_logger get_static_value grad_pass_through greater '
    'greater_equal group guarantee_const half histogram_fixed_width histogram_fixed_width_bins identity identity_n '
    'ifftnd init_scope int16 int32 int64 int8 irfftnd is_symbolic_tensor is_tensor less less_equal linspace '
    'logical_and logical_not logical_or make_ndarray make_tensor_proto matmul maximum meshgrid minimum multiply '
    'negative newaxis no_gradient no_op nondifferentiable_batch_function not_equal numpy_function one_hot ones '
    'parallel_stack pow print py_function range rank realdiv recompute_grad register_tensor_conversion_function '
    'repeat required_space_to_batch_paddings reshape resource reverse rfftnd roll round saturate_cast scatter_nd '
    'searchsorted sequence_mask shape_n sigmoid sign sin sinh slice sort space_to_batch_nd split sqrt square stack '
    'string subtract switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min '
    'tensor_scatter_nd_sub tensor_scatter_nd_update tensordot tile timestamp truediv truncatediv truncatemod '
    'type_spec_from_value uint16 uint32 uint64 uint8 unique unique_with_counts unravel_index unstack variant '
    'vectorized_map zeros').split())
# Namespaces of Keras that are those of tf as well.
_OF_KERAS = ('initializers', 'losses', 'metrics', 'optimizers')


def find(namespace, name):
    """The object of that name, or None where it is none of these."""
    if namespace == 'footlight' and name == 'keras':
        from footlight import _keras
        found = sys.modules['footlight'].keras = sys.modules['footlight.keras'] = _keras.load()
        return found
    if namespace == 'footlight' and name in _OF_KERAS:
        found = getattr(sys.modules['footlight'].keras, name)
        setattr(sys.modules['footlight'], name, found)
        sys.modules['footlight.' + name] = found
        return found
    if namespace == 'footlight.compat' and name == 'v2':
        sys.modules['footlight.compat'].v2 = sys.modules['footlight.compat.v2'] = sys.modules['footlight']
        return sys.modules['footlight']
    if namespace == 'footlight.compat.v1' and name == 'keras':
        return sys.modules['footlight'].keras
    if namespace == 'footlight.compat.v1' and name in _AS_TODAY:
        return getattr(sys.modules['footlight'], name)
    if namespace.startswith('footlight.compat.v1.data') and (namespace, name) not in _LAZY:
        today = sys.modules['footlight'].data
        return getattr(today.experimental if namespace.endswith('.experimental') else today, name, None)
    module = _LAZY.get((namespace, name))
    if module is None and not name.startswith('_'):
        module = _WHOLE.get(namespace[len('footlight.'):])
    if module is None and namespace.startswith('footlight.__internal__') and not name.startswith('_'):
        module = 'internal.for_libraries'
    if module is None and namespace.startswith('footlight.python') and not name.startswith('__'):
        inside = name == 'autograph' or namespace.startswith('footlight.python.autograph')
        module = 'python.autograph.impl.api' if inside else 'python.all_modules'
        if namespace == 'footlight.python.autograph.core.converter_testing':
            module = 'python.autograph.core.converter_testing'
    if namespace.startswith('footlight.core.function') and not name.startswith('__'):
        is_capture = namespace.startswith('footlight.core.function.capture')
        module = 'core.function.capture.capture_container' if is_capture else 'core.function.polymorphism'
    if namespace == 'footlight.raw_ops' and module is None:
        from footlight import _raw_ops
        return _raw_ops.make(name)
    if module is None and (namespace == 'footlight.compat.v1' or namespace.startswith('footlight.compat.v1.')):
        return _old_name(namespace[len('footlight.compat.v1.'):], name)
    if module is None:
        return None
    importlib.import_module('footlight.' + (module if module.startswith('_') else '_tensorflow.' + module))
    if namespace == 'footlight.python.framework.test_util':
        importlib.import_module('footlight._tensorflow.python.framework.test_util')
    sys.modules['footlight']._describe()
    sys.modules['footlight']._explain_missing_names()
    if module == 'python.all_modules' and name not in vars(sys.modules[namespace]):
        from footlight._tensorflow.python import public_names as _public_names
        _public_names.fill(namespace, name)
    return vars(sys.modules[namespace]).get(name)


def _old_name(path: Any, name: str) -> Any:
    """A name of tf.compat.v1.`path` that is another public one, or a namespace in it."""
    from footlight._tensorflow.compat.v1 import public_names as _public_names
    inside = path + '.' + name if path else name
    if not _public_names.is_namespace(inside):
        return _public_names.find(path, name)
    made = _engine.namespace('compat.v1.' + inside)
    sys.modules['footlight']._explain_missing_names()
    return made


def names(namespace):
    """The names that a namespace has besides those that are loaded, for dir()."""
    return [name for where, name in _LAZY if where == namespace] + ['keras'] * (namespace == 'footlight')
