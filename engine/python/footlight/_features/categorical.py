"""Columns of ids: numbers of classes, hashes and places in a vocabulary, and these with weights."""
import collections
import math

import footlight as tf
from footlight import _lookup
from footlight._features import base as _base, sparse_features as _sparse_features


class _Keyed(_base.CategoricalColumn):
    """A column of ids that reads one feature, by its key."""

    name = property(lambda self: self.key)
    parents = property(lambda self: [self.key])

    @property
    def parse_example_spec(self):
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager):
        sparse = _sparse_features.to_sparse(transformation_cache.get(self.key, state_manager))
        return self._ids(sparse, state_manager)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return _base.CategoricalColumn.IdWeightPair(transformation_cache.get(self, state_manager), None)

    def get_config(self):
        config = dict(zip(self._fields, self))
        return {**config, 'dtype': self.dtype.name} if 'dtype' in config else config

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        config = dict(config)
        if 'dtype' in config:
            config['dtype'] = tf.as_dtype(config['dtype'])
        if isinstance(config.get('vocabulary_list'), list):
            config['vocabulary_list'] = tuple(config['vocabulary_list'])
        return cls(**config)


@_base.known
class IdentityCategoricalColumn(_Keyed, collections.namedtuple('IdentityCategoricalColumn', 'key number_buckets default_value')):
    """A feature whose values are ids."""

    num_buckets = property(lambda self: self.number_buckets)

    @property
    def parse_example_spec(self):
        return {self.key: tf.io.VarLenFeature(tf.int64)}

    def _ids(self, sparse, state_manager):
        if not sparse.dtype.is_integer:
            raise ValueError(f'Invalid input, not integer. key: {self.key} dtype: {sparse.dtype}')
        values = tf.cast(sparse.values, tf.int64)
        if self.default_value is not None:
            is_outside = tf.logical_or(values < 0, values >= self.num_buckets)
            values = tf.where(is_outside, tf.fill(tf.shape(values), tf.constant(self.default_value, tf.int64)), values)
        return _sparse_features.with_values(sparse, values)


@_base.known
class HashedCategoricalColumn(_Keyed, collections.namedtuple('HashedCategoricalColumn', 'key hash_bucket_size dtype')):
    """A feature of strings or integers, whose ids are hashes."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    def _ids(self, sparse, state_manager):
        values = _sparse_features.checked_ids(self.key, sparse, self.dtype).values
        values = values if self.dtype == tf.string else tf.strings.as_string(values)
        return _sparse_features.with_values(sparse, tf.strings.to_hash_bucket_fast(values, self.hash_bucket_size))


class _Vocabulary(_Keyed):
    """A column whose ids are places in a vocabulary; the table is made once for each model."""

    def _ids(self, sparse, state_manager):
        _sparse_features.checked_ids(self.key, sparse, self.dtype)
        key_dtype = tf.string if self.dtype == tf.string else tf.int64
        values = sparse.values if key_dtype == tf.string else tf.cast(sparse.values, tf.int64)
        return _sparse_features.with_values(sparse, self._table(key_dtype, state_manager).lookup(values))

    def _table(self, key_dtype, state_manager):
        keeps = state_manager is not None and hasattr(state_manager, 'has_resource')
        if keeps and state_manager.has_resource(self, self.key + '_lookup'):
            return state_manager.get_resource(self, self.key + '_lookup')
        with tf._eager_scope():  # tables are the program's, also where a graph looks up in them
            table = self._new_table(key_dtype)
        if keeps:
            state_manager.add_resource(self, self.key + '_lookup', table)
        return table

    def _table_of(self, initializer, key_dtype):
        if self.num_oov_buckets:
            return _lookup.StaticVocabularyTable(initializer, self.num_oov_buckets, lookup_key_dtype=key_dtype)
        return _lookup.StaticHashTable(initializer, self.default_value)


@_base.known
class VocabularyListCategoricalColumn(_Vocabulary, collections.namedtuple(
        'VocabularyListCategoricalColumn', 'key vocabulary_list dtype default_value num_oov_buckets')):
    """A feature of words that stand in a list."""

    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def _new_table(self, key_dtype):
        keys = tf.constant(list(self.vocabulary_list), key_dtype)
        places = tf.range(len(self.vocabulary_list), dtype=tf.int64)
        return self._table_of(_lookup.KeyValueTensorInitializer(keys, places), key_dtype)


@_base.known
class VocabularyFileCategoricalColumn(_Vocabulary, collections.namedtuple(
        'VocabularyFileCategoricalColumn',
        'key vocabulary_file vocabulary_size num_oov_buckets dtype default_value file_format', defaults=(None,))):
    """A feature of words that stand in a file, one a line."""

    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def _new_table(self, key_dtype):
        if self.file_format == 'tfrecord_gzip':
            words = tf.data.TFRecordDataset(self.vocabulary_file, 'GZIP')
            return tf.data.experimental.index_table_from_dataset(
                words, self.num_oov_buckets, self.vocabulary_size, self.default_value, key_dtype=key_dtype)
        if self.file_format is not None:
            raise ValueError(f"file_format must be None, for lines of text, or 'tfrecord_gzip', got {self.file_format!r}")
        whole, number = _lookup.TextFileIndex.WHOLE_LINE, _lookup.TextFileIndex.LINE_NUMBER
        initializer = _lookup.TextFileInitializer(self.vocabulary_file, key_dtype, whole, tf.int64, number,
                                                  vocab_size=self.vocabulary_size)
        return self._table_of(initializer, key_dtype)


class _Around(_base.CategoricalColumn):
    """A column of ids that is made from another one."""

    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    def get_config(self):
        config = dict(zip(self._fields, self))
        config['categorical_column'] = _base.serialize_feature_column(self.categorical_column)
        return {**config, 'dtype': self.dtype.name} if 'dtype' in config else config

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        config = dict(config)
        config['categorical_column'] = _base.deserialize_feature_column(
            config['categorical_column'], custom_objects, columns_by_name)
        if 'dtype' in config:
            config['dtype'] = tf.as_dtype(config['dtype'])
        return cls(**config)


@_base.known
class WeightedCategoricalColumn(_Around, collections.namedtuple(
        'WeightedCategoricalColumn', 'categorical_column weight_feature_key dtype')):
    """Ids of one feature with weights, which are another."""

    name = property(lambda self: f'{self.categorical_column.name}_weighted_by_{self.weight_feature_key}')
    parents = property(lambda self: [self.categorical_column, self.weight_feature_key])

    @property
    def parse_example_spec(self):
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(f'Parse config {spec[self.weight_feature_key]} already exists for {self.weight_feature_key}.')
        return {**spec, self.weight_feature_key: tf.io.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager):
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f'Bad dtype, expected: {self.dtype}, but got: {weights.dtype}')
        weights = _sparse_features.to_sparse(weights, 0)  # a weight of 0 counts as missing
        if not weights.dtype.is_floating:
            weights = _sparse_features.with_values(weights, tf.cast(weights.values, tf.float32))
        return transformation_cache.get(self.categorical_column, state_manager), weights

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return _base.CategoricalColumn.IdWeightPair(*transformation_cache.get(self, state_manager))


@_base.known
class SequenceCategoricalColumn(_Around, collections.namedtuple('SequenceCategoricalColumn', 'categorical_column')):
    """Ids that are the steps of a sequence, of which each has one."""

    name = property(lambda self: self.categorical_column.name)
    parents = property(lambda self: [self.categorical_column])
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def transform_feature(self, transformation_cache, state_manager):
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        # Adds a third dimension, so that the ids of one step are not combined with those of another.
        steps = tf.stack([ids.dense_shape[0], ids.dense_shape[1], tf.reduce_prod(ids.dense_shape[2:])])
        known = ids.shape.as_list() if ids.shape.rank is not None else [None, None, None]
        if all(size is not None for size in known[2:]):
            known = known[:2] + [math.prod(known[2:])]
            steps = [-1 if size is None else size for size in known] if known.count(None) < 2 else steps
        reshaped = (None if part is None else tf.sparse.reshape(part, steps) for part in (ids, weights))
        return _base.CategoricalColumn.IdWeightPair(*reshaped)
