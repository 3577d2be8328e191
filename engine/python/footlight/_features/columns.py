"""tf.feature_column: the functions that make columns, and that say what tf.io.parse_example reads for them."""
from __future__ import annotations

import math

import numpy as np

import footlight as tf
from footlight import _engine
from footlight._features import (
    base as _base, categorical as _categorical, crossed as _crossed, dense as _dense, settings as _settings)
from footlight._public import publish
from footlight._typing import Any, DTypeLike, ShapeLike


def _initializer(initializer, dimension, column_name):
    if initializer is not None and not callable(initializer):
        raise ValueError(f'initializer must be callable if specified. Embedding of column_name: {column_name}')
    return initializer or tf.compat.v1.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))


def _checked_dimension(dimension: Any, checkpoint: Any, name: str) -> None:
    if dimension is None or dimension < 1:
        raise ValueError(f'Invalid dimension {dimension}.')
    if (checkpoint is None) != (name is None):
        raise ValueError('Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.')


def _checked_ids(dtype: Any, column_name: Any, what: str = '') -> None:
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError(f'column_name: {column_name} {what}dtype must be string or integer. dtype: {dtype}.')


def _checked_numbers(key: Any, shape: ShapeLike, dtype: DTypeLike, normalizer_fn: Any) -> tuple[Any, ...]:
    shape, dtype = _settings.checked_shape(shape, key), tf.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f'dtype must be convertible to float. dtype: {dtype}, key: {key}')
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f'normalizer_fn must be a callable. Given: {normalizer_fn}')
    return shape, dtype


def _default_numbers(default, shape, dtype, key):
    """The default of a column of numbers as nested tuples of its shape; a number stands for all of them."""
    if default is None:
        return None
    wrong = TypeError(f'default_value must be compatible with dtype. default_value: {default}, dtype: {dtype}, key: {key}')
    values = np.asarray(default)
    if values.dtype.kind not in 'iuf' or (dtype.is_integer and values.dtype.kind == 'f'):
        raise wrong
    if values.ndim and values.shape != shape:
        raise ValueError('The shape of default_value must be equal to given shape. '
                         f'default_value: {default}, shape: {shape}, key: {key}')

    def nested(part):
        return tuple(map(nested, part)) if isinstance(part, list) else part
    return nested(np.broadcast_to(values, shape).tolist())


def numeric_column(key: Any, shape: ShapeLike = (1,), default_value: Any = None, dtype: DTypeLike = tf.float32,
                   normalizer_fn: Any = None) -> Any:
    """A feature of numbers, which `normalizer_fn` may change."""
    shape, dtype = _checked_numbers(key, shape, dtype, normalizer_fn)
    default_value = _default_numbers(default_value, shape, dtype, key)
    return _dense.NumericColumn(_settings.checked_key(key), shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column, boundaries):
    """The intervals that the numbers of a numeric column lie in; each begins at one of the boundaries."""
    if not isinstance(source_column, _dense.NumericColumn):
        raise ValueError(f'source_column must be a column generated with numeric_column(). Given: {source_column}')
    if len(source_column.shape) > 1:
        raise ValueError(f'source_column must be one-dimensional column. Given: {source_column}')
    if isinstance(boundaries, (list, tuple)) and not boundaries:
        raise ValueError('boundaries must not be empty.')
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError('boundaries must be a sorted list.')
    return _crossed.BucketizedColumn(source_column, tuple(boundaries))


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """A feature of ids below `num_buckets`; others become `default_value`, where one is given."""
    if num_buckets < 1:
        raise ValueError(f'num_buckets {num_buckets} < 1, column_name {key}')
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f'default_value {default_value} not in range [0, {num_buckets}), column_name {key}')
    return _categorical.IdentityCategoricalColumn(_settings.checked_key(key), num_buckets, default_value)


def categorical_column_with_hash_bucket(key: Any, hash_bucket_size: Any, dtype: DTypeLike = tf.string) -> Any:
    """A feature of strings or integers whose ids are their hashes."""
    if hash_bucket_size is None:
        raise ValueError(f'hash_bucket_size must be set. key: {key}')
    if hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}')
    dtype = tf.as_dtype(dtype)
    _checked_ids(dtype, _settings.checked_key(key))
    return _categorical.HashedCategoricalColumn(key, hash_bucket_size, dtype)


def _checked_outside(key, num_oov_buckets, has_default):
    """How many further ids there are for values outside of a vocabulary; None is none."""
    if num_oov_buckets and has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets is not None and num_oov_buckets < 0:
        raise ValueError(f'Invalid num_oov_buckets {num_oov_buckets} in {key}.')
    return num_oov_buckets or 0


def categorical_column_with_vocabulary_list(key: Any, vocabulary_list: Any, dtype: DTypeLike | None = None,
                                            default_value: Any = -1, num_oov_buckets: Any = 0) -> Any:
    """A feature whose ids are places in a list; others have `default_value`, or one of `num_oov_buckets` further ids."""
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f'vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}')
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f'Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}')
    num_oov_buckets = _checked_outside(key, num_oov_buckets, default_value != -1)
    theirs = tf.as_dtype(np.array(vocabulary_list).dtype) if np.array(vocabulary_list).dtype.kind not in 'USO' else tf.string
    _checked_ids(theirs, key, 'vocabulary ')
    dtype = theirs if dtype is None else tf.as_dtype(dtype)
    if dtype.is_integer != theirs.is_integer or (dtype == tf.string) != (theirs == tf.string):
        raise ValueError(f'dtype {dtype} and vocabulary dtype {theirs} do not match, column_name: {key}')
    key = _settings.checked_key(key)
    return _categorical.VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(key: Any, vocabulary_file: Any, vocabulary_size: Any = None,
                                            dtype: DTypeLike = tf.string, default_value: Any = None,
                                            num_oov_buckets: Any = 0, file_format: Any = None) -> Any:
    """The same with the lines of a file; without a size all lines count."""
    if not vocabulary_file:
        raise ValueError(f'Missing vocabulary_file in {key}.')
    if vocabulary_size is None:
        if not tf.io.gfile.exists(vocabulary_file):
            raise ValueError(f'vocabulary_file in {key} does not exist.')
        if file_format == 'tfrecord_gzip':
            vocabulary_size = sum(1 for _ in tf.compat.v1.io.tf_record_iterator(
                vocabulary_file, tf.io.TFRecordOptions(compression_type='GZIP')))
        else:
            with tf.io.gfile.GFile(vocabulary_file, 'rb') as lines:
                vocabulary_size = sum(1 for _ in lines)
    if vocabulary_size < 1:
        raise ValueError(f'Invalid vocabulary_size in {key}.')
    num_oov_buckets = _checked_outside(key, num_oov_buckets, default_value is not None)
    dtype = tf.as_dtype(dtype)
    _checked_ids(dtype, _settings.checked_key(key))
    return _categorical.VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, dtype,
        -1 if default_value is None else default_value, file_format)


def weighted_categorical_column(categorical_column: Any, weight_feature_key: Any, dtype: DTypeLike = tf.float32) -> Any:
    """The ids of a column with weights, which are another feature."""
    if dtype is None or not (tf.as_dtype(dtype).is_integer or tf.as_dtype(dtype).is_floating):
        raise ValueError(f'dtype {dtype} is not convertible to float.')
    return _categorical.WeightedCategoricalColumn(categorical_column, weight_feature_key, tf.as_dtype(dtype))


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Hashes of the combinations of several features: of keys, and of columns of ids."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}')
    if not keys or len(keys) < 2:
        raise ValueError(f'keys must be a list with length > 1. Given: {keys}')
    return _crossed.CrossedColumn(tuple(map(_crossed.checked_crossing_key, keys)), hash_bucket_size, hash_key)


def indicator_column(categorical_column):
    """How often each id stands in an example."""
    if not isinstance(categorical_column, _base.CategoricalColumn):
        raise ValueError(f'Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}')
    return _dense.IndicatorColumn(categorical_column)


def embedding_column(categorical_column: Any, dimension: Any, combiner: str = 'mean', initializer: Any = None,
                     ckpt_to_load_from: Any = None, tensor_name_in_ckpt: Any = None, max_norm: Any = None,
                     trainable: bool = True, use_safe_embedding_lookup: bool = True) -> Any:
    """Rows of a variable for the ids of an example, combined by 'mean', 'sqrtn' or 'sum'."""
    _checked_dimension(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    initializer = _initializer(initializer, dimension, categorical_column.name)
    return _dense.EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                  max_norm, trainable, use_safe_embedding_lookup)


def inner_ids(column):
    """The column of ids itself, without weights and without sequences."""
    while isinstance(column, (_categorical.WeightedCategoricalColumn, _categorical.SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


def checked_sharing(categorical_columns):
    """The columns that shall share an embedding by name; they must be of one kind, with as many ids."""
    columns = sorted(categorical_columns, key=lambda column: column.name)
    first = inner_ids(columns[0])
    for column in columns[1:]:
        inner = inner_ids(column)
        if type(inner) is not type(first):
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same type, or be '
                             f'weighted_categorical_column or sequence column of the same type. Given column: {columns[0]} of '
                             f'type: {type(first)} does not match given column: {column} of type: {type(inner)}')
        if inner.num_buckets != first.num_buckets:
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same number of buckets. '
                             f'Given column: {columns[0]} with buckets: {first.num_buckets} does not match column: {column} '
                             f'with buckets: {inner.num_buckets}')
    return columns


def shared_parts(categorical_columns: Any, dimension: Any, initializer: Any, name: str, checkpoint: Any,
                 name_in_checkpoint: Any) -> tuple[Any, ...]:
    """The checked columns that share an embedding, the initializer of its variable and its name."""
    if tf.executing_eagerly():
        raise RuntimeError('shared_embedding_columns are not supported when eager execution is enabled.')
    _checked_dimension(dimension, checkpoint, name_in_checkpoint)
    columns = checked_sharing(categorical_columns)
    initializer = _initializer(initializer, dimension, columns[0].name)
    return columns, initializer, name or '_'.join(column.name for column in columns) + '_shared_embedding'


def shared_embeddings(categorical_columns: Any, dimension: Any, combiner: str = 'mean', initializer: Any = None,
                      shared_embedding_collection_name: Any = None, ckpt_to_load_from: Any = None,
                      tensor_name_in_ckpt: Any = None, max_norm: Any = None, trainable: bool = True,
                      use_safe_embedding_lookup: bool = True) -> list[Any]:
    """A list of embedding columns with one variable; only in graphs of tf.compat.v1."""
    columns, initializer, name = shared_parts(categorical_columns, dimension, initializer, shared_embedding_collection_name,
                                              ckpt_to_load_from, tensor_name_in_ckpt)
    creator = _dense.SharedEmbeddingColumnCreator(
        dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, columns[0].num_buckets, trainable, name,
        use_safe_embedding_lookup)
    return [creator(column, combiner, max_norm) for column in categorical_columns]


def sequence_numeric_column(key: Any, shape: ShapeLike = (1,), default_value: Any = 0.0, dtype: DTypeLike = tf.float32,
                            normalizer_fn: Any = None) -> Any:
    """Numbers in sequences of any length."""
    shape, dtype = _checked_numbers(key, shape, dtype, normalizer_fn)
    return _dense.SequenceNumericColumn(_settings.checked_key(key), shape, default_value, dtype, normalizer_fn)


def _of_sequences(make, doc):
    def sequence(*args, **named):
        return _categorical.SequenceCategoricalColumn(make(*args, **named))
    sequence.__doc__, sequence.__wrapped__ = doc, make
    sequence.__name__ = sequence.__qualname__ = 'sequence_' + make.__name__
    return sequence


sequence_categorical_column_with_identity = _of_sequences(
    categorical_column_with_identity, 'categorical_column_with_identity() for sequences, a step an id.')
sequence_categorical_column_with_hash_bucket = _of_sequences(
    categorical_column_with_hash_bucket, 'categorical_column_with_hash_bucket() for sequences, a step an id.')
sequence_categorical_column_with_vocabulary_list = _of_sequences(
    categorical_column_with_vocabulary_list, 'categorical_column_with_vocabulary_list() for sequences, a step an id.')


def sequence_categorical_column_with_vocabulary_file(key: Any, vocabulary_file: Any, vocabulary_size: Any = None,
                                                     num_oov_buckets: Any = 0, default_value: Any = None,
                                                     dtype: DTypeLike = tf.string) -> Any:
    """categorical_column_with_vocabulary_file() for sequences, a step an id."""
    return _categorical.SequenceCategoricalColumn(categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets))


def make_parse_example_spec(feature_columns):
    """What tf.io.parse_example must read for these columns."""
    spec = {}
    for column in feature_columns:
        if not isinstance(column, _base.FeatureColumn):
            raise ValueError(f'All feature_columns must be FeatureColumn instances. Given: {column}')
        for key, value in column.parse_example_spec.items():
            if spec.setdefault(key, value) != value:
                raise ValueError(f'feature_columns contain different parse_spec for key {key}. Given {value} and {spec[key]}')
    return spec


_namespace = _engine.namespace('feature_column')
publish('tf.feature_column', numeric_column, bucketized_column, categorical_column_with_identity,
        categorical_column_with_hash_bucket, categorical_column_with_vocabulary_list,
        categorical_column_with_vocabulary_file, weighted_categorical_column, crossed_column, indicator_column,
        embedding_column, shared_embeddings, sequence_numeric_column, sequence_categorical_column_with_identity,
        sequence_categorical_column_with_hash_bucket, sequence_categorical_column_with_vocabulary_list,
        sequence_categorical_column_with_vocabulary_file, make_parse_example_spec)
