"""Datasets that read files, and the writer of TFRecord files."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._data.dataset_ops import _int64, _made, _op, _text, _types
from footlight._data.datasets import Dataset
from footlight._public import alias, publish
from footlight._typing import Any

_data = tf.data


class _Files(Dataset):
    """Base of datasets that read a list of files one after the other."""

    _specs = tf.TensorSpec([], tf.string)
    element_spec = property(lambda self: self._specs)

    def _read(self, filenames, make, parallel):
        """`make(names)` gives the dataset of files with these names."""
        if isinstance(filenames, Dataset):
            if not tf.TensorSpec(None, tf.string).is_compatible_with(filenames.element_spec):
                dtype = getattr(filenames.element_spec, 'dtype', None)
                raise TypeError('The `filenames` argument must contain `tf.string` elements. Got a dataset of '
                                f'`{filenames.element_spec if dtype is None else repr(dtype)}` elements.')
            names = filenames
        else:
            given = tf.convert_to_tensor(
                [str(f) for f in filenames] if isinstance(filenames, (list, tuple)) else
                filenames if isinstance(filenames, tf.Tensor) else str(filenames), tf.string)
            names = Dataset.from_tensor_slices(tf.reshape(given, [-1]))
            if parallel is None:
                super().__init__(make(tf.reshape(given, [-1])))
                return
        plain = tf.autograph.experimental.do_not_convert
        each = plain(lambda name: _made('_VariantDataset', make(tf.reshape(name, [-1])), self._specs))
        if parallel is None:
            made = names.flat_map(each)
        else:
            made = names.interleave(each, cycle_length=parallel, num_parallel_calls=parallel)
        super().__init__(made._variant_tensor)


class TFRecordDataset(_Files):
    """The records of TFRecord files."""

    def __init__(self, filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
                 num_parallel_reads: int | None = None, name: str | None = None) -> None:
        self._read(filenames, lambda names: _op('TFRecordDatasetV2', [
            names, _text(compression_type), _int64(256 * 1024 if buffer_size is None else buffer_size),
            tf.zeros([0], tf.int64)], {})[0], num_parallel_reads)


class TextLineDataset(_Files):
    """The lines of text files."""

    def __init__(self, filenames: Any, compression_type: str | None = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None, name: str | None = None) -> None:
        self._read(filenames, lambda names: _op('TextLineDataset', [
            names, _text(compression_type), _int64(256 * 1024 if buffer_size is None else buffer_size)], {})[0],
            num_parallel_reads)


class FixedLengthRecordDataset(_Files):
    """Parts of files, all of `record_bytes` bytes."""

    def __init__(self, filenames: str, record_bytes: int, header_bytes: int | None = None,
                 footer_bytes: int | None = None, buffer_size: Any = None, compression_type: Any = None,
                 num_parallel_reads: Any = None, name: str | None = None) -> None:
        self._read(filenames, lambda names: _op('FixedLengthRecordDatasetV2', [
            names, _int64(header_bytes or 0), _int64(record_bytes), _int64(footer_bytes or 0),
            _int64(256 * 1024 if buffer_size is None else buffer_size), _text(compression_type)], {})[0],
            num_parallel_reads)


class CsvDataset(_Files):
    """The rows of CSV files, a tensor for each column."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
                 field_delim=',', use_quote_delim=True, na_value='', select_cols=None, exclude_cols=None):
        if select_cols is not None and exclude_cols is not None:
            raise ValueError('Invalid arguments: `select_cols` and `exclude_cols` cannot both be specified.')
        columns = [tf.zeros([0], c) if isinstance(c, tf.DType) else tf.reshape(tf.convert_to_tensor(c), [-1])
                   for c in record_defaults]
        self._specs = tuple(tf.TensorSpec([], c.dtype) for c in columns)
        self._read(filenames, lambda names: _op('CSVDatasetV2', [
            names, _text(compression_type), _int64(4 * 1024 * 1024 if buffer_size is None else buffer_size),
            tf.constant(bool(header)), _text(field_delim), tf.constant(bool(use_quote_delim)), _text(na_value),
            tf.constant(select_cols or [], tf.int64), *columns, tf.constant(exclude_cols or [], tf.int64)],
            _types(self._specs))[0], None)


class TFRecordOptions:
    """How a TFRecord file is compressed."""

    compression_type_map = {0: '', 1: 'ZLIB', 2: 'GZIP'}

    def __init__(self, compression_type: str | None = None, flush_mode: Any = None, input_buffer_size: Any = None,
                 output_buffer_size: Any = None, window_bits: Any = None, compression_level: Any = None,
                 compression_method: Any = None, mem_level: Any = None, compression_strategy: Any = None) -> None:
        self.compression_type = self.get_compression_type_string(compression_type)
        self.compression_level = compression_level

    @classmethod
    def get_compression_type_string(cls, options):
        """'', 'ZLIB' or 'GZIP'."""
        if not options:
            return ''
        if isinstance(options, TFRecordOptions):
            return options.compression_type
        found = cls.compression_type_map.get(options, options)
        if found not in ('', 'ZLIB', 'GZIP'):
            raise ValueError(f'Not a valid compression_type: {options!r}')
        return found


class TFRecordWriter:
    """Writes a TFRecord file."""

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        level = -1 if options.compression_level is None else options.compression_level
        import os
        self._writer = _engine.RecordWriter(os.fspath(path), options.compression_type, level)

    def write(self, record: Any) -> None:
        """Adds a record, bytes or str."""
        self._writer.write(record.encode() if isinstance(record, str) else record)

    def flush(self) -> None:
        """Passes what was written to the system."""
        self._writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self._writer.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def tf_record_iterator(path, options=None):
    """The records of a TFRecord file, as bytes."""
    with tf._eager_scope():
        records = iter(TFRecordDataset(path, TFRecordOptions.get_compression_type_string(options)))
    return _outside_graphs(records)


def _outside_graphs(records):
    while True:
        with tf._eager_scope():  # eager even while the program builds a graph
            record = next(records, None)
        if record is None:
            return
        yield record.numpy()


def summary_iterator(path):
    """The events of a file of summaries, as messages."""
    from footlight import _proto
    return map(_proto.Event.FromString, tf_record_iterator(path))


publish('tf.compat.v1.train', summary_iterator)
publish('tf.data', TFRecordDataset, TextLineDataset, FixedLengthRecordDataset)
publish('tf.data.experimental', CsvDataset)
publish('tf.io', TFRecordWriter, TFRecordOptions)
alias('tf.compat.v1.io tf.compat.v1.python_io', tf_record_iterator)
