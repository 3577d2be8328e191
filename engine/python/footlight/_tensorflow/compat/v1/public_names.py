"""Names of tf.compat.v1 and of its namespaces that are another public name, by place; what differs has files of its own."""
from __future__ import annotations

import sys

import footlight as tf
from footlight._public import find_public
from footlight._typing import Any, Callable

# Namespaces whose names are those of today, but for what stands in _DIFFERENT and in the modules of this folder.
_AS_TODAY = frozenset((
    'audio autograph autograph.experimental bitwise compat config config.experimental config.optimizer config.threading '
    'debugging debugging.experimental distribute distribute.cluster_resolver distribute.experimental dtypes '
    'dtypes.experimental errors experimental image io io.gfile linalg linalg.experimental lookup '
    'lookup.experimental math math.special mlir.experimental nest nn nn.experimental queue quantization.experimental ragged random '
    'random.experimental saved_model saved_model.experimental sets sparse strings sysconfig test test.experimental tpu '
    'tpu.experimental tpu.experimental.embedding train train.experimental types.experimental version xla.experimental').split())
# Namespaces that are there besides these, because something is in them.
_OTHERS = frozenset('app distributions flags gfile initializers keras layers losses manip metrics mixed_precision mlir python_io resource_loader '
                    'spectral summary types user_ops xla train.queue_runner'.split())

# What TensorFlow 1 has in a form of its own: no name of today stands for it.
_DIFFERENT = {
    'image': 'sample_distorted_bounding_box',
    'nn': ('bidirectional_dynamic_rnn nce_loss raw_rnn static_bidirectional_rnn static_rnn '
           'static_state_saving_rnn'),
    'test': 'assert_equal_graph_def',
}

# Names of today in another place: `old=place`, or `name` where one of tf.compat.v1 itself is meant.
_PLACES = {
    '': (
        'FIFOQueue=queue.FIFOQueue NoGradient=no_gradient NotDifferentiable=no_gradient OpError=errors.OpError '
        'PaddingFIFOQueue=queue.PaddingFIFOQueue PriorityQueue=queue.PriorityQueue QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES '
        'QueueBase=queue.QueueBase RandomShuffleQueue=queue.RandomShuffleQueue accumulate_n=math.accumulate_n '
        'assert_proper_iterable=debugging.assert_proper_iterable assert_same_float_dtype=debugging.assert_same_float_dtype '
        'betainc=math.betainc cumprod=math.cumprod decode_json_example=io.decode_json_example dequantize=quantization.dequantize '
        'deserialize_many_sparse=io.deserialize_many_sparse dimension_at_index=compat.dimension_at_index '
        'dimension_value=compat.dimension_value div_no_nan=math.divide_no_nan expm1=math.expm1 '
        'fake_quant_with_min_max_args=quantization.fake_quant_with_min_max_args '
        'fake_quant_with_min_max_args_gradient=quantization.fake_quant_with_min_max_args_gradient '
        'fake_quant_with_min_max_vars=quantization.fake_quant_with_min_max_vars '
        'fake_quant_with_min_max_vars_gradient=quantization.fake_quant_with_min_max_vars_gradient '
        'fake_quant_with_min_max_vars_per_channel=quantization.fake_quant_with_min_max_vars_per_channel '
        'fake_quant_with_min_max_vars_per_channel_gradient=quantization.fake_quant_with_min_max_vars_per_channel_gradient '
        'fft=signal.fft fft2d=signal.fft2d fft3d=signal.fft3d floormod=math.floormod global_norm=linalg.global_norm '
        'ifft=signal.ifft ifft2d=signal.ifft2d ifft3d=signal.ifft3d igamma=math.igamma igammac=math.igammac '
        'is_non_decreasing=math.is_non_decreasing is_numeric_tensor=debugging.is_numeric_tensor '
        'is_strictly_increasing=math.is_strictly_increasing lbeta=math.lbeta lin_space=linspace log=math.log '
        'logical_xor=math.logical_xor matrix_set_diag=linalg.set_diag matrix_solve_ls=linalg.lstsq parse_single_sequence_example='
        'io.parse_single_sequence_example polygamma=math.polygamma quantize=quantization.quantize '
        'quantized_concat=quantization.quantized_concat random_gamma=random.gamma random_normal=random.normal '
        'random_shuffle=random.shuffle random_uniform=random.uniform reverse_v2=reverse rint=math.rint '
        'segment_max=math.segment_max segment_mean=math.segment_mean segment_min=math.segment_min segment_prod=math.segment_prod '
        'self_adjoint_eigvals=linalg.eigvalsh sparse_fill_empty_rows=sparse.fill_empty_rows sparse_mask=sparse.mask '
        'sparse_maximum=sparse.maximum sparse_minimum=sparse.minimum sparse_reorder=sparse.reorder '
        'sparse_reset_shape=sparse.reset_shape sparse_reshape=sparse.reshape sparse_retain=sparse.retain '
        'sparse_slice=sparse.slice sparse_softmax=sparse.softmax sparse_tensor_dense_matmul=sparse.sparse_dense_matmul '
        'sparse_to_indicator=sparse.to_indicator sparse_transpose=sparse.transpose string_strip=strings.strip '
        'string_to_hash_bucket=strings.to_hash_bucket string_to_hash_bucket_fast=strings.to_hash_bucket_fast '
        'string_to_hash_bucket_strong=strings.to_hash_bucket_strong tensor_scatter_add=tensor_scatter_nd_add '
        'tensor_scatter_sub=tensor_scatter_nd_sub tensor_scatter_update=tensor_scatter_nd_update '
        'unsorted_segment_max=math.unsorted_segment_max unsorted_segment_mean=math.unsorted_segment_mean '
        'unsorted_segment_min=math.unsorted_segment_min unsorted_segment_prod=math.unsorted_segment_prod '
        'unsorted_segment_sqrt_n=math.unsorted_segment_sqrt_n where_v2=where zeta=math.zeta DeviceSpec=DeviceSpec scalar_mul=math.scalar_mul '
        'assert_scalar=debugging.assert_scalar assert_integer=debugging.assert_integer reverse_sequence=reverse_sequence '
        'sparse_segment_mean=sparse.segment_mean sparse_segment_sqrt_n=sparse.segment_sqrt_n '
        'sparse_segment_sum=sparse.segment_sum '
        'VERSION=version.VERSION GIT_VERSION=version.GIT_VERSION COMPILER_VERSION=version.COMPILER_VERSION '
        'GRAPH_DEF_VERSION=version.GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER=version.GRAPH_DEF_VERSION_MIN_CONSUMER '
        'GRAPH_DEF_VERSION_MIN_PRODUCER=version.GRAPH_DEF_VERSION_MIN_PRODUCER string_to_number=strings.to_number '
        'wrap_function=compat.v1.wrap_function get_local_variable=compat.v1.get_local_variable'),
    'data.experimental': 'DatasetStructure=data.DatasetSpec OptionalStructure=OptionalSpec Structure=TypeSpec '
                         'RaggedTensorStructure=RaggedTensorSpec SparseTensorStructure=SparseTensorSpec TensorStructure=TensorSpec '
                         'TensorArrayStructure=TensorArraySpec',
    'debugging': ('is_finite=math.is_finite is_inf=math.is_inf is_nan=math.is_nan is_non_decreasing=math.is_non_decreasing '
                  'is_strictly_increasing=math.is_strictly_increasing assert_all_finite=compat.v1.verify_tensor_all_finite ' +
                  ' '.join(f'assert_{one}=compat.v1.assert_{one}' for one in (
                      'equal greater greater_equal integer less less_equal near negative non_negative non_positive '
                      'none_equal positive rank rank_at_least rank_in scalar type').split())),
    'image': 'resize_image_with_crop_or_pad=image.resize_with_crop_or_pad transpose_image=image.transpose',
    'initializers': ('constant=compat.v1.constant_initializer global_variables=compat.v1.global_variables_initializer '
                     'local_variables=compat.v1.local_variables_initializer '
                     'ones=compat.v1.ones_initializer orthogonal=compat.v1.orthogonal_initializer '
                     'glorot_normal=compat.v1.glorot_normal_initializer glorot_uniform=compat.v1.glorot_uniform_initializer '
                     'random_normal=compat.v1.random_normal_initializer random_uniform=compat.v1.random_uniform_initializer '
                     'tables_initializer=compat.v1.tables_initializer truncated_normal=compat.v1.truncated_normal_initializer '
                     'uniform_unit_scaling=compat.v1.uniform_unit_scaling_initializer variables=compat.v1.variables_initializer '
                     'variance_scaling=compat.v1.variance_scaling_initializer zeros=compat.v1.zeros_initializer'),
    'io': 'PaddingFIFOQueue=queue.PaddingFIFOQueue PriorityQueue=queue.PriorityQueue QueueBase=queue.QueueBase '
          'RandomShuffleQueue=queue.RandomShuffleQueue decode_csv=compat.v1.decode_csv decode_raw=compat.v1.decode_raw '
          'parse_example=compat.v1.parse_example parse_single_example=compat.v1.parse_single_example '
          'tf_record_iterator=python.lib.io.tf_record.tf_record_iterator TFRecordCompressionType='
          'compat.v1.python_io.TFRecordCompressionType',
    'linalg': 'norm=compat.v1.norm diag=linalg.diag',
    'manip': 'reverse=reverse roll=roll scatter_nd=scatter_nd space_to_batch_nd=space_to_batch_nd tile=tile '
             'batch_to_space_nd=compat.v1.batch_to_space_nd gather_nd=gather_nd reshape=reshape',
    'math': ('argmax=compat.v1.argmax argmin=compat.v1.argmin in_top_k=compat.v1.nn.in_top_k log_softmax=compat.v1.nn.log_softmax '
             'softmax=compat.v1.nn.softmax count_nonzero=compat.v1.count_nonzero ' + ' '.join(
                 f'reduce_{one}=compat.v1.reduce_{one}' for one in 'all any logsumexp max mean min prod sum'.split())),
    'nn': ('avg_pool_v2=nn.avg_pool depthwise_conv2d_native_backprop_filter=nn.depthwise_conv2d_backprop_filter '
           'depthwise_conv2d_native_backprop_input=nn.depthwise_conv2d_backprop_input max_pool_v2=nn.max_pool '
           'log_uniform_candidate_sampler=random.log_uniform_candidate_sampler '
           'uniform_candidate_sampler=random.uniform_candidate_sampler depth_to_space=compat.v1.depth_to_space '
           'space_to_depth=compat.v1.space_to_depth swish=nn.silu'),
    'python_io': 'TFRecordOptions=io.TFRecordOptions TFRecordWriter=io.TFRecordWriter '
                 'tf_record_iterator=python.lib.io.tf_record.tf_record_iterator',
    'random': 'get_seed=compat.v1.get_seed multinomial=compat.v1.multinomial poisson=compat.v1.random_poisson '
              'set_random_seed=compat.v1.set_random_seed stateless_multinomial=random.stateless_categorical',
    'saved_model': 'load_v2=saved_model.load',
    'sets': 'set_difference=sets.difference set_intersection=sets.intersection set_size=sets.size set_union=sets.union',
    'sparse': 'matmul=sparse.sparse_dense_matmul placeholder=compat.v1.sparse_placeholder',
    'spectral': ' '.join(f'{one}=signal.{one}' for one in (
        'dct fft fft2d fft3d idct ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d').split()),
    'strings': 'split=compat.v1.string_split substr=compat.v1.substr',
    'summary': 'Event=compat.v1.Event Summary=compat.v1.Summary SessionLog=compat.v1.SessionLog',
    'train': 'Server=distribute.Server match_filenames_once=io.match_filenames_once write_graph=io.write_graph',
    'train.queue_runner': ' '.join(f'{one}=compat.v1.train.{one}' for one in (
        'QueueRunner add_queue_runner start_queue_runners').split()),
}
_BY_PLACE = {(namespace, word.partition('=')[0]): word.partition('=')[2]
             for namespace, words in _PLACES.items() for word in words.split()}


def is_namespace(path: Any) -> bool:
    """Whether tf.compat.v1.`path` is a namespace, which may not have been asked for yet."""
    return path in _AS_TODAY or path in _OTHERS or any(one.startswith(path + '.') for one in _AS_TODAY)


def find(path: Any, name: str) -> Callable[..., Any] | None:
    """What tf.compat.v1.`path` has under this name, where that is another public name; None for all others."""
    place = _BY_PLACE.get((path, name))
    if place is not None:
        return find_public(place)
    if path not in _AS_TODAY or name.startswith('_') or name in _DIFFERENT.get(path, '').split():
        return None
    today = sys.modules.get('footlight.' + path) or find_public(path)
    return getattr(today, name, None)
