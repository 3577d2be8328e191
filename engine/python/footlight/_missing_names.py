"""Names of TensorFlow that are not implemented yet, and names of NumPy with their equivalents."""

NOT_YET = {
    '': (
        'check_pinned conv2d_backprop_filter_v2 conv2d_backprop_input_v2 '
        'load_library load_op_library qint16 qint32 qint8 queue quint16 quint8 '
        'ragged_fill_empty_rows ragged_fill_empty_rows_grad security'),
    'config.experimental': (
        'ClusterDeviceFilters disable_mlir_bridge enable_mlir_bridge get_device_policy get_memory_usage '
        'get_synchronous_execution set_device_policy set_synchronous_execution'),
    'debugging': 'experimental',
    'dtypes': 'QUANTIZED_DTYPES experimental qint16 qint32 qint8 quint16 quint8',
    'experimental': (
        'DynamicRaggedShape ExtensionTypeBatchEncoder StructuredTensor async_clear_error async_scope enable_strict_mode '
        'float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 '
        'float8_e5m2fnuz int2 int4 register_filesystem_plugin uint2 uint4'),
    'image': (
        'decode_jxl decode_webp generate_bounding_box_proposals sample_distorted_bounding_box '
        'stateless_sample_distorted_bounding_box'),
    'io': (
        'decode_json_example decode_jxl decode_proto decode_webp encode_proto '
        'match_filenames_once'),
    'math': 'sobol_sample',
    'nn': (
        'RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper '
        'fixed_unigram_candidate_sampler '
        'isotonic_regression learned_unigram_candidate_sampler with_space_to_batch'),
    'random': 'fixed_unigram_candidate_sampler learned_unigram_candidate_sampler',
    'sparse': 'sampled_addmm',
    'test': 'benchmark_config create_local_cluster is_cpu_target_available',
    'train': 'experimental',
    'version': 'COMPILER_VERSION',
}

# What to do instead, by the names in the namespaces.
_ADVICE = (
    ('queue FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue QueueRunner add_queue_runner '
     'start_queue_runners batch batch_join maybe_batch maybe_batch_join shuffle_batch shuffle_batch_join '
     'maybe_shuffle_batch maybe_shuffle_batch_join input_producer limit_epochs range_input_producer '
     'slice_input_producer string_input_producer FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 PriorityQueueV2',
     'Footlight has no queues; write a tf.data.Dataset (from_tensor_slices, shuffle, batch, prefetch)'),
    ('TextLineReader WholeFileReader TFRecordReader FixedLengthRecordReader IdentityReader LMDBReader ReaderBase '
     'TextLineReaderV2 WholeFileReaderV2 TFRecordReaderV2 FixedLengthRecordReaderV2 IdentityReaderV2',
     'Footlight has no readers; write tf.data.TextLineDataset, TFRecordDataset or FixedLengthRecordDataset'),
    ('qint8 qint16 qint32 quint8 quint16 QUANTIZED_DTYPES quantize quantize_v2 dequantize quantized_concat '
     'QuantizeV2 Dequantize QuantizedConv2D QuantizedMatMul',
     'Footlight has no quantized dtypes; use tf.int8 or tf.uint8 with a scale of your own, or '
     'tf.quantization.fake_quant_with_min_max_vars'),
    ('float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4',
     'Footlight has no floats or integers this short; use tf.bfloat16 or tf.float16, tf.int8 or tf.uint8'),
    ('decode_webp DecodeWebP', 'Footlight does not read WebP; convert the images to PNG or JPEG first'),
    ('Supervisor SessionManager basic_train_loop LooperThread',
     'write tf.compat.v1.train.MonitoredTrainingSession, which restores, saves and summarizes too'),
    ('SyncReplicasOptimizer', 'Footlight runs on one machine; use the optimizer that it wraps'),
    ('ProfilerHook', 'record the program with `footlight record` instead'),
    ('load_op_library load_library', 'ops compiled for TensorFlow are not loaded; write the op with other ops, or as '
     'tf.numpy_function'),
    ('dynamic_rnn static_rnn raw_rnn bidirectional_dynamic_rnn static_bidirectional_rnn static_state_saving_rnn',
     'write tf.keras.layers.RNN(cell), tf.keras.layers.LSTM or GRU, or Bidirectional around one'),
    ('DynamicRaggedShape', 'use tf.RaggedTensor.bounding_shape(), row_lengths() and nested_row_splits, or '
     'tf.TensorShape for whole tensors'),
)
_INSTEAD = {name: words for names, words in _ADVICE for name in names.split()}
# Where these names are TensorFlow's.
_PLACES = {'': 'queue qint8 qint16 qint32 quint8 quint16', 'raw_ops': '', 'compat.v1': '',
           'compat.v1.train': '', 'compat.v1.nn': '',
           'quantization': 'quantize dequantize quantized_concat'}

NUMPY = {
    'amax': 'tf.reduce_max(x)', 'amin': 'tf.reduce_min(x)', 'append': 'tf.concat([x, y], axis)',
    'arange': 'tf.range(start, limit, delta)', 'arccos': 'tf.acos(x)', 'arcsin': 'tf.asin(x)', 'arctan': 'tf.atan(x)',
    'arctan2': 'tf.atan2(y, x)', 'array': 'tf.constant(value)', 'asarray': 'tf.convert_to_tensor(value)',
    'astype': 'tf.cast(x, dtype)', 'average': 'tf.reduce_mean(x)', 'clip': 'tf.clip_by_value(x, low, high)',
    'concatenate': 'tf.concat(values, axis)', 'cumprod': 'tf.math.cumprod(x)', 'diag': 'tf.linalg.diag(x)',
    'dot': 'tf.tensordot(a, b, 1)', 'empty': 'tf.zeros(shape)', 'expm1': 'tf.math.expm1(x)',
    'flip': 'tf.reverse(x, [axis])', 'full': 'tf.fill(shape, value)', 'full_like': 'tf.fill(tf.shape(x), value)',
    'hstack': 'tf.concat(values, 1)', 'imag': 'tf.math.imag(x)', 'inner': 'tf.tensordot(a, b, 1)',
    'isfinite': 'tf.math.is_finite(x)', 'isinf': 'tf.math.is_inf(x)', 'isnan': 'tf.math.is_nan(x)',
    'log1p': 'tf.math.log1p(x)', 'max': 'tf.reduce_max(x)', 'mean': 'tf.reduce_mean(x)', 'min': 'tf.reduce_min(x)',
    'mod': 'tf.math.mod(x, y)', 'ndim': 'tf.rank(x)', 'nonzero': 'tf.where(x)', 'permute': 'tf.transpose(x, perm)',
    'power': 'tf.pow(x, y)', 'prod': 'tf.reduce_prod(x)', 'ravel': 'tf.reshape(x, [-1])', 'real': 'tf.math.real(x)',
    'sigmoid': 'tf.nn.sigmoid(x)', 'std': 'tf.math.reduce_std(x)', 'sum': 'tf.reduce_sum(x)',
    'swapaxes': 'tf.transpose(x, perm)', 'take': 'tf.gather(x, indices)', 'tensor': 'tf.constant(value)',
    'var': 'tf.math.reduce_variance(x)', 'vstack': 'tf.concat(values, 0)'}


def words_for(shown, name):
    """A hint for the unknown name `shown`.name, or None."""
    namespace = '' if shown == 'tf' else shown[len('tf.'):]
    if name in _INSTEAD:
        only = _PLACES.get(namespace)
        if (only is not None and (not only or name in only.split())) or (
                name in NOT_YET.get(namespace.removeprefix('compat.v1.'), '').split()):
            return f'{shown}.{name} is not in Footlight yet: {_INSTEAD[name]}'
    if namespace == 'compat.v1' or namespace.startswith('compat.v1.'):
        namespace = namespace[len('compat.v1.'):]
    if name in NOT_YET.get(namespace, '').split():
        return f'{shown}.{name} is not in Footlight yet'
    if shown in ('tf', 'tf.math', 'tf.nn', 'tf.linalg') and name in NUMPY:
        return f'{shown} has no attribute {name!r}; write {NUMPY[name]}'
    return None
