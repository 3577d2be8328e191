"""tf.compat.v1.feature_column: input_layer and linear_model, which make variables in scopes, and what has an older form."""
from __future__ import annotations

import collections
import re

import footlight as tf
from footlight import _engine
from footlight._features import base as _base, dense as _dense, columns as _columns
from footlight._public import publish
from footlight._typing import Any, DTypeLike, ShapeLike

_v1 = tf.compat.v1


class _Scopes:
    """Makes the variables of columns by get_variable() in the scope that is entered."""

    def __init__(self, trainable, collections_):
        self._trainable, self._collections = trainable, collections_
        self._variables, self._resources = collections.defaultdict(dict), {}

    def create_variable(self, column: Any, name: Any, shape: Any, dtype: Any = None, trainable: bool = True,
                        use_resource: bool = True, initializer: Any = None) -> Any:
        """A new variable, or the one of that name where the scope is entered again."""
        made = make_variable(name, shape, dtype, initializer, self._trainable and trainable, self._collections)
        self._variables[column][name] = made
        return made

    def get_variable(self, column, name):
        """The variable of a column."""
        return self._variables[column][name]

    def has_resource(self, column: Any, name: str) -> bool:
        """Whether a table was made."""
        return (column, name) in self._resources

    def add_resource(self, column: Any, name: str, resource: Any) -> None:
        """Keeps a table."""
        self._resources[column, name] = resource

    def get_resource(self, column, name):
        """A table that was made."""
        return self._resources[column, name]

    def variables_of(self, column):
        """The variables of a column."""
        return list(self._variables[column].values())


def make_variable(name: Any, shape: ShapeLike, dtype: DTypeLike, initializer: Any, trainable: Any,
                  collections_: Any) -> Any:
    """A variable of the scope, which is also one of the model's."""
    kept = None
    if not tf.executing_eagerly():
        kept = list(dict.fromkeys([*(collections_ or ()), _v1.GraphKeys.GLOBAL_VARIABLES, _v1.GraphKeys.MODEL_VARIABLES]))
    return _v1.get_variable(name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable, collections=kept)


class _SharedEmbedding(_dense._Embedded, collections.namedtuple(
        '_SharedEmbeddingColumn', 'categorical_column dimension combiner initializer shared_embedding_collection_name '
        'ckpt_to_load_from tensor_name_in_ckpt max_norm trainable use_safe_embedding_lookup')):
    """An embedding that the columns of one call of shared_embedding_columns() have in a graph."""

    _made_by = 'embedding_column'
    name = property(lambda self: f'{self.categorical_column.name}_shared_embedding')
    _scope_name = property(lambda self: self.shared_embedding_collection_name)

    def create_state(self, state_manager: Any) -> None:
        shape = (self.categorical_column.num_buckets, self.dimension)
        shared = _v1.get_collection(self.shared_embedding_collection_name)
        if shared:
            if tuple(shared[0].shape) != shape:
                raise ValueError(f'Shared embedding collection {self.shared_embedding_collection_name} contains a variable of '
                                 f'shape {shared[0].shape}, expected {shape}. Give another shared_embedding_collection_name.')
            state_manager._variables[self]['shared'] = shared[0]
            return
        made = state_manager.create_variable(self, 'embedding_weights', shape, tf.float32, self.trainable,
                                             initializer=self.initializer)
        _v1.add_to_collection(self.shared_embedding_collection_name, made)
        _dense.restored_embedding(made, self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def _weights(self, state_manager):
        kept = state_manager._variables[self]
        return kept['shared'] if 'shared' in kept else kept['embedding_weights']


def shared_embedding_columns(categorical_columns: Any, dimension: Any, combiner: str = 'mean', initializer: Any = None,
                             shared_embedding_collection_name: Any = None, ckpt_to_load_from: Any = None,
                             tensor_name_in_ckpt: Any = None, max_norm: Any = None, trainable: bool = True,
                             use_safe_embedding_lookup: bool = True) -> list[Any]:
    """A list of embedding columns that have one variable."""
    _, initializer, name = _columns.shared_parts(
        categorical_columns, dimension, initializer, shared_embedding_collection_name, ckpt_to_load_from, tensor_name_in_ckpt)
    return [_SharedEmbedding(column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
                             trainable, use_safe_embedding_lookup) for column in categorical_columns]


def categorical_column_with_vocabulary_file(key: Any, vocabulary_file: Any, vocabulary_size: Any = None,
                                            num_oov_buckets: Any = 0, default_value: Any = None,
                                            dtype: DTypeLike = tf.string) -> Any:
    """tf.feature_column.categorical_column_with_vocabulary_file with its arguments in another order."""
    return _columns.categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size, dtype, default_value,
                                                           num_oov_buckets)


def _in_order(feature_columns, kinds, words):
    """Checked columns in the order of their names."""
    columns = [feature_columns] if isinstance(feature_columns, _base.FeatureColumn) else feature_columns
    if isinstance(columns, dict):
        raise ValueError('Expected feature_columns to be iterable, found dict.')
    columns = list(columns)
    for column in columns:
        if not isinstance(column, _base.FeatureColumn):
            raise ValueError(f'Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}.')
    if not columns:
        raise ValueError('feature_columns must not be empty.')
    by_name = {}
    for column in columns:
        if column.name in by_name:
            raise ValueError(f'Duplicate feature column name found for columns: {column} and {by_name[column.name]}. Drop one, '
                             'or give the features different keys.')
        by_name[column.name] = column
    for column in columns:
        if not isinstance(column, kinds):
            raise ValueError(f'Items of feature_columns must be {words}. Given: {column}')
    return sorted(columns, key=lambda column: column.name)


def _scope_of(column):
    return _v1.variable_scope(None, default_name=re.sub(r'[^A-Za-z0-9_.\-]', '_', getattr(column, '_scope_name', column.name)))


def _checked_batches(tensors: Any, columns: Any) -> None:
    known = [(tensor.shape[0], column) for tensor, column in zip(tensors, columns)
             if tensor.shape.rank and tensor.shape[0] is not None]
    for size, column in known:
        if size != known[0][0]:
            raise ValueError('Batch size (first dimension) of each feature must be same. Batch size of columns '
                             f'({known[0][1].name}, {column.name}): ({known[0][0]}, {size})')


def input_layer(features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True,
                cols_to_vars: Any = None, cols_to_output_tensors: Any = None) -> Any:
    """The values of dense columns side by side, in the order of their names: [batch size, all their elements]."""
    columns = _in_order(feature_columns, _base.DenseColumn,
                        'a _DenseColumn; wrap a categorical column with an embedding_column or indicator_column')
    with _v1.variable_scope(None, default_name='input_layer', values=list(features.values())):
        manager, cache, tensors = _Scopes(trainable, weight_collections), _base.FeatureTransformationCache(features), []
        for column in columns:
            with _scope_of(column):
                column.create_state(manager)
                values = column.get_dense_tensor(cache, manager)
                elements = column.variable_shape.num_elements()
                tensors.append(tf.reshape(values, [tf.shape(values)[0], elements]))
            if cols_to_vars is not None:
                cols_to_vars[column] = [made for name, made in manager._variables[column].items() if name != 'shared']
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = tensors[-1]
        _checked_batches(tensors, columns)
        return tf.concat(tensors, 1)


def _weighted_sum(column, cache, manager, units, combiner):
    """The contribution of one column to a linear model: its weights by id, or times its numbers."""
    if isinstance(column, _base.CategoricalColumn):
        ids, weights = column.get_sparse_tensors(cache, manager)
        rows = tf.stack([ids.dense_shape[0], -1])
        ids = tf.sparse.reshape(ids, rows)
        weights = None if weights is None else tf.sparse.reshape(weights, rows)
        variable = manager.create_variable(column, 'weights', (column.num_buckets, units), tf.float32,
                                           initializer=_v1.zeros_initializer())
        return tf.nn.safe_embedding_lookup_sparse(variable, ids, weights, combiner=combiner)
    elements = column.variable_shape.num_elements()
    variable = manager.create_variable(column, 'weights', (elements, units), tf.float32, initializer=_v1.zeros_initializer())
    column.create_state(manager)
    values = column.get_dense_tensor(cache, manager)
    return tf.matmul(tf.reshape(values, [tf.shape(values)[0], elements]), variable)


def linear_model(features: Any, feature_columns: Any, units: Any = 1, sparse_combiner: str = 'sum',
                 weight_collections: Any = None, trainable: bool = True, cols_to_vars: Any = None) -> Any:
    """The sum of weights, which begin at zero, for dense columns and columns of ids, and a bias: [batch size, units]."""
    columns = _in_order(feature_columns, (_base.DenseColumn, _base.CategoricalColumn), 'either a _DenseColumn or _CategoricalColumn')
    with _v1.variable_scope(None, default_name='linear_model', values=list(features.values())):
        manager, cache, sums = _Scopes(trainable, weight_collections), _base.FeatureTransformationCache(features), []
        for column in columns:
            with _scope_of(column):
                sums.append(_weighted_sum(column, cache, manager, units, sparse_combiner))
            if cols_to_vars is not None:
                cols_to_vars[column] = manager.variables_of(column)
        _checked_batches(sums, columns)
        bias = make_variable('bias_weights', [units], tf.float32, _v1.zeros_initializer(), trainable, weight_collections)
        if cols_to_vars is not None:
            cols_to_vars['bias'] = [bias]
        return tf.nn.bias_add(tf.add_n(sums), bias, name='weighted_sum')


_namespace = _engine.namespace('compat.v1.feature_column')
for _name, _thing in vars(_engine.namespace('feature_column')).items():
    if not _name.startswith('_') and _name != 'shared_embeddings':
        setattr(_namespace, _name, _thing)
publish('tf.compat.v1.feature_column', input_layer, linear_model, shared_embedding_columns,
        categorical_column_with_vocabulary_file)
