"""tf.data.experimental: datasets of features from CSV and TFRecord files, and tables that datasets fill."""
from __future__ import annotations

import codecs
import collections
import contextlib
import csv
import gzip
import os
import zlib

import footlight as tf
from footlight._data.datasets import Dataset
from footlight._data.experimental import parse_example_dataset
from footlight._data.readers import CsvDataset, TFRecordDataset
from footlight._graphs import session as _session
from footlight._lookup import StaticHashTable, StaticVocabularyTable, TableInitializerBase
from footlight._public import publish
from footlight._typing import Any, Iterator

_plain = tf.autograph.experimental.do_not_convert
_KINDS = (tf.int32, tf.int64, tf.float32, tf.float64, tf.string)  # of columns, in the order in which they are tried


def _file_names(pattern: str) -> list[Any]:
    """The files, sorted."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    if not patterns:
        raise ValueError('Argument `file_pattern` should not be empty.')
    found = sorted(name for one in patterns for name in tf.io.gfile.glob(os.fspath(one)))
    if not found:
        raise ValueError(f'No files match `file_pattern` {pattern}.')
    return found


def _fits(text: str, dtype: tf.DType) -> bool:
    try:
        if dtype.is_integer:
            return dtype.min <= int(text) <= dtype.max
        return dtype == tf.string or dtype.min < float(text) < dtype.max
    except ValueError:
        return False


def _inflated(name: str, encoding: str) -> Iterator[Any]:
    """The lines of a file that zlib compressed, a part at a time."""
    inflate, decode, begun = zlib.decompressobj(), codecs.getincrementaldecoder(encoding)(), ''
    with open(name, 'rb') as file:
        while not inflate.eof:
            packed = inflate.unconsumed_tail or file.read(1 << 16)
            if not packed:
                break
            *lines, begun = (begun + decode.decode(inflate.decompress(packed, 1 << 16))).splitlines(keepends=True) or ['']
            if begun.endswith('\n'):
                lines, begun = [*lines, begun], ''
            yield from lines
    if begun:
        yield begun


def _lines(name: str, compression: str, encoding: str) -> Iterator[Any]:
    if compression == 'ZLIB':
        yield from _inflated(name, encoding)
        return
    with (gzip.open(name, 'rt', newline='', encoding=encoding) if compression == 'GZIP' else
          open(name, newline='', encoding=encoding)) as file:
        yield from file


def _rows(names, delimiter, quotes, header, encoding, compression):
    """The rows of CSV files, without their headers."""
    for name in names:
        with contextlib.closing(_lines(name, compression, encoding)) as lines:
            reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
            if header:
                next(reader, None)
            yield from reader


def _inferred(rows, columns, most, missing):
    """A value for each column where a row has none, of the narrowest dtype that its first rows fit into."""
    kinds = [None] * len(columns)
    for number, row in enumerate(rows):
        if number == most:
            break
        for k, column in enumerate(columns):
            if column >= len(row):
                raise ValueError('Problem inferring types: CSV row has a different number of fields than expected.')
            if row[column] not in ('', missing):
                kinds[k] = next(i for i in range(kinds[k] or 0, len(_KINDS)) if _fits(row[column], _KINDS[i]))
    kinds = [tf.string if kind is None else _KINDS[kind] for kind in kinds]
    return [tf.constant([''] if kind == tf.string else [0], kind) for kind in kinds]


def _chosen(select: list[Any] | None, names: list[Any]) -> list[Any]:
    """The numbers of columns that are given by names or numbers."""
    if select is None:
        return list(range(len(names)))
    numbers = []
    for one in select:
        if isinstance(one, str) and one not in names:
            raise ValueError(f'Column {one} specified in `select_columns` must be of one of the columns: {names}.')
        numbers.append(names.index(one) if isinstance(one, str) else one)
    return sorted(numbers)


def _known_compression(kind):
    kind = tf.get_static_value(kind) if tf.is_tensor(kind) else kind
    kind = kind.item() if hasattr(kind, 'item') else kind
    kind = kind.decode() if isinstance(kind, bytes) else kind or ''
    if kind not in ('', 'GZIP', 'ZLIB'):
        raise ValueError(f'compression_type must be "", "GZIP" or "ZLIB", got {kind!r}')
    return kind


def _mixed(dataset: tf.data.Dataset, num_epochs: int | None, shuffle: bool, size: int,
           seed: int | None) -> tf.data.Dataset:
    if shuffle:
        dataset = dataset.shuffle(size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def make_csv_dataset(file_pattern: Any, batch_size: Any, column_names: Any = None, column_defaults: Any = None,
                     label_name: Any = None, select_columns: Any = None, field_delim: str = ',',
                     use_quote_delim: bool = True, na_value: str = '', header: bool = True, num_epochs: Any = None,
                     shuffle: bool = True, shuffle_buffer_size: Any = 10000, shuffle_seed: Any = None,
                     prefetch_buffer_size: Any = None, num_parallel_reads: Any = None, sloppy: bool = False,
                     num_rows_for_inference: Any = 100, compression_type: Any = None, ignore_errors: bool = False,
                     encoding: str = 'utf-8') -> Any:
    """Batches of the rows of CSV files: a dict of columns, with `label_name` a pair of that and the label."""
    names = _file_names(file_pattern)
    compression = _known_compression(compression_type) if column_names is None or column_defaults is None else None
    if column_names is None:
        if not header:
            raise ValueError('Expected `column_names` or `header` arguments. Neither is provided.')
        column_names = next(_rows(names[:1], field_delim, use_quote_delim, False, encoding, compression), [])
    twice = {name for name, count in collections.Counter(column_names).items() if count > 1}
    if twice:
        raise ValueError(f'Either `column_names` argument or CSV header row contains duplicate column names: {twice}.')
    if label_name is not None and label_name not in column_names:
        raise ValueError(f'`label_name` provided must be one of the columns: {column_names}. Received: {label_name}.')
    columns = _chosen(select_columns, list(column_names))
    if column_defaults is None:
        rows = _rows(names, field_delim, use_quote_delim, header, encoding, compression)
        column_defaults = _inferred(rows, columns, num_rows_for_inference, na_value)
    else:
        column_defaults = [one if isinstance(one, (tf.DType, list, tuple)) or tf.is_tensor(one) else [one]
                           for one in column_defaults]
    chosen = [column_names[column] for column in columns]
    if label_name is not None and label_name not in chosen:
        raise ValueError(f'`label_name` provided must be one of the columns: {chosen}. Received: {label_name}.')

    def of_file(name):
        made = CsvDataset(name, column_defaults, compression_type=compression_type, header=header,
                          field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value,
                          select_cols=None if select_columns is None else columns)
        return made.ignore_errors() if ignore_errors else made

    def with_names(*values):
        found = collections.OrderedDict(zip(chosen, values))
        return found if label_name is None else (found, found.pop(label_name))
    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    dataset = dataset.interleave(_plain(of_file), cycle_length=num_parallel_reads or 1,
                                 num_parallel_calls=num_parallel_reads, deterministic=not sloppy)
    dataset = _mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(_plain(with_names))
    return dataset.prefetch(tf.data.AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def make_batched_features_dataset(file_pattern: Any, batch_size: Any, features: Any, reader: Any = None,
                                  label_key: Any = None, reader_args: Any = None, num_epochs: Any = None,
                                  shuffle: bool = True, shuffle_buffer_size: Any = 10000, shuffle_seed: Any = None,
                                  prefetch_buffer_size: Any = None, reader_num_threads: Any = None,
                                  parser_num_threads: Any = None, sloppy_ordering: bool = False,
                                  drop_final_batch: bool = False) -> tf.data.Dataset:
    """Batches of parsed tf.train.Examples of files; with `label_key` pairs of features and the label."""
    if label_key is not None and label_key not in features:
        raise ValueError(f'The `label_key` provided ({label_key}) must be one of the `features` keys: '
                         f'{features.keys()}.')
    dataset = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    reader, arguments = reader or TFRecordDataset, reader_args or []
    dataset = dataset.interleave(_plain(lambda name: reader(name, *arguments)), cycle_length=reader_num_threads or 1,
                                 num_parallel_calls=reader_num_threads, deterministic=not sloppy_ordering)
    if isinstance(dataset.element_spec, tuple):
        dataset = dataset.map(_plain(lambda _, value: value))
    dataset = _mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        dataset = dataset.map(_plain(lambda found: (found, found.pop(label_key))))
    return dataset.prefetch(tf.data.AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


class DatasetInitializer(TableInitializerBase):
    """Keys and values that a dataset gives in pairs."""

    def __init__(self, dataset: Any) -> None:
        spec = dataset.element_spec
        words = f'The dataset of a table must give pairs of scalars, keys and values; it gives {spec}.'
        if not isinstance(spec, tuple) or len(spec) != 2 or any(type(one) is not tf.TensorSpec for one in spec):
            raise TypeError(words)
        if any(one.shape.rank not in (0, None) for one in spec):
            raise ValueError(words)
        self.dataset = dataset
        super().__init__(spec[0].dtype, spec[1].dtype)

    def initialize(self, table):
        self._check(table)
        any_pair = False
        variant = self.dataset._variant_tensor
        if tf.is_symbolic_tensor(variant) and not tf.inside_function():  # in a graph that sessions run
            variant = _session.value_of(variant)
        with tf._eager_scope():
            for keys, values in tf.data.experimental.from_variant(variant, self.dataset.element_spec).batch(4096):
                any_pair = True
                tf.raw_ops.LookupTableImportV2(table_handle=table.resource_handle, keys=keys, values=values)
        if not any_pair:
            raise tf.errors.OutOfRangeError(None, None, 'end of iterator: the dataset of a table is empty')


def table_from_dataset(dataset: Any = None, num_oov_buckets: Any = 0, vocab_size: Any = None, default_value: Any = None,
                       hasher_spec: Any = None, key_dtype: Any = tf.string, name: str | None = None) -> Any:
    """A table of the pairs of a dataset; other keys have `default_value`, or one of further ids by their hash."""
    if num_oov_buckets < 0:
        raise ValueError(f'`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.')
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f'`vocab_size` must be greater than 0, got {vocab_size}.')
    if not tf.as_dtype(key_dtype).is_integer and key_dtype != tf.string:
        raise TypeError(f'Invalid `key_dtype`. Only integer and string keys are supported. Got {key_dtype}.')
    if vocab_size:
        dataset = dataset.take(vocab_size).apply(tf.data.experimental.assert_cardinality(vocab_size))
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, lookup_key_dtype=key_dtype, name=name)
    if default_value is None:
        default_value = '' if initializer.value_dtype == tf.string else -1
    return StaticHashTable(initializer, default_value, name)


def index_table_from_dataset(dataset: Any = None, num_oov_buckets: Any = 0, vocab_size: Any = None,
                             default_value: Any = -1, hasher_spec: Any = None, key_dtype: Any = tf.string,
                             name: str | None = None) -> Any:
    """A table of the elements of a dataset with their positions."""
    pairs = dataset.enumerate().map(_plain(lambda position, key: (key, position)))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)


publish('tf.data.experimental', make_csv_dataset, make_batched_features_dataset, DatasetInitializer, table_from_dataset,
        index_table_from_dataset)
