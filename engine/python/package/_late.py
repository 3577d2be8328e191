"""Names whose modules are loaded when they are first used: what `import footlight` has no time for."""
import importlib
import sys

# The module of this package that adds the names, by namespace.
_BY_NAMESPACE = {
    'footlight': {
        '_composites': 'RaggedTensor RaggedTensorSpec ragged',
        '_distribute': 'distribute',
        '_lookup': 'lookup',
        '_old_variables': 'AUTO_REUSE get_variable get_variable_scope variable_scope',
        '_sets': 'sets',
        '_places': 'compiler python sysconfig',
        '_profiler': 'profiler',
    },
    'footlight.__internal__': {
        '_internal': 'CompositeTensor EagerTensor FuncGraph distribute eager_context smart_cond tf2',
    },
    'footlight.audio': {'_files': 'decode_wav'},
    'footlight.compat': {'_text_values': 'as_bytes as_str as_str_any as_text path_to_str'},
    'footlight.compat.v1': {
        '_examples': 'FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example parse_single_example '
                     'parse_single_sequence_example',
        '_files': 'decode_base64 decode_compressed decode_csv decode_raw encode_base64 matching_files parse_tensor read_file '
                  'serialize_tensor write_file',
        '_old_variables': 'AUTO_REUSE VariableScope get_variable get_variable_scope variable_scope',
        '_text': 'string_split',
    },
    'footlight.compat.v1.strings': {'_text': 'split'},
    'footlight.io': {
        '_examples': 'FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature parse_example '
                     'parse_sequence_example parse_single_example parse_single_sequence_example',
        '_files': 'decode_base64 decode_compressed decode_csv decode_raw encode_base64 gfile matching_files parse_tensor '
                  'read_file serialize_tensor write_file',
    },
    'footlight.io.gfile': {
        '_files': 'GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree stat walk',
    },
    'footlight.strings': {
        '_text': 'bytes_split ngrams split unicode_decode unicode_decode_with_offsets unicode_encode unicode_split '
                 'unicode_split_with_offsets unicode_transcode unsorted_segment_join',
    },
    'footlight.train': {
        '_clusters': 'ClusterDef ClusterSpec JobDef ServerDef Coordinator',
        '_messages': 'BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample',
        '_averages': 'CheckpointView ExponentialMovingAverage',
    },
    'footlight.lookup': {
        '_lookup': 'KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer experimental',
    },
    'footlight.lookup.experimental': {'_lookup': 'DenseHashTable MutableHashTable'},
    'footlight.nn': {'_losses': 'compute_average_loss scale_regularization_loss'},
    'footlight.profiler': {'_profiler': 'experimental'},
    'footlight.profiler.experimental': {'_profiler': 'Profile ProfilerOptions Trace start stop'},
    'footlight.ragged': {
        '_composites': 'row_splits_to_segment_ids segment_ids_to_row_splits stack_dynamic_partitions',
        '_crosses': 'cross cross_hashed',
    },
    'footlight.raw_ops': {'_places': 'Bucketize'},
    'footlight.sets': {'_sets': 'difference intersection size union'},
    'footlight.sparse': {
        '_sparse_functions': 'add bincount concat expand_dims eye fill_empty_rows map_values mask maximum minimum reduce_max '
                             'reduce_sum reorder reshape retain slice softmax sparse_dense_matmul transpose',
        '_crosses': 'cross cross_hashed',
        '_sparse_more': 'reset_shape segment_mean segment_sqrt_n segment_sum split to_indicator',
    },
    'footlight.experimental': {
        '_composites': 'RowPartition',
        '_distribute': 'dtensor',
        '_places': 'numpy',
    },
}
_LATE = {(namespace, name): module for namespace, modules in _BY_NAMESPACE.items()
         for module, names in modules.items() for name in names.split()}


def find(namespace, name):
    """The object of that name, or None where it is none of these."""
    if namespace == 'footlight' and name == 'keras':
        from footlight import _keras
        found = sys.modules['footlight'].keras = sys.modules['footlight.keras'] = _keras.load()
        return found
    module = _LATE.get((namespace, name))
    if module is None and namespace.startswith('footlight.python') and not name.startswith('__'):
        module = '_places'
    if module is None:
        return None
    importlib.import_module('footlight.' + module)
    sys.modules['footlight']._describe()
    sys.modules['footlight']._explain_missing_names()
    return vars(sys.modules[namespace]).get(name)


def names(namespace):
    """The names that a namespace has besides those that are loaded, for dir()."""
    return [name for where, name in _LATE if where == namespace] + ['keras'] * (namespace == 'footlight')
