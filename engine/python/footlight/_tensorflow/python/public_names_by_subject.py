"""More modules inside of TensorFlow by rule, those that each hold one subject: kinds of datasets, of optimizers, of ops.

The form of a rule is explained in public_names.py.
"""
from footlight import _engine
from footlight._tensorflow.python import public_names as _rules

_BY_RULE = {
    'data data.experimental compat.v1.data': (
        'data.experimental.ops.', 'batching counter distributed_save_op error_ops global_shuffle_op grouping interleave_ops io '
        'iterator_ops matching_files prefetching_ops random_access readers scan_ops shuffle_ops take_while_ops testing unique '
        'writers cardinality compression_ops data_service_ops enumerate_ops from_list get_single_element index_flat_map_op '
        'iterator_model_ops lookup_ops map_defun pad_to_cardinality parsing_ops random_ops resampling snapshot weighted_flat_map_op'),
    'data data.experimental': (
        'data.ops.', 'from_generator_op load_op map_op options_lib prefetch_op scan_op shuffle_op structured_function'),
    '. experimental': ('data.ops.', 'optional_ops'),
    'train compat.v1.train': (
        'checkpoint.', 'checkpoint_management checkpoint_options checkpoint_view trackable_view'),
    'compat.v1.train train': (
        'training.', 'adadelta adagrad adagrad_da basic_loops basic_session_run_hooks checkpoint_management coordinator device_setter '
        'evaluation ftrl input moving_averages proximal_adagrad proximal_gradient_descent py_checkpoint_reader quantize_training '
        'rmsprop saver_test_utils session_manager session_run_hook supervisor sync_replicas_optimizer warm_starting_util'),
    'compat.v1.saved_model saved_model': (
        'saved_model.', 'builder builder_impl load_options loader_impl main_op signature_def_utils signature_def_utils_impl utils utils_impl'),
    'compat.v1.saved_model.constants saved_model': ('saved_model.', 'constants'),
    'compat.v1.summary': ('summary.', 'summary summary_iterator'),
    'compat.v1 .': ('ops.', 'partitioned_variables'),
    'compat.v1.losses': ('ops.', 'losses.losses losses.losses_impl losses.util'),
    'compat.v1.metrics': ('ops.', 'metrics metrics_impl'),
    'compat.v1.distributions': (
        'ops.distributions.', 'bernoulli beta categorical dirichlet dirichlet_multinomial distribution distributions exponential '
        'gamma kullback_leibler laplace multinomial normal student_t uniform'),
    'compat.v1.nn.rnn_cell': ('ops.', 'rnn_cell'),
    'compat.v1.nn nn': ('ops.', 'ctc_ops'),
    'random nn compat.v1.nn': ('ops.', 'candidate_sampling_ops'),
    'image compat.v1 .': ('ops.', 'random_crop_ops'),
    'sets': ('ops.', 'sets'),
    'experimental.numpy': ('ops.numpy_ops.', 'np_array_ops np_dtypes np_math_ops np_utils np_arrays'),
    'experimental.numpy.random': ('ops.numpy_ops.', 'np_random'),
    'experimental.numpy enable_numpy_behavior=experimental.numpy.experimental_enable_numpy_behavior': (
        'ops.numpy_ops.', 'np_config'),
    'ragged .': (
        'ops.ragged.', 'ragged_batch_gather_ops ragged_bincount_ops ragged_conversion_ops ragged_gather_ops ragged_image_ops '
        'ragged_map_ops ragged_operators ragged_sort_ops ragged_squeeze_op ragged_where_op segment_id_ops'),
    'signal': (
        'ops.signal.', 'dct_ops mel_ops mfcc_ops reconstruction_ops shape_ops spectral_ops util_ops window_ops'),
    'linalg linalg.experimental': (
        'ops.linalg.', 'linear_operator linear_operator_adjoint linear_operator_block_diag linear_operator_block_lower_triangular '
        'linear_operator_circulant linear_operator_composition linear_operator_diag linear_operator_full_matrix '
        'linear_operator_householder linear_operator_identity linear_operator_inversion linear_operator_kronecker '
        'linear_operator_low_rank_update linear_operator_lower_triangular linear_operator_permutation linear_operator_toeplitz '
        'linear_operator_tridiag linear_operator_zeros sparse.conjugate_gradient'),
    'io compat.v1': ('lib.io.', 'python_io'),
    'compat.v1.resource_loader': ('platform.', 'resource_loader'),
    'test compat.v1.test': ('platform.', 'benchmark'),
}
for _words, (_folder, _names) in _BY_RULE.items():
    for _name in _names.split():
        _rules._MODULES.setdefault(_folder + _name, _words)
_rules._MODULES['ops.ragged.segment_id_ops'] = ('segment_ids_to_row_splits=ragged.segment_ids_to_row_splits '
                                                'row_splits_to_segment_ids=ragged.row_splits_to_segment_ids')
_rules._MODULES['ops.data_flow_ops'] += ' parallel_dynamic_stitch=dynamic_stitch'  # whatever order its parts are written in
_rules._MODULES['ops.ragged.ragged_math_ops'] += ' . ragged_cumsum=cumsum' + ''.join(
    f' segment_{one}=math.unsorted_segment_{one}' for one in 'max mean min prod sqrt_n sum'.split())
_rules._MODULES['ops.ragged.ragged_util'] = '.'
_rules._MODULES['data.experimental.ops.iterator_ops'] += ' compat.v1.data.experimental'
for _name in ('builder', 'builder_impl'):
    _rules._MODULES['saved_model.' + _name] += ''.join(
        f' {one}=compat.v1.saved_model.Builder' for one in ('SavedModelBuilder', '_SavedModelBuilder'))
_SETS = 'set_difference=sets.difference set_intersection=sets.intersection set_size=sets.size set_union=sets.union'
for _name, _places in {
        'special_math_ops': 'math.special', 'sets_impl': _SETS, 'confusion_matrix': 'confusion_matrix_v1=compat.v1.math.confusion_matrix',
        'nn_ops': 'nn.experimental fractional_avg_pool_v2=nn.fractional_avg_pool fractional_max_pool_v2=nn.fractional_max_pool',
        'sets': _SETS, 'sparse_ops': 'bincount=math.bincount', 'variables': 'VariableAggregationV2=VariableAggregation',
        'string_ops': 'reduce_join=compat.v1.reduce_join reduce_join_v2=strings.reduce_join substr_deprecated=compat.v1.substr',
        'stateless_random_ops': 'stateless_multinomial=compat.v1.random.stateless_multinomial',
        'array_ops': 'batch_to_space=compat.v1.batch_to_space batch_to_space_v2=batch_to_space'}.items():
    _rules._MODULES['ops.' + _name] = _rules._MODULES.get('ops.' + _name, '') + ' ' + _places
for _name in ('image_ops', 'image_ops_impl'):
    _rules._MODULES['ops.' + _name] += ' ResizeMethodV1=compat.v1.image.ResizeMethod resize_images=compat.v1.image.resize' + ''.join(
        f' {new}={old}' for new, old in {
            'resize_images_v2': 'image.resize', 'crop_and_resize_v1': 'compat.v1.image.crop_and_resize',
            'resize_bicubic': 'compat.v1.image.resize_bicubic', 'resize_bilinear': 'compat.v1.image.resize_bilinear',
            'resize_nearest_neighbor': 'compat.v1.image.resize_nearest_neighbor',
            'non_max_suppression_with_overlaps': 'image.non_max_suppression_overlaps',
            'resize_image_with_crop_or_pad': 'image.resize_with_crop_or_pad',
            'resize_image_with_pad_v1': 'compat.v1.image.resize_image_with_pad', 'resize_image_with_pad_v2': 'image.resize_with_pad'}.items())
_rules._MODULES['ops.ctc_ops'] = _rules._MODULES.get('ops.ctc_ops', 'nn compat.v1.nn') + ' ctc_loss_v3=nn.ctc_loss'
_rules._MODULES['ops.parsing_config'] = 'io'
_rules._MODULES['ops.array_ops'] += ' listdiff=compat.v1.setdiff1d'
_rules._MODULES['ops.stateless_random_ops'] += ' random.experimental'
_rules._MODULES['platform.gfile'] += ''.join(f' {old}=io.gfile.{name}' for old, name in {
    'Copy': 'copy', 'DeleteRecursively': 'rmtree', 'Exists': 'exists', 'FastGFile': 'GFile', 'Glob': 'glob', 'IsDirectory': 'isdir',
    'ListDirectory': 'listdir', 'MakeDirs': 'makedirs', 'MkDir': 'mkdir', 'Open': 'GFile', 'Remove': 'remove', 'Rename': 'rename',
    'Stat': 'stat', 'Walk': 'walk'}.items())
_OPS_OF = 'batch boosted_trees candidate_sampling checkpoint count optional rnn stateless_random_v2 random_index_shuffle'.split()
_rules._GENERATED.extend(one for one in _OPS_OF if one not in _rules._GENERATED)
# Nothing stands in these but what files of this tree put there.
_PLAIN = ('checkpoint.graph_view checkpoint.util data.util.nest data.util.structure data.util.traverse '
          'data.util.random_seed ops.data_flow_grad ops.math_grad ops.random_grad ops.sparse_grad ops.state_grad ops.rnn_grad '
          'ops.nn_fused_batch_norm_grad pywrap_sanitizers training.saving.saveable_object util.numpy_compat')
for _path in (*_rules._MODULES, *(f'ops.gen_{one}_ops' for one in _rules._GENERATED), *_PLAIN.split()):
    _engine.namespace('python.' + _path)
