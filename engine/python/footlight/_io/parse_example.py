"""tf.io.parse_example and its neighbours: what features are wanted, and tensors made of what the ops give."""
from __future__ import annotations

import collections

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, DTypeLike, ShapeLike, TensorLike

_op = _engine.dataset_op


class VarLenFeature(collections.namedtuple('VarLenFeature', ['dtype'])):
    """A feature of any number of values, as a sparse tensor."""

    __slots__ = ()


class FixedLenFeature(collections.namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'])):
    """A feature of one shape, as a tensor."""

    __slots__ = ()

    def __new__(cls, shape: list[Any], dtype: tf.DType, default_value: Any = None) -> FixedLenFeature:
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(collections.namedtuple('FixedLenSequenceFeature',
                                                     ['shape', 'dtype', 'allow_missing', 'default_value'])):
    """Any number of steps of one shape, as a tensor that is filled up."""

    __slots__ = ()

    def __new__(cls, shape: ShapeLike, dtype: DTypeLike, allow_missing: bool = False, default_value: Any = None) -> Any:
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class SparseFeature(collections.namedtuple('SparseFeature', ['index_key', 'value_key', 'dtype', 'size', 'already_sorted'])):
    """Values in one feature and their indices in others, as a sparse tensor."""

    __slots__ = ()

    def __new__(cls, index_key: Any, value_key: Any, dtype: DTypeLike, size: Any, already_sorted: bool = False) -> Any:
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class RaggedFeature(collections.namedtuple('RaggedFeature', ['dtype', 'value_key', 'partitions', 'row_splits_dtype',
                                                             'validate'])):
    """A feature of any number of values, as a ragged tensor; other features may say how it is divided further."""

    RowSplits = collections.namedtuple('RowSplits', ['key'])
    RowLengths = collections.namedtuple('RowLengths', ['key'])
    RowStarts = collections.namedtuple('RowStarts', ['key'])
    RowLimits = collections.namedtuple('RowLimits', ['key'])
    ValueRowIds = collections.namedtuple('ValueRowIds', ['key'])
    UniformRowLength = collections.namedtuple('UniformRowLength', ['length'])

    def __new__(cls, dtype: DTypeLike, value_key: Any = None, partitions: Any = (), row_splits_dtype: Any = tf.int32,
                validate: bool = False) -> Any:
        if value_key is not None:
            if not isinstance(value_key, str):
                raise ValueError(f'Argument `value_key` must be a string; got {value_key!r}')
            if not value_key:
                raise ValueError('Argument `value_key` must not be empty')
        dtype, row_splits_dtype = tf.as_dtype(dtype), tf.as_dtype(row_splits_dtype)
        if dtype not in (tf.int64, tf.float32, tf.string):
            raise ValueError(f'Argument `dtype` must be int64, float32, or bytes; got {dtype!r}')
        if row_splits_dtype not in (tf.int32, tf.int64):
            raise ValueError(f'Argument `row_splits_dtype` must be int32 or int64; got {row_splits_dtype!r}')
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f'Argument `partitions` must be a list or tuple. Received {partitions!r}')
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError(f'Argument `partitions` must be a list of partition objects, got {partition!r}')
        if not isinstance(validate, bool):
            raise TypeError(f'Argument `validate` must be a bool; got {validate!r}')
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


class _Wanted:
    """The features to read, by the way they are read."""

    def __init__(self, features, kinds):
        self.sparse, self.dense, self.ragged = {}, {}, {}  # key -> dtype; (dtype, shape); (dtype, dtype of splits)
        self.defaults = {}
        for key in sorted(features or ()):
            feature = features[key]
            if not isinstance(feature, kinds):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature!s} for key '{key}'")
            self._add(key, feature)
        for one, other in ((self.sparse, self.dense), (self.sparse, self.ragged), (self.dense, self.ragged)):
            both = set(one) & set(other)
            if both:
                raise ValueError('Dense, sparse and ragged keys must not intersect; dense and other keys are: '
                                 f'{sorted(both)}')

    def __len__(self) -> int:
        return len(self.sparse) + len(self.dense) + len(self.ragged)

    def _add(self, key: str, feature: FixedLenFeature) -> None:
        if isinstance(feature, SparseFeature):
            if not feature.index_key:
                raise ValueError(f'Missing index_key for SparseFeature {feature!s}.')
            if not feature.value_key:
                raise ValueError(f'Missing value_key for SparseFeature {feature!s}.')
            self._check_dtype(key, feature)
            for index_key in sorted([feature.index_key] if isinstance(feature.index_key, str) else feature.index_key):
                self._add_sparse(index_key, tf.int64)
            self._add_sparse(feature.value_key, feature.dtype)
        elif isinstance(feature, RaggedFeature):
            self._add_ragged(key if feature.value_key is None else feature.value_key, feature.dtype, feature.row_splits_dtype)
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    self._add_ragged(partition.key, tf.int64, feature.row_splits_dtype)
        elif isinstance(feature, VarLenFeature):
            self._check_dtype(key, feature)
            self._add_sparse(key, feature.dtype)
        else:
            self._check_dtype(key, feature)
            if feature.shape is None:
                raise ValueError(f'Missing shape for feature {key}. Received feature={feature!s}.')
            shape = tf.TensorShape(feature.shape)
            if isinstance(feature, FixedLenFeature):
                if shape.rank and shape[0] is None:
                    raise ValueError(f'First dimension of shape for feature {key} unknown. Consider using '
                                     f'FixedLenSequenceFeature. Received feature={feature!s}.')
                if not shape.is_fully_defined():
                    raise ValueError(f'All dimensions of shape for feature {key} need to be known but received '
                                     f'{feature.shape}.')
            elif feature.allow_missing:
                self.defaults[key] = None
            if feature.default_value is not None:
                self.defaults[key] = feature.default_value
            self.dense[key] = tf.as_dtype(feature.dtype), shape

    @staticmethod
    def _check_dtype(key: str, feature: FixedLenFeature) -> None:
        if not feature.dtype:
            raise ValueError(f'Missing type for feature {key}. Received feature={feature!s}.')

    def _add_sparse(self, key: Any, dtype: DTypeLike) -> None:
        dtype = tf.as_dtype(dtype)
        if self.sparse.setdefault(key, dtype) != dtype:
            raise ValueError(f'Conflicting type {self.sparse[key]} vs {dtype} for feature {key}.')

    def _add_ragged(self, key: Any, dtype: DTypeLike, splits: Any) -> None:
        known = self.ragged.setdefault(key, (tf.as_dtype(dtype), splits))
        if known[0] != dtype:
            raise ValueError(f'Conflicting type {known[0]!s} vs {dtype} for feature {key}.')
        if known[1] != splits:
            raise ValueError(f'Conflicting partition type {known[1]!s} vs {splits} for feature {key}.')

    def default_tensors(self):
        found = []
        for key, (dtype, shape) in self.dense.items():
            value = self.defaults.get(key)
            if shape.rank and shape[0] is None:
                padding = ('' if dtype == tf.string else 0) if value is None else value
                found.append(tf.reshape(tf.convert_to_tensor(padding, dtype), []))
            elif value is None:
                found.append(tf.constant([], dtype))
            else:
                found.append(value if tf.is_tensor(value) else tf.reshape(tf.convert_to_tensor(value, dtype), shape))
        return found

    def keys(self, of: dict[Any, Any]) -> tf.Tensor:
        return tf.constant(list(of), tf.string, shape=[len(of)])

    def attributes(self, prefix: str, lists: bool = False) -> dict[Any, Any]:
        """The attributes of an op, whose names have a prefix."""
        found = {prefix + 'sparse_types': list(self.sparse.values()),
                 prefix + 'ragged_value_types': [a for a, _ in self.ragged.values()],
                 prefix + 'ragged_split_types': [b for _, b in self.ragged.values()],
                 prefix + 'dense_shapes': [shape for _, shape in self.dense.values()]}
        types = [dtype for dtype, _ in self.dense.values()]
        found['feature_list_dense_types' if lists else 'T' + prefix + 'dense'] = types
        return found

    def take(self, outputs: Any) -> dict[Any, Any]:
        """What the next outputs of an op are: sparse tensors, whole ones; those of ragged features are left."""
        n = len(self.sparse)
        parts = [next(outputs) for _ in range(3 * n)]
        found = {key: tf.SparseTensor(parts[k], parts[n + k], parts[2 * n + k]) for k, key in enumerate(self.sparse)}
        found.update((key, next(outputs)) for key in self.dense)
        return found


# --- ragged and sparse features of several keys ---
def _lengths(partition: Any, tensors: Any, rows: Any) -> tuple[Any, ...]:
    """(length of each part, number of parts of each row) of a partition; `rows` is divided, a ragged tensor."""
    given = tensors[partition.key]
    numbers = tf.cast(given.values, rows.row_splits.dtype)
    given = tf.RaggedTensor.from_row_splits(numbers, given.row_splits, validate=False)
    counts = given.row_lengths()
    if isinstance(partition, RaggedFeature.RowLengths):
        return numbers, counts
    of_row = given.value_rowids()
    if isinstance(partition, RaggedFeature.RowSplits):
        inside = tf.equal(of_row[1:], of_row[:-1])
        return tf.boolean_mask(numbers[1:] - numbers[:-1], inside), tf.maximum(counts - 1, 0)
    if isinstance(partition, RaggedFeature.ValueRowIds):
        highest = tf.math.unsorted_segment_max(numbers, of_row, given.nrows())
        counts = tf.where(counts > 0, highest + 1, tf.zeros_like(counts))
        starts = tf.cumsum(counts, exclusive=True)
        ids = numbers + tf.gather(starts, of_row)
        total = tf.reduce_sum(counts)
        return tf.math.unsorted_segment_sum(tf.ones_like(ids), ids, total), counts
    first = tf.concat([[True], tf.not_equal(of_row[1:], of_row[:-1])], 0)[:tf.size(of_row)]
    if isinstance(partition, RaggedFeature.RowLimits):
        before = tf.concat([numbers[:1] * 0, numbers[:-1]], 0)[:tf.size(numbers)]
        return numbers - tf.where(first, tf.zeros_like(before), before), counts
    last = tf.concat([first[1:], [True]], 0)[:tf.size(of_row)]
    after = tf.concat([numbers[1:], numbers[:1] * 0], 0)[:tf.size(numbers)]
    return tf.where(last, tf.gather(rows.row_lengths(), of_row), after) - numbers, counts


def _partitioned(rows, partition, tensors, validate):
    if isinstance(partition, RaggedFeature.UniformRowLength):
        inner = tf.RaggedTensor.from_uniform_row_length(rows.values, partition.length, validate=validate)
        return tf.RaggedTensor.from_row_lengths(inner.with_row_splits_dtype(rows.row_splits.dtype), rows.row_lengths() //
                                                partition.length, validate=validate)
    lengths, counts = _lengths(partition, tensors, rows)
    inner = tf.RaggedTensor.from_row_lengths(rows.values, lengths, validate=validate)
    return tf.RaggedTensor.from_row_lengths(inner, counts, validate=validate)


def _one_row(values, dtype):
    return tf.RaggedTensor.from_row_splits(values, tf.stack([tf.zeros([], dtype), tf.shape(values, out_type=dtype)[0]]),
                                           validate=False)


def _ragged(key, feature, tensors):
    found = tensors[key if feature.value_key is None else feature.value_key]
    if not isinstance(found, tf.RaggedTensor):  # parsed from a single example
        rows = {k: _one_row(t, feature.row_splits_dtype) for k, t in tensors.items()
                if tf.is_tensor(t) and t.shape.rank == 1}
        found = _one_row(found, feature.row_splits_dtype)
        for partition in reversed(feature.partitions):
            found = _partitioned(found, partition, rows, feature.validate)
        return found.values
    outer = None
    if found.ragged_rank > 1:
        outer, found = found.row_splits, found.values
        tensors = {k: t.values if isinstance(t, tf.RaggedTensor) and t.ragged_rank > 1 else t for k, t in tensors.items()}
    for partition in reversed(feature.partitions):
        found = _partitioned(found, partition, tensors, feature.validate)
    return found if outer is None else tf.RaggedTensor.from_row_splits(found, outer, validate=feature.validate)


def _sparse(feature, tensors):
    keys = [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    if len(keys) != len(sizes):
        raise ValueError(f'sp_ids and vocab_size have to have equal lengths: {len(keys)} and {len(sizes)}')
    values = tensors[feature.value_key]
    columns = [tensors[key].values[:, tf.newaxis] for key in keys]
    outer = values.indices[:, :-1]
    indices = tf.concat([outer, *columns], 1)
    shape = tf.concat([values.dense_shape[:-1], tf.cast(sizes, tf.int64)], 0)
    made = tf.SparseTensor(indices, values.values, shape)
    return made if feature.already_sorted else tf.sparse.reorder(made)


def _composed(features: dict[Any, Any], tensors: Any) -> dict[Any, Any]:
    """The tensors of features, of those that were read."""
    made = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            made[key] = _sparse(feature, tensors)
        elif isinstance(feature, RaggedFeature):
            made[key] = _ragged(key, feature, tensors)
    return {key: value for key, value in {**tensors, **made}.items() if key in features}


_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


def _texts(value: Any) -> tf.Tensor:
    return tf.zeros([0], tf.string) if value is None else tf.convert_to_tensor(value, tf.string)


def _rank_known(serialized: tf.Tensor, *wanted: Any) -> None:
    if serialized.shape.rank is None and any(w.ragged for w in wanted):
        raise ValueError('serialized must have statically-known rank to parse ragged features.')


def _parse(serialized: tf.Tensor, features: dict[Any, Any], names: Any, name: Any) -> dict[Any, Any]:
    if not features:
        raise ValueError(f'Argument `features` cannot be None or falsy. Got {features}')
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to be True.')
            changed[key] = feature._replace(shape=[None] + list(feature.shape))
    wanted = _Wanted(changed, _KINDS)
    _rank_known(serialized, wanted)
    outputs = iter(_op('ParseExampleV2', [
        serialized, _texts(names), wanted.keys(wanted.sparse), wanted.keys(wanted.dense), wanted.keys(wanted.ragged),
        *wanted.default_tensors()], {'num_sparse': len(wanted.sparse), **wanted.attributes('')}, name))
    tensors = wanted.take(outputs)
    tensors.update(_ragged_tensors(wanted, serialized, outputs))
    return _composed(changed, tensors)


def _ragged_tensors(wanted: _Wanted, serialized: tf.Tensor, outputs: Any, inner: Any = None) -> Any:
    values = [next(outputs) for _ in wanted.ragged]
    splits = [next(outputs) for _ in wanted.ragged]
    if inner:
        values = [tf.RaggedTensor.from_row_splits(v, next(outputs), validate=False) for v in values]
    if serialized.shape.rank != 0:
        values = [tf.RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, splits)]
    return zip(wanted.ragged, values)


def _scalar(value, name):
    if value.shape.rank is None:
        with tf.control_dependencies([tf.debugging.assert_rank(value, 0, message=f'Input {name} must be a scalar')]):
            value = tf.ensure_shape(value, [])
    if value.shape.rank != 0:
        raise ValueError(f'Input {name} must be a scalar')
    return value


def parse_example(serialized: TensorLike, features: Any, example_names: Any = None,
                  name: str | None = None) -> dict[Any, Any]:
    """The features of serialized Example messages, as a dict of tensors."""
    return _parse(tf.convert_to_tensor(serialized, tf.string), features, example_names, name)


def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """The features of one serialized Example message, as a dict of tensors."""
    if not features:
        raise ValueError('Invalid argument: features cannot be None.')
    return _parse(_scalar(tf.convert_to_tensor(serialized, tf.string), 'serialized'), features, example_names, name)


def _parse_sequence(serialized: Any, context_features: Any, sequence_features: Any, names: Any,
                    name: Any) -> tuple[Any, ...]:
    if not (context_features or sequence_features):
        raise ValueError('Both `context_features` and `sequence_features` argument are None, but at least one should have '
                         'values.')
    context = _Wanted(context_features, (VarLenFeature, FixedLenFeature, RaggedFeature))
    lists = _Wanted(sequence_features, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature))
    for key, value in lists.defaults.items():
        if value is not None:
            raise ValueError(f'Value feature_list.dense_defaults[{key}] must be None')
    _rank_known(serialized, context, lists)
    outputs = iter(_op('ParseSequenceExampleV2', [
        serialized, _texts(names), *(w.keys(part) for w in (context, lists) for part in (w.sparse, w.dense, w.ragged)),
        tf.constant([key in lists.defaults for key in lists.dense], tf.bool, shape=[len(lists.dense)]),
        *context.default_tensors()], {
            'Ncontext_sparse': len(context.sparse), 'Nfeature_list_sparse': len(lists.sparse),
            'Nfeature_list_dense': len(lists.dense), **context.attributes('context_'),
            **lists.attributes('feature_list_', lists=True)}, name))
    found = context.take(outputs)
    found.update(_ragged_tensors(context, serialized, outputs))
    steps = lists.take(outputs)
    lengths = {key: next(outputs) for key in lists.dense}
    steps.update(_ragged_tensors(lists, serialized, outputs, inner=True))
    return _composed(context_features or {}, found), _composed(sequence_features or {}, steps), lengths


def parse_sequence_example(serialized: Any, context_features: Any = None, sequence_features: Any = None,
                           example_names: Any = None, name: str | None = None) -> Any:
    """The features of serialized SequenceExample messages: those of the context, the lists, and how long lists are."""
    return _parse_sequence(tf.convert_to_tensor(serialized, tf.string), context_features, sequence_features, example_names, name)


def parse_single_sequence_example(serialized: Any, context_features: Any = None, sequence_features: Any = None,
                                  example_name: Any = None, name: str | None = None) -> Any:
    """The features of one serialized SequenceExample message: those of the context, and the lists."""
    serialized = _scalar(tf.convert_to_tensor(serialized, tf.string), 'serialized')
    return _parse_sequence(serialized, context_features, sequence_features, example_name, name)[:2]


publish('tf.io tf.compat.v1', VarLenFeature, FixedLenFeature, FixedLenSequenceFeature, SparseFeature, RaggedFeature,
        parse_example, parse_single_example, parse_sequence_example, parse_single_sequence_example)
