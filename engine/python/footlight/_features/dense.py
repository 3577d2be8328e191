"""Columns whose tensors are dense: numbers, counts of ids, embeddings."""
from __future__ import annotations

import collections
import contextlib

import footlight as tf
from footlight._features import (
    base as _base, categorical as _categorical, settings as _settings, sparse_features as _sparse_features)
from footlight._typing import Any

_Pair = _base.SequenceDenseColumn.TensorSequenceLengthPair


@_base.known
class NumericColumn(_base.DenseColumn, collections.namedtuple(
        'NumericColumn', 'key shape default_value dtype normalizer_fn')):
    """A feature of numbers."""

    name = property(lambda self: self.key)
    parents = property(lambda self: [self.key])
    parse_example_spec = property(lambda self: {self.key: tf.io.FixedLenFeature(self.shape, self.dtype, self.default_value)})
    variable_shape = property(lambda self: tf.TensorShape(self.shape))

    def transform_feature(self, transformation_cache, state_manager):
        numbers = transformation_cache.get(self.key, state_manager)
        if isinstance(numbers, tf.SparseTensor):
            raise ValueError('The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. '
                             f'key: {self.key}')
        return tf.cast(numbers if self.normalizer_fn is None else self.normalizer_fn(numbers), tf.float32)

    def get_dense_tensor(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)

    def get_config(self) -> dict[Any, Any]:
        return {**dict(zip(self._fields, self)), 'dtype': self.dtype.name,
                'normalizer_fn': _settings.written(self.normalizer_fn)}

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        config = {**config, 'shape': tuple(config['shape']), 'dtype': tf.as_dtype(config['dtype'])}
        if isinstance(config.get('default_value'), list):
            config['default_value'] = _as_tuples(config['default_value'])
        config['normalizer_fn'] = _settings.read(config['normalizer_fn'], custom_objects, 'normalizer_fn')
        return cls(**config)


def _as_tuples(values):
    return tuple(map(_as_tuples, values)) if isinstance(values, (list, tuple)) else values


@_base.known
class SequenceNumericColumn(_base.SequenceDenseColumn, collections.namedtuple(
        'SequenceNumericColumn', 'key shape default_value dtype normalizer_fn')):
    """A feature of numbers in sequences of any length: a sparse tensor, of which `default_value` fills the rest."""

    name, parents = property(lambda self: self.key), property(lambda self: [self.key])
    parse_example_spec = property(lambda self: {self.key: tf.io.VarLenFeature(self.dtype)})
    variable_shape = property(lambda self: tf.TensorShape(self.shape))

    def transform_feature(self, transformation_cache, state_manager):
        numbers = transformation_cache.get(self.key, state_manager)
        return numbers if self.normalizer_fn is None else self.normalizer_fn(numbers)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        sparse = transformation_cache.get(self, state_manager)
        if not isinstance(sparse, tf.SparseTensor):
            raise TypeError(f'sequence_input must be a SparseTensor, as VarLenFeature gives. key: {self.key}, given: {sparse}')
        dense = tf.sparse.to_dense(sparse, default_value=self.default_value)
        steps = tf.concat([tf.shape(dense)[:1], [-1], list(self.shape)], 0)
        known = sparse.shape.as_list() if sparse.shape.rank is not None else [None, None]
        dense = tf.reshape(dense, steps)
        elements = self.variable_shape.num_elements()
        if len(known) == 2 and known[1] is not None:
            dense.set_shape([known[0], known[1] // elements, *self.shape])
        return _Pair(dense, _sparse_features.sequence_lengths(sparse, elements if len(known) == 2 else 1))

    get_config = NumericColumn.get_config
    from_config = vars(NumericColumn)['from_config']


class _OfIds(_base.DenseColumn, _base.SequenceDenseColumn):
    """A dense column that is made from one of ids, of sequences or not."""

    _made_by = ''
    parents = property(lambda self: [self.categorical_column])
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def get_dense_tensor(self, transformation_cache, state_manager):
        if isinstance(self.categorical_column, _categorical.SequenceCategoricalColumn):
            raise ValueError(
                f'In {self._made_by}: {self.name}. categorical_column must not be of type SequenceCategoricalColumn. With '
                'DenseFeatures, use a categorical_column_with_* that is not of sequences; for sequences, use SequenceFeatures. '
                f'Given (type {type(self.categorical_column)}): {self.categorical_column}')
        return self._dense(transformation_cache, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        if not isinstance(self.categorical_column, _categorical.SequenceCategoricalColumn):
            raise ValueError(
                f'In {self._made_by}: {self.name}. categorical_column must be of type SequenceCategoricalColumn to use '
                'SequenceFeatures. Use one of sequence_categorical_column_with_*. '
                f'Given (type {type(self.categorical_column)}): {self.categorical_column}')
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return _Pair(self._dense(transformation_cache, state_manager), _sparse_features.sequence_lengths(ids))


@_base.known
class IndicatorColumn(_OfIds, collections.namedtuple('IndicatorColumn', 'categorical_column')):
    """How often each id stands in an example, or the sum of its weights."""

    _made_by = 'indicator_column'
    name = property(lambda self: f'{self.categorical_column.name}_indicator')

    @property
    def variable_shape(self) -> Any:
        buckets = self.categorical_column.num_buckets
        is_sequence = isinstance(self.categorical_column, _categorical.SequenceCategoricalColumn)
        return tf.TensorShape([buckets] if is_sequence else [1, buckets])

    def transform_feature(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        buckets = self.categorical_column.num_buckets
        if weights is None:
            return tf.reduce_sum(tf.one_hot(tf.sparse.to_dense(ids, default_value=-1), buckets, 1., 0.), axis=-2)
        is_id = tf.logical_and(ids.values >= 0, ids.values < buckets)
        places = tf.concat([ids.indices[:, :-1], ids.values[:, None]], 1)
        shape = tf.concat([ids.dense_shape[:-1], tf.constant([buckets], tf.int64)], 0)
        summed = tf.scatter_nd(tf.boolean_mask(places, is_id), tf.boolean_mask(weights.values, is_id), shape)
        if ids.shape.rank is not None:
            summed.set_shape([None] * (ids.shape.rank - 1) + [buckets])
        return summed

    def _dense(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)

    def get_config(self) -> dict[Any, Any]:
        return {'categorical_column': _base.serialize_feature_column(self.categorical_column)}

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        return cls(_base.deserialize_feature_column(config['categorical_column'], custom_objects, columns_by_name))


class _Embedded(_OfIds):
    """Rows of a variable, one for each id, combined for each example."""

    variable_shape = property(lambda self: tf.TensorShape([self.dimension]))

    def transform_feature(self, transformation_cache, state_manager):
        return self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)

    def _dense(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        is_safe = self.use_safe_embedding_lookup
        look_up = tf.nn.safe_embedding_lookup_sparse if is_safe else tf.nn.embedding_lookup_sparse
        return look_up(self._weights(state_manager), ids, weights, combiner=self.combiner, max_norm=self.max_norm)


def restored_embedding(made, checkpoint, name):
    """Lets a variable begin with what a checkpoint has under that name."""
    if checkpoint is not None:
        tf.compat.v1.train.init_from_checkpoint(checkpoint, {name: made})
    return made


@_base.known
class EmbeddingColumn(_Embedded, collections.namedtuple(
        'EmbeddingColumn', 'categorical_column dimension combiner initializer ckpt_to_load_from tensor_name_in_ckpt max_norm '
        'trainable use_safe_embedding_lookup', defaults=(True,))):
    """The mean, or another sum, of the rows that the ids of an example have in a variable."""

    _made_by = 'embedding_column'
    name = property(lambda self: f'{self.categorical_column.name}_embedding')

    def create_state(self, state_manager: Any) -> None:
        """Makes the variable, which is called embedding_weights."""
        made = state_manager.create_variable(
            self, name='embedding_weights', shape=(self.categorical_column.num_buckets, self.dimension), dtype=tf.float32,
            trainable=self.trainable, use_resource=True, initializer=self.initializer)
        restored_embedding(made, self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def _weights(self, state_manager):
        return state_manager.get_variable(self, 'embedding_weights')

    def get_config(self) -> Any:
        config = dict(zip(self._fields, self))
        config['categorical_column'] = _base.serialize_feature_column(self.categorical_column)
        config['initializer'] = _settings.written(self.initializer)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        config = {'use_safe_embedding_lookup': True, **config}
        config['categorical_column'] = _base.deserialize_feature_column(
            config['categorical_column'], custom_objects, columns_by_name)
        config['initializer'] = _settings.read(config['initializer'], custom_objects, 'initializer')
        return cls(**config)


class SharedEmbeddingColumnCreator(tf.Module):
    """Makes the columns that share an embedding, and its variable in each graph."""

    def __init__(self, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, num_buckets, trainable, name,
                 use_safe_embedding_lookup=True):
        super().__init__(None)
        self._dimension, self._initializer, self._trainable, self._shared_name = dimension, initializer, trainable, name
        self._checkpoint = ckpt_to_load_from, tensor_name_in_ckpt
        self._num_buckets, self._is_safe, self._made = num_buckets, use_safe_embedding_lookup, {}

    def __call__(self, categorical_column, combiner, max_norm):
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm, self._is_safe)

    dimension = property(lambda self: self._dimension)

    @property
    def embedding_weights(self) -> Any:
        """The variable of the graph that is built now."""
        graph = tf.compat.v1.get_default_graph()
        while getattr(graph, 'outer_graph', None) is not None:
            graph = graph.outer_graph
        key = graph._graph_key
        if key not in self._made:
            with tf.init_scope() if tf.inside_function() else contextlib.nullcontext():
                made = tf.compat.v1.get_variable(self._shared_name, shape=(self._num_buckets, self._dimension), dtype=tf.float32,
                                                 initializer=self._initializer, trainable=self._trainable)
            self._made[key] = restored_embedding(made, *self._checkpoint)
        return self._made[key]


class SharedEmbeddingColumn(_Embedded, collections.namedtuple(
        'SharedEmbeddingColumn', 'categorical_column shared_embedding_column_creator combiner max_norm use_safe_embedding_lookup',
        defaults=(True,))):
    """The same with a variable that several columns have."""

    _made_by = 'embedding_column'
    name = property(lambda self: f'{self.categorical_column.name}_shared_embedding')
    dimension = property(lambda self: self.shared_embedding_column_creator.dimension)

    def create_state(self, state_manager: Any) -> None:
        """Makes nothing: the variable is made when it is first used."""

    def _weights(self, state_manager):
        return self.shared_embedding_column_creator.embedding_weights
