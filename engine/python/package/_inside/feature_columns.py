"""tf.__internal__.feature_column: what columns of features and the layers that read them agree on."""
import abc

import footlight as tf
from footlight import _engine


class FeatureColumn(abc.ABC):
    """How a feature of examples becomes a tensor of a model; columns are told apart by their names."""

    @property
    @abc.abstractmethod
    def name(self):
        """The name, a part of those of variables."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self):
        """What tf.io.parse_example reads for it: {key: FixedLenFeature, VarLenFeature, ...}."""

    @property
    def parents(self):
        """The columns and keys that it is made from."""
        raise NotImplementedError('`%s` does not say its parents' % type(self).__name__)

    @property
    def _is_v2_column(self):
        return True

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    @abc.abstractmethod
    def transform_feature(self, transformation_cache, state_manager):
        """The feature as this column sees it; features and other columns come from the cache."""

    def get_config(self):
        """What from_config() takes."""
        raise NotImplementedError('`%s` has no get_config()' % type(self).__name__)

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """A column from what get_config() gave."""
        raise NotImplementedError('`%s` has no from_config()' % cls.__name__)


class DenseColumn(FeatureColumn):
    """A column whose tensors have a known last dimension: numbers, one-hots, embeddings."""

    @property
    @abc.abstractmethod
    def variable_shape(self):
        """The shape of a value of one example."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache, state_manager):
        """The tensor [batch size, *variable_shape]."""


class SequenceDenseColumn(FeatureColumn):
    """The same for sequences."""

    @abc.abstractmethod
    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
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
                raise ValueError('Feature %s is not in features dictionary.' % key)
            self._made[key] = self._with_batch(key)
            return self._made[key]
        if not isinstance(key, FeatureColumn):
            raise TypeError('"key" must be either a "str" or "FeatureColumn". Provided: %s' % (key,))
        try:
            made = key.transform_feature(self, state_manager, training=training)
        except TypeError:
            made = key.transform_feature(self, state_manager)
        if made is None:
            raise ValueError('Column %s is not supported: its transform_feature() gave None.' % key.name)
        self._made[key] = made
        return made

    def _with_batch(self, key):
        feature = self._features[key]
        if not isinstance(feature, (tf.SparseTensor, tf.RaggedTensor)):
            feature = tf.convert_to_tensor(feature)
        rank = feature.shape.rank
        if rank == 0:
            raise ValueError('Feature (key: %s) cannot have rank 0. Given: %s' % (key, feature))
        if rank == 1 and isinstance(feature, tf.Tensor):
            return tf.expand_dims(feature, -1)
        if rank == 1 and isinstance(feature, tf.SparseTensor):
            return tf.sparse.expand_dims(feature, -1)
        if rank is None and isinstance(feature, tf.Tensor):
            with_rank = tf.Assert(tf.rank(feature) > 0, ['Feature (key: %s) cannot have rank 0.' % key, feature])
            with tf.control_dependencies([with_rank] if with_rank is not None else []):
                return tf.cond(tf.equal(tf.rank(feature), 1), lambda: tf.expand_dims(feature, -1), lambda: feature)
        return feature


class StateManager:
    """Keeps the variables and other resources that columns make; layers have one of their own kind."""

    def create_variable(self, feature_column, name, shape, dtype=None, trainable=True, use_resource=True, initializer=None):
        """A new variable of a column."""
        raise NotImplementedError('StateManager.create_variable: a subclass says how variables are made')

    def add_variable(self, feature_column, var):
        """Takes a variable that exists."""
        raise NotImplementedError('StateManager.add_variable: a subclass says where variables are kept')

    def get_variable(self, feature_column, name):
        """The variable of a column."""
        raise NotImplementedError('StateManager.get_variable: a subclass says where variables are kept')

    def add_resource(self, feature_column, name, resource):
        """Takes a resource, as a table is."""
        raise NotImplementedError('StateManager.add_resource: a subclass says where resources are kept')

    def has_resource(self, feature_column, name):
        """Whether a column has a resource of that name."""
        raise NotImplementedError('StateManager.has_resource: a subclass says where resources are kept')

    def get_resource(self, feature_column, name):
        """The resource of a column."""
        raise NotImplementedError('StateManager.get_resource: a subclass says where resources are kept')


def serialize_feature_column(fc):
    """A column as {'class_name', 'config'}; a key, which is text, stays what it is."""
    if isinstance(fc, str):
        return fc
    if isinstance(fc, FeatureColumn):
        return {'class_name': type(fc).__name__, 'config': fc.get_config()}
    raise ValueError('Instance: %s is not a FeatureColumn' % (fc,))


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column that serialize_feature_column() wrote; `custom_objects` has its class."""
    if isinstance(config, str):
        return config
    kind = (custom_objects or {}).get(config['class_name'])
    if kind is None:
        raise ValueError('Unknown feature column: %s; give its class in custom_objects' % config['class_name'])
    columns = columns_by_name if columns_by_name is not None else {}
    made = kind.from_config(config['config'], custom_objects=custom_objects, columns_by_name=columns)
    return columns.setdefault(made.name, made)


_namespace = _engine.namespace('__internal__.feature_column')
for _object in (FeatureColumn, DenseColumn, SequenceDenseColumn, FeatureTransformationCache, StateManager,
                serialize_feature_column, deserialize_feature_column):
    setattr(_namespace, _object.__name__, _object)
