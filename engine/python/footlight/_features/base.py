"""tf.__internal__.feature_column: what columns of features and the layers that read them agree on."""
from __future__ import annotations

import abc
import collections
import importlib
import inspect

import footlight as tf
from footlight import _engine
from footlight._public import alias
from footlight._typing import Any, DTypeLike, ShapeLike


class FeatureColumn(abc.ABC):
    """How a feature of examples becomes a tensor of a model; columns are equal that are of one class with equal fields."""

    @property
    @abc.abstractmethod
    def name(self) -> None:
        """The name, a part of those of variables."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> None:
        """What tf.io.parse_example reads for it: {key: FixedLenFeature, VarLenFeature, ...}."""

    @property
    def parents(self) -> Any:
        """The columns and keys that it is made from."""
        raise NotImplementedError(f'`{type(self).__name__}` does not say its parents')

    @property
    def _is_v2_column(self) -> bool:
        return True

    # Columns are named tuples, and tuples of two classes would be equal: a column would get the other's cached tensor.
    def __eq__(self, other):
        return type(self) is type(other) and super().__eq__(other)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), super().__hash__()))

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    def create_state(self, state_manager: Any) -> None:
        """Makes the variables of the column: most have none."""

    @abc.abstractmethod
    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> None:
        """The feature as this column sees it; features and other columns come from the cache."""

    def get_config(self) -> Any:
        """What from_config() takes."""
        raise NotImplementedError(f'`{type(self).__name__}` has no get_config()')

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """A column from what get_config() gave."""
        raise NotImplementedError(f'`{cls.__name__}` has no from_config()')


class CategoricalColumn(FeatureColumn):
    """A column whose values are ids below `num_buckets`: words, hashes, numbers of classes."""

    IdWeightPair = collections.namedtuple('IdWeightPair', ('id_tensor', 'weight_tensor'))

    @property
    @abc.abstractmethod
    def num_buckets(self) -> None:
        """How many ids there are."""

    @abc.abstractmethod
    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> None:
        """An IdWeightPair: the ids of each example as a sparse tensor, and weights of the same form or None."""


class DenseColumn(FeatureColumn):
    """A column whose tensors have a known last dimension: numbers, one-hots, embeddings."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> None:
        """The shape of a value of one example."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> None:
        """The tensor [batch size, *variable_shape]."""


class SequenceDenseColumn(FeatureColumn):
    """A column whose tensors have a step for each value of a sequence, and a known last dimension."""

    TensorSequenceLengthPair = collections.namedtuple('TensorSequenceLengthPair', ('dense_tensor', 'sequence_length'))

    @abc.abstractmethod
    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> None:
        """A pair: the tensor [batch size, steps, *variable_shape] and the lengths."""


class FeatureTransformationCache:
    """Features of a batch by key, and what columns made of them, each made once."""

    def __init__(self, features):
        self._features = dict(features)
        self._made = {}

    def get(self, key, state_manager, training=None):
        """The feature of that key, or what a column makes of its own; a feature has at least two dimensions."""
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            if key not in self._features:
                raise ValueError(f'Feature {key} is not in features dictionary.')
            self._made[key] = self._with_batch(key)
            return self._made[key]
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        how = {'training': training} if 'training' in inspect.signature(key.transform_feature).parameters else {}
        made = key.transform_feature(self, state_manager, **how)
        if made is None:
            raise ValueError(f'Column {key.name} is not supported: its transform_feature() gave None.')
        self._made[key] = made
        return made

    def _with_batch(self, key):
        feature = self._features[key]
        if not isinstance(feature, tf.RaggedTensor):
            feature = tf.compat.v1.convert_to_tensor_or_sparse_tensor(feature)
        is_dense, rank = isinstance(feature, tf.Tensor), feature.shape.rank
        if rank == 0:
            raise ValueError(f'Feature (key: {key}) cannot have rank 0. Given: {feature}')
        wider = tf.expand_dims if is_dense else tf.sparse.expand_dims
        if rank == 1:
            return wider(feature, -1)
        if rank is None:
            found = tf.rank(feature) if is_dense else tf.size(feature.dense_shape)
            has_rank = tf.debugging.Assert(found > 0, [f'Feature (key: {key}) cannot have rank 0. Given: ',
                                                       feature if is_dense else feature.values])
            with tf.control_dependencies([has_rank] if has_rank is not None else []):
                return tf.cond(tf.equal(found, 1), lambda: wider(feature, -1), lambda: feature)
        return feature


class StateManager:
    """Keeps the variables and the tables that columns make; a layer makes the variables, and tracks both."""

    def __init__(self, layer=None, trainable=True):
        self._layer, self._trainable = layer, trainable
        self._cols_to_vars_map = collections.defaultdict(dict)
        self._cols_to_resources_map = collections.defaultdict(dict)
        if layer is not None and not hasattr(layer, '_resources'):
            layer._resources = []  # keeps the variables alive, and lets the layer's own saving find them

    def create_variable(self, feature_column: Any, name: str, shape: ShapeLike, dtype: DTypeLike | None = None,
                        trainable: bool = True, use_resource: bool = True, initializer: Any = None) -> Any:
        """A new variable of a column, made by the layer in the scope of variables that is entered."""
        if name in self._cols_to_vars_map[feature_column]:
            raise ValueError('Variable already exists.')
        if self._layer is None:
            raise ValueError('StateManager.create_variable: no layer was given that makes variables')
        made = self._layer.add_weight(name=name, shape=shape, dtype=dtype, initializer=initializer, use_resource=use_resource,
                                      trainable=self._trainable and trainable, getter=tf.compat.v1.get_variable)
        self._track(feature_column, name, made)
        self._cols_to_vars_map[feature_column][name] = made
        return made

    def add_variable(self, feature_column: Any, var: Any) -> None:
        """Takes a variable that exists, under its own name."""
        self._cols_to_vars_map[feature_column][var.name] = var

    def get_variable(self, feature_column, name):
        """The variable of a column."""
        if name in self._cols_to_vars_map[feature_column]:
            return self._cols_to_vars_map[feature_column][name]
        raise ValueError('Variable does not exist.')

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Takes a resource, as a table is."""
        self._cols_to_resources_map[feature_column][name] = resource
        if self._layer is not None:
            self._layer._resources.append(resource)
            self._track(feature_column, name, resource)

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Whether a column has a resource of that name."""
        return name in self._cols_to_resources_map[feature_column]

    def get_resource(self, feature_column, name):
        """The resource of a column."""
        if self.has_resource(feature_column, name):
            return self._cols_to_resources_map[feature_column][name]
        raise ValueError('Resource does not exist.')

    def _track(self, feature_column: Any, name: str, made: Any) -> None:
        if hasattr(made, '_trackable_children') and hasattr(self._layer, '_track_trackable'):
            self._layer._track_trackable(made, feature_column.name + '/' + name)


def serialize_feature_column(fc):
    """A column as {'class_name', 'config'}; a key, which is text, stays what it is."""
    if isinstance(fc, str):
        return fc
    if isinstance(fc, FeatureColumn):
        return {'class_name': type(fc).__name__, 'config': fc.get_config()}
    raise ValueError(f'Instance: {fc!s} is not a FeatureColumn')


# The library's own columns, by the names of their classes.
COLUMNS: dict[str, type[Any]] = {}


def known(column):
    """Makes a class of columns one that deserialize_feature_column() knows."""
    COLUMNS[column.__name__] = column
    return column


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column that serialize_feature_column() wrote; `custom_objects` has its class where it is none of the library's."""
    if isinstance(config, str):
        return config
    importlib.import_module('footlight._features.columns')
    kind = (custom_objects or {}).get(config['class_name']) or COLUMNS.get(config['class_name'])
    if kind is None:
        raise ValueError(f"Unknown feature column: {config['class_name']}; give its class in custom_objects")
    columns = columns_by_name if columns_by_name is not None else {}
    made = kind.from_config(config['config'], custom_objects=custom_objects, columns_by_name=columns)
    return columns.setdefault(f'{type(made).__name__}:{made.name}', made)


_namespace = _engine.namespace('__internal__.feature_column')
alias('tf.__internal__.feature_column', FeatureColumn, DenseColumn, SequenceDenseColumn, FeatureTransformationCache,
      StateManager, serialize_feature_column, deserialize_feature_column)
