"""tf.data.experimental.SqlDataset: the rows of a query to an SQLite database, by Python's own module for these, which is
loaded at the first row."""
from __future__ import annotations

import os
import pathlib

import footlight as tf
from footlight._data.datasets import Dataset
from footlight._public import publish
from footlight._typing import Any, Iterator

_TYPES = (tf.string, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool, tf.float64)


def _kept(dtype, value):
    """A column's value as an element's, where SQLite has made it text, a number or an integer of 64 bits."""
    if value is None:
        value = b'' if dtype == tf.string else 0
    if dtype == tf.bool:
        return value != 0
    if not dtype.is_integer or dtype == tf.int64:
        return value
    least = dtype.min
    return (value - least) % (dtype.max - least + 1) + least


def _rows(path: Any, query: str, dtypes: Any) -> Iterator[Any]:
    import sqlite3
    try:
        # The file is only read.
        database = sqlite3.connect(pathlib.Path(os.path.abspath(path)).as_uri() + '?mode=ro', uri=True)
    except sqlite3.Error as error:
        raise ValueError(f'Sqlite::Open({path}) failed: {error}') from error
    # Converts as SQLite itself does where a program asks for a column in another type.
    kinds = ('text' if dtype == tf.string else 'real' if dtype.is_floating else 'integer' for dtype in dtypes)
    converted = 'select ' + ', '.join(f'cast(? as {kind})' for kind in kinds)
    converter = sqlite3.connect(':memory:')
    database.text_factory = converter.text_factory = bytes
    try:
        rows = database.execute(query)
        columns = len(rows.description or ())
        if columns != len(dtypes):
            raise ValueError(f'The number of columns in query ({columns}) must match the number of elements in '
                             f'output_types ({len(dtypes)}).')
        for row in rows:
            # bytes would be a blob
            row = [value.decode('utf-8', 'surrogateescape') if isinstance(value, bytes) and dtype != tf.string else value
                   for value, dtype in zip(row, dtypes)]
            yield tuple(map(_kept, dtypes, converter.execute(converted, row).fetchone()))
    except sqlite3.Error as error:
        raise RuntimeError(f'{error}: {query!s}') from error
    finally:
        database.close()
        converter.close()


class SqlDataset(Dataset):
    """The rows of `query` to the SQLite database in the file `data_source_name`, a tensor for each column."""

    def __init__(self, driver_name, data_source_name, query, output_types):
        driver, path, query = (tf.get_static_value(tf.convert_to_tensor(value, tf.string)) for value in (
            driver_name, data_source_name, query))
        if driver is None or path is None or query is None:
            raise NotImplementedError('SqlDataset: the database and the query must be known when it is made')
        if driver != b'sqlite':
            raise tf.errors.InvalidArgumentError(None, None, f'The database type, {driver.decode()}, is not supported '
                                                             'by SqlDataset. The set of supported databases is: '
                                                             "{'sqlite'}.")
        dtypes = [tf.as_dtype(dtype) for dtype in output_types]
        for dtype in dtypes:
            if dtype not in _TYPES:
                raise tf.errors.InvalidArgumentError(None, None, 'Each element of `output_types` must be one of '
                                                                 f"{', '.join(known.name for known in _TYPES)}, not "
                                                                 f'{dtype.name}')
        self._specs = tuple(tf.TensorSpec([], dtype) for dtype in dtypes)
        path, query = os.fsdecode(path), query.decode()
        rows = Dataset.from_generator(lambda: _rows(path, query, dtypes), output_signature=self._specs)
        super().__init__(rows._variant_tensor)

    element_spec = property(lambda self: self._specs)


publish('tf.data.experimental', SqlDataset)
