"""Buckets of numbers and combinations of several features, as ids."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._features import base as _base, categorical as _categorical
from footlight._typing import Any, Iterator


@_base.known
class BucketizedColumn(_base.DenseColumn, _base.CategoricalColumn,
                       collections.namedtuple('BucketizedColumn', 'source_column boundaries')):
    """Which of the intervals between `boundaries` each number of a column lies in."""

    name = property(lambda self: f'{self.source_column.name}_bucketized')
    parents = property(lambda self: [self.source_column])
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])
    variable_shape = property(lambda self: tf.TensorShape(tuple(self.source_column.shape) + (len(self.boundaries) + 1,)))

    def transform_feature(self, transformation_cache, state_manager):
        numbers = transformation_cache.get(self.source_column, state_manager)
        return tf.raw_ops.Bucketize(input=numbers, boundaries=list(self.boundaries))

    def get_dense_tensor(self, transformation_cache, state_manager):
        buckets = transformation_cache.get(self, state_manager)
        return tf.one_hot(tf.cast(buckets, tf.int64), len(self.boundaries) + 1, 1., 0.)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        buckets = transformation_cache.get(self, state_manager)
        examples, numbers = tf.shape(buckets)[0], self.source_column.shape[0]
        example = tf.repeat(tf.range(examples), numbers)
        number = tf.tile(tf.range(numbers), [examples])
        ids = tf.reshape(buckets, [-1]) + (len(self.boundaries) + 1) * number  # each number has buckets of its own
        shape = tf.cast(tf.stack([examples, numbers]), tf.int64)
        places = tf.cast(tf.stack([example, number], 1), tf.int64)
        return _base.CategoricalColumn.IdWeightPair(tf.SparseTensor(places, ids, shape), None)

    def get_config(self) -> dict[Any, Any]:
        return {'source_column': _base.serialize_feature_column(self.source_column), 'boundaries': self.boundaries}

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        source = _base.deserialize_feature_column(config['source_column'], custom_objects, columns_by_name)
        return cls(source, tuple(config['boundaries']))


def _leaves(column: Any) -> Iterator[Any]:
    """The keys and columns that are crossed, with those of crossed columns in their place."""
    for key in column.keys:
        yield from _leaves(key) if isinstance(key, CrossedColumn) else (key,)


@_base.known
class CrossedColumn(_base.CategoricalColumn, collections.namedtuple('CrossedColumn', 'keys hash_bucket_size hash_key')):
    """Hashes of the combinations of values that several features have in an example."""

    num_buckets = property(lambda self: self.hash_bucket_size)
    parents = property(lambda self: list(self.keys))

    @property
    def name(self):
        return '_X_'.join(sorted(key if isinstance(key, str) else key.name for key in _leaves(self)))

    @property
    def parse_example_spec(self):
        spec = {}
        for key in self.keys:
            spec.update({key: tf.io.VarLenFeature(tf.string)} if isinstance(key, str) else key.parse_example_spec)
        return spec

    def transform_feature(self, transformation_cache, state_manager):
        features = []
        for key in _leaves(self):
            if isinstance(key, str):
                features.append(transformation_cache.get(key, state_manager))
                continue
            ids, weights = key.get_sparse_tensors(transformation_cache, state_manager)
            if weights is not None:
                raise ValueError('crossed_column does not support weight_tensor, but the given column populates weight_tensor. '
                                 f'Given column: {key.name}')
            features.append(ids)
        # Sparse tensors come first, as they do in TensorFlow's op: ids are hashes of the values in this order.
        features.sort(key=lambda feature: not isinstance(feature, tf.SparseTensor))
        return tf.sparse.cross_hashed(features, self.hash_bucket_size, self.hash_key)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return _base.CategoricalColumn.IdWeightPair(transformation_cache.get(self, state_manager), None)

    def get_config(self) -> dict[Any, Any]:
        keys = tuple(_base.serialize_feature_column(key) for key in self.keys)
        return {'keys': keys, 'hash_bucket_size': self.hash_bucket_size, 'hash_key': self.hash_key}

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        keys = tuple(_base.deserialize_feature_column(key, custom_objects, columns_by_name) for key in config['keys'])
        return cls(keys, config['hash_bucket_size'], config['hash_key'])


def checked_crossing_key(key):
    """A key that can be crossed: text, or a column of ids that are no hashes yet."""
    if not isinstance(key, (str, _base.CategoricalColumn)) or isinstance(key, _categorical.SequenceCategoricalColumn):
        raise ValueError('Unsupported key type. All keys must be either string, or categorical column except '
                         f'HashedCategoricalColumn. Given: {key}')
    if isinstance(key, _categorical.HashedCategoricalColumn):
        raise ValueError('categorical_column_with_hash_bucket is not supported for crossing: two hashes in a row collide more '
                         f'often. Give the name of the feature as a string. Given: {key}')
    return key
