"""tf.lookup: tables from keys to values, filled once or changed at any time."""
from __future__ import annotations

import uuid

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._saving.options_and_assets import Asset, TrackableResource
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any

_op = _engine.dataset_op


class LookupInterface(TrackableResource, AutoTrackable):
    """A trackable object with a table behind it."""

    @staticmethod
    def _new(op: str, inputs: list[Any], attrs: dict[Any, Any]) -> tf.Tensor:
        """A table: in a graph, which may be saved, under a name, by which all that run it have the same one."""
        if tf.executing_eagerly():
            return _op('Anonymous' + op, inputs, attrs)[0]
        return _op(op + 'V2', inputs, {**attrs, 'shared_name': f'table_{uuid.uuid4()}'})[0]

    @property
    def resource_handle(self) -> tf.Tensor:
        """The handle; in a tf.Graph a tensor of it that stands for this one in every session."""
        handle, graph = super().resource_handle, _engine.current_graph()
        if graph is None or graph.building_function:
            return handle
        known = graph._state.setdefault('held', {})
        for tensor, held in known.values():
            if held is handle:
                return tensor
        tensor = self._create_resource()
        known[tensor.name] = tensor, handle
        return tensor

    @property
    def key_dtype(self) -> tf.DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> tf.DType:
        """The dtype of values."""
        return self._value_dtype

    @property
    def name(self) -> Any:
        """The name of the table's op in a graph; None in eager."""
        return self._table_name

    def __getitem__(self, keys):
        return self.lookup(keys)

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)


def _here(value: tf.Tensor) -> tf.Tensor:
    """A value from outside, in a tf.Graph as a constant of it."""
    graph = _engine.current_graph()
    outside = isinstance(value, tf.Tensor) and not tf.is_symbolic_tensor(value)
    return tf.constant(value.numpy(), value.dtype) if outside and graph is not None and not graph.building_function else value


def _parts(keys: Any) -> tuple[Any, ...]:
    """The plain keys behind sparse and ragged ones, and what puts values in their place."""
    if isinstance(keys, tf.SparseTensor):
        return keys.values, lambda values: tf.SparseTensor(keys.indices, values, keys.dense_shape)
    if isinstance(keys, tf.RaggedTensor):
        return keys.flat_values, keys.with_flat_values
    return keys, lambda values: values


class TableInitializerBase(AutoTrackable):
    """Base class of objects that fill a table."""

    _shared_name = ''

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = tf.as_dtype(key_dtype), tf.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype, doc='The dtype of keys.')
    value_dtype = property(lambda self: self._value_dtype, doc='The dtype of values.')

    def initialize(self, table):
        """Fills the table."""
        raise NotImplementedError

    def _check(self, table: StaticHashTable) -> None:
        if table.key_dtype != self.key_dtype:
            raise TypeError(f'Invalid key dtype for table, expected {table.key_dtype} but got {self.key_dtype}.')
        if table.value_dtype != self.value_dtype:
            raise TypeError(f'Invalid value dtype for table, expected {table.value_dtype} but got {self.value_dtype}.')


def _value_now(part):
    """The value of a tensor of a program's graph, which is run for it: tables are filled when they are made."""
    if not tf.is_symbolic_tensor(part) or part.graph.building_function:
        return part
    with tf.compat.v1.Session(graph=part.graph) as session:
        return session.run(part)


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values that tensors hold."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        keys, values = _value_now(keys), _value_now(values)
        with tf._eager_scope():
            keys = tf.convert_to_tensor(keys, dtype=key_dtype, name='keys')
            values = tf.convert_to_tensor(values, dtype=value_dtype, name='values')
        self._keys, self._values, self._name = keys, values, name or 'key_value_init'
        super().__init__(keys.dtype, values.dtype)

    def initialize(self, table: Any) -> None:
        self._check(table)
        _op('LookupTableImportV2', [table.resource_handle, self._keys, self._values], {})


class TextFileIndex:
    """The part of a line that is used, if it is not a column."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Keys and values in the lines of a text file."""

    def __init__(self, filename: Any, key_dtype: Any, key_index: Any, value_dtype: Any, value_index: Any,
                 vocab_size: Any = None, delimiter: Any = '\t', name: Any = None, value_index_offset: Any = 0) -> None:
        if not tf.is_tensor(filename) and not filename:
            raise ValueError('`filename` argument required for tf.lookup.TextFileInitializer')
        key_dtype, value_dtype = tf.as_dtype(key_dtype), tf.as_dtype(value_dtype)
        for what, index, dtype in (('key', key_index, key_dtype), ('value', value_index, value_dtype)):
            if index < -2:
                raise ValueError(f'`{what}_index` should be >= -2, received: {index}.')
            if index == TextFileIndex.LINE_NUMBER and dtype != tf.int64:
                raise ValueError(f'`{what}_dtype` must be int64 for a line number, received: {dtype}')
            if index == TextFileIndex.WHOLE_LINE and not (dtype == tf.string or dtype.is_integer):
                raise ValueError(f'`{what}_dtype` should be either integer or string for a whole line, received: '
                                 f'{dtype}')
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f'`vocab_size` should be > 0, received: {vocab_size}')
        self._how = {'key_index': key_index, 'value_index': value_index, 'delimiter': delimiter,
                     'vocab_size': -1 if vocab_size is None else vocab_size, 'offset': value_index_offset}
        self._filename = Asset(filename)
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table: Any) -> None:
        self._check(table)
        _op('InitializeTableFromTextFileV2', [table.resource_handle, self._filename.asset_path], dict(self._how))


class _Initialized(LookupInterface):
    """A table that is filled once."""

    def _make(self, initializer, default_value, name):
        self._set(_key_dtype=initializer.key_dtype, _value_dtype=initializer.value_dtype, _table_name=None,
                  _name=name or 'hash_table')
        self._initializer = initializer
        with tf._eager_scope():
            self._set(_default_value=tf.convert_to_tensor(default_value, dtype=self._value_dtype))
            self._default_value.shape.merge_with([])
            self._initialize()

    def _create_resource(self) -> tf.Tensor:
        return self._new('HashTable', [], {'key_dtype': self._key_dtype, 'value_dtype': self._value_dtype})

    def _initialize(self) -> Any:
        return self._initializer.initialize(self)

    @property
    def initializer(self) -> Any:
        """In a graph an operation that does nothing, since the table is filled when it is made; programs of graphs run it."""
        return None if tf.executing_eagerly() else tf.group(name='init')

    default_value = property(lambda self: self._default_value, doc='The value of keys that are not in the table.')

    def size(self, name: str | None = None) -> tf.Tensor:
        """How many keys the table has."""
        return _op('LookupTableSizeV2', [self.resource_handle], {}, name)[0]

    def lookup(self, keys: tf.Tensor, name: str | None = None) -> tf.Tensor:
        """The values of keys."""
        if keys.dtype != self._key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}')
        plain, back = _parts(keys)
        found, = _op('LookupTableFindV2', [self.resource_handle, plain, _here(self._default_value)], {},
                     name or f'{self.name}_Lookup/LookupTableFindV2')
        found.set_shape(plain.shape)
        return back(found)


class StaticHashTable(_Initialized):
    """A table that its initializer fills and that does not change afterwards."""

    def __init__(self, initializer: Any, default_value: int, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        self._make(initializer, default_value, name)

    def export(self, name: str | None = None) -> tuple[Any, ...]:
        """All keys and all values."""
        keys, values = _op('LookupTableExportV2', [self.resource_handle],
                           {'Tkeys': self._key_dtype, 'Tvalues': self._value_dtype}, name)
        if not keys.shape.rank == 1:
            keys.set_shape([None])
            values.set_shape([None])
        return keys, values


class StaticVocabularyTable(LookupInterface):
    """A table of ids in which keys that it does not have get one of some further ids, by their hash."""

    def __init__(self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        if num_oov_buckets <= 0:
            raise ValueError('`num_oov_buckets` must be > 0; use StaticHashTable.')
        table = None
        if initializer:
            key_dtype = initializer.key_dtype if lookup_key_dtype is None else tf.as_dtype(lookup_key_dtype)
            if initializer.key_dtype not in (tf.int64, tf.string):
                raise TypeError(f'Invalid `key_dtype`, expected one of {(tf.int64, tf.string)}, but got '
                                f'{initializer.key_dtype}.')
            if initializer.key_dtype.is_integer != key_dtype.is_integer:
                raise TypeError(f"Invalid `key_dtype`, expected {'integer' if key_dtype.is_integer else 'non-integer'} "
                                f'but got {initializer.key_dtype}.')
            if initializer.value_dtype != tf.int64:
                raise TypeError(f'Invalid `value_dtype`, expected {tf.int64} but got {initializer.value_dtype}.')
            self._initializer = initializer
            table = StaticHashTable(initializer, -1)
        else:
            key_dtype, name = tf.string, name or 'hash_bucket'
        if not key_dtype.is_integer and key_dtype != tf.string:
            raise TypeError(f'Invalid `key_dtype`, expected integer or string, got {key_dtype}')
        self._set(_table=table, _num_oov_buckets=num_oov_buckets, _key_dtype=key_dtype, _value_dtype=tf.int64,
                  _table_name=name.rstrip('/').split('/')[-1] if name else None)

    @property
    def resource_handle(self) -> Any:
        """The table as a tensor that ops take; None if it has only further ids."""
        return None if self._table is None else self._table.resource_handle

    def _create_resource(self) -> tf.Tensor:
        return self._table._create_resource()

    def _initialize(self) -> None:
        self._table._initialize()

    def _trackable_children(self, save_type='checkpoint', **kwargs):
        # The table inside is no child: its functions are this one's.
        return super()._trackable_children(save_type, **kwargs) if self._table is not None else {}

    def size(self, name: str | None = None) -> Any:
        """How many ids there are."""
        known = tf.constant(0, tf.int64) if self._table is None else self._table.size()
        return known + self._num_oov_buckets

    def lookup(self, keys: Any, name: str | None = None) -> tf.Tensor:
        """The ids of keys."""
        if keys.dtype != self._key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}')
        plain, back = _parts(keys)
        if self._table is not None and self._table.key_dtype == tf.int64:
            plain = tf.cast(plain, tf.int64)
        texts = plain if plain.dtype == tf.string else tf.strings.as_string(plain)
        ids = tf.strings.to_hash_bucket_fast(texts, self._num_oov_buckets)
        if self._table is not None:
            found = self._table.lookup(plain)
            ids = tf.where(tf.not_equal(found, self._table.default_value), found, ids + self._table.size())
        return back(ids)


class _Changing(LookupInterface):
    """A table that changes, and is saved in checkpoints."""

    def _make(self, key_dtype, value_dtype, default_value, name, checkpoint):
        with tf._eager_scope():
            default = tf.convert_to_tensor(default_value, dtype=value_dtype)
        self._set(_key_dtype=tf.as_dtype(key_dtype), _value_dtype=tf.as_dtype(value_dtype), _default_value=default,
                  _value_shape=default.shape, _name=name, _table_name=None, _checkpoint=checkpoint)
        self.resource_handle  # noqa: B018  (made now: functions that are traced find it)

    def _check(self, keys: Any, values: Any = None) -> tuple[Any, ...]:
        plain, back = _parts(keys)
        plain = tf.convert_to_tensor(plain, self._key_dtype, name='keys')
        if plain.dtype != self._key_dtype:
            raise TypeError(f'Signature mismatch. Keys must be dtype {self._key_dtype}, got {plain.dtype}.')
        return plain, back

    def _shape_of(self, keys: tf.Tensor) -> tf.TensorShape:
        return keys.shape.concatenate(self._value_shape)

    def size(self, name: str | None = None) -> Any:
        """How many keys the table has."""
        return _op('LookupTableSizeV2', [self.resource_handle], {}, name)[0]

    def insert(self, keys, values, name=None):
        """Adds keys with their values, or gives keys new ones; in a graph, the operation that does so."""
        keys = self._check(keys)[0]
        values = tf.convert_to_tensor(values, self._value_dtype, name='values')
        return tf.raw_ops.LookupTableInsertV2(table_handle=self.resource_handle, keys=keys, values=values, name=name)

    def remove(self, keys, name=None):
        """Removes keys, passing over those that are not there; in a graph, the operation that does so."""
        if keys.dtype != self._key_dtype:
            raise TypeError(f'Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.')
        return tf.raw_ops.LookupTableRemoveV2(table_handle=self.resource_handle, keys=self._check(keys)[0], name=name)

    def export(self, name: str | None = None) -> tuple[Any, ...]:
        """All keys and all values."""
        keys, values = _op('LookupTableExportV2', [self.resource_handle],
                           {'Tkeys': self._key_dtype, 'Tvalues': self._value_dtype}, name)
        if tf.is_symbolic_tensor(values) and not isinstance(self, DenseHashTable):  # which is indexed by rows
            keys.set_shape([None])
            values.set_shape(tf.TensorShape([None]).concatenate(self._value_shape))
        return keys, values

    _saveable_name = 'table'  # prefix of the keys of its values in files

    def _serialize_to_tensors(self) -> dict[Any, Any]:
        if not self._checkpoint:
            raise NotImplementedError
        keys, values = self.export()
        return {'table-keys': keys, 'table-values': values}

    def _restore_from_tensors(self, restored_tensors: dict[Any, Any]) -> None:
        _op('LookupTableImportV2', [self.resource_handle, restored_tensors['table-keys'], restored_tensors['table-values']], {})


class MutableHashTable(_Changing):
    """A table to which keys are added at any time; values are scalars, or vectors as the default."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, name: Any = 'MutableHashTable',
                 checkpoint: Any = True, experimental_is_anonymous: Any = False) -> None:
        self._make(key_dtype, value_dtype, default_value, name, checkpoint)

    def _create_resource(self) -> tf.Tensor:
        types = {'key_dtype': self._key_dtype, 'value_dtype': self._value_dtype}
        if self._value_shape.rank == 0:
            return self._new('MutableHashTable', [], types)
        return self._new('MutableHashTableOfTensors', [], {**types, 'value_shape': self._value_shape})

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> tf.Tensor:
        """The values of keys; `dynamic_default_values` has one for each key that is not there."""
        plain, back = self._check(keys)
        default = self._default_value if dynamic_default_values is None else dynamic_default_values
        found, = _op('LookupTableFindV2', [self.resource_handle, plain, _here(default)], {}, name)
        found.set_shape(self._shape_of(plain))
        return back(found)


class DenseHashTable(_Changing):
    """A table to which keys are added at any time, with two keys that it cannot have; keys may be vectors."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 name='MutableDenseHashTable', checkpoint=True, experimental_is_anonymous=False):
        buckets = 131072 if initial_num_buckets is None else initial_num_buckets
        if buckets < 1 or buckets & (buckets - 1):
            raise tf.errors.InvalidArgumentError(None, None, 'Number of buckets must be at least 4 and a power of 2, '
                                                             f'got: {buckets}')
        with tf._eager_scope():
            self._set(_empty_key=tf.convert_to_tensor(empty_key, dtype=key_dtype, name='empty_key'),
                      _deleted_key=tf.convert_to_tensor(deleted_key, dtype=key_dtype, name='deleted_key'))
        self._set(_key_shape=self._empty_key.shape, _buckets=buckets)
        self._make(key_dtype, value_dtype, default_value, name, checkpoint)

    def _create_resource(self) -> tf.Tensor:
        return self._new('MutableDenseHashTable', [_here(self._empty_key), _here(self._deleted_key)],
                         {'value_dtype': self._value_dtype, 'value_shape': self._value_shape,
                          'initial_num_buckets': self._buckets})

    def _shape_of(self, keys: tf.Tensor) -> tf.TensorShape:
        rank = self._key_shape.rank
        outer = keys.shape[:keys.shape.rank - rank] if keys.shape.rank is not None else tf.TensorShape(None)
        return outer.concatenate(self._value_shape)

    def lookup(self, keys: Any, name: str | None = None) -> tf.Tensor:
        """The values of keys."""
        plain, back = self._check(keys)
        found, = _op('LookupTableFindV2', [self.resource_handle, plain, _here(self._default_value)], {}, name)
        found.set_shape(self._shape_of(plain))
        return back(found)

    def erase(self, keys: Any, name: str | None = None) -> Any:
        """Removes keys: another name of remove()."""
        return self.remove(keys, name)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Adds keys: another name of insert()."""
        return self.insert(keys, values, name)


publish('tf.lookup', KeyValueTensorInitializer, StaticHashTable, StaticVocabularyTable, TextFileIndex,
        TextFileInitializer)
publish('tf.lookup.experimental', DenseHashTable, MutableHashTable)
