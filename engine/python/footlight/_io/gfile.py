"""tf.io: files as bytes, bytes as tensors and back, and tf.io.gfile."""
from __future__ import annotations

import collections
import glob as _glob
import os
import shutil

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, DTypeLike, Iterator

_op = _engine.dataset_op
_gfile = _engine.namespace('io.gfile')
DecodeWav = collections.namedtuple('DecodeWav', ['audio', 'sample_rate'])


def _texts(value: tf.Tensor) -> tf.Tensor:
    return tf.convert_to_tensor(os.fspath(value) if isinstance(value, os.PathLike) else value, tf.string)


def read_file(filename: Any, name: str | None = None) -> tf.Tensor:
    """The contents of a file."""
    return _op('ReadFile', [_texts(filename)], {}, name)[0]


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes a file; folders that are not there are made."""
    _op('WriteFile', [_texts(filename), _texts(contents)], {}, name)


def matching_files(pattern: Any, name: str | None = None) -> Any:
    """The names of files that match a pattern, or one of several."""
    return _op('MatchingFiles', [_texts(pattern)], {}, name)[0]


def decode_raw(input_bytes: Any, out_type: DTypeLike, little_endian: bool = True, fixed_length: Any = None,
               name: str | None = None) -> Any:
    """Bytes as numbers; with `fixed_length` cut or filled up with zeros."""
    how = {'out_type': tf.as_dtype(out_type), 'little_endian': bool(little_endian)}
    if fixed_length is None:
        return _op('DecodeRaw', [_texts(input_bytes)], how, name)[0]
    return _op('DecodePaddedRaw', [_texts(input_bytes), tf.convert_to_tensor(fixed_length, tf.int32)], how, name)[0]


def decode_csv(records: Any, record_defaults: Any, field_delim: str = ',', use_quote_delim: bool = True,
               na_value: str = '', select_cols: Any = None, name: str | None = None) -> Any:
    """The columns of lines of CSV, a tensor each."""
    if select_cols is not None and any(b <= a for a, b in zip(select_cols, select_cols[1:])):
        raise ValueError('select_cols is not strictly increasing.')
    if select_cols is not None and len(select_cols) and select_cols[0] < 0:
        raise ValueError('select_cols contains negative values.')
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError('Length of select_cols and record_defaults do not match.')
    defaults = [tf.convert_to_tensor(d) for d in record_defaults]
    return _op('DecodeCSV', [_texts(records), *defaults],
               {'field_delim': field_delim, 'use_quote_delim': bool(use_quote_delim), 'na_value': na_value,
                'select_cols': list(select_cols or ())}, name)


def decode_base64(input: Any, name: str | None = None) -> Any:
    """The bytes that web-safe base64 stands for."""
    return _op('DecodeBase64', [_texts(input)], {}, name)[0]


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Bytes as web-safe base64."""
    return _op('EncodeBase64', [_texts(input)], {'pad': bool(pad)}, name)[0]


def decode_compressed(bytes: Any, compression_type: str = '', name: str | None = None) -> Any:
    """Compressed bytes as they were."""
    return _op('DecodeCompressed', [_texts(bytes)], {'compression_type': compression_type}, name)[0]


def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """A tensor as the bytes of a TensorProto."""
    return _op('SerializeTensor', [tf.convert_to_tensor(tensor)], {}, name)[0]


def parse_tensor(serialized: Any, out_type: DTypeLike, name: str | None = None) -> Any:
    """The tensor that the bytes of a TensorProto describe."""
    return _op('ParseTensor', [_texts(serialized)], {'out_type': tf.as_dtype(out_type)}, name)[0]


def decode_wav(contents: Any, desired_channels: Any = -1, desired_samples: Any = -1, name: str | None = None) -> Any:
    """The sound of a WAV file, between -1 and 1, and its sample rate."""
    return DecodeWav(*_op('DecodeWav', [_texts(contents)],
                     {'desired_channels': desired_channels, 'desired_samples': desired_samples}, name))


# --- tf.io.gfile ---
def _fail(error, path):
    """An OSError as the error of tf.errors that TensorFlow raises."""
    kind = {FileNotFoundError: tf.errors.NotFoundError, PermissionError: tf.errors.PermissionDeniedError,
            FileExistsError: tf.errors.AlreadyExistsError, IsADirectoryError: tf.errors.FailedPreconditionError,
            NotADirectoryError: tf.errors.FailedPreconditionError}.get(type(error))
    if kind is None:
        import errno
        kind = {errno.ENOTEMPTY: tf.errors.FailedPreconditionError, errno.EINVAL: tf.errors.InvalidArgumentError,
                errno.ENOSPC: tf.errors.ResourceExhaustedError}.get(error.errno, tf.errors.UnknownError)
    raise kind(None, None, f'{path}; {error.strerror}') from None


class _Reported:
    """A context in which errors of the system are raised as TensorFlow does."""

    def __init__(self, path: Any) -> None:
        self.path = path

    def __enter__(self) -> _Reported:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, OSError):
            _fail(error, self.path)


def _path(path: Any) -> str:
    path = os.fspath(path)
    if isinstance(path, bytes):
        path = path.decode()
    if '://' in path and not path.startswith('file://'):
        raise tf.errors.UnimplementedError(None, None, f"File system scheme '{path.split('://')[0]}' not implemented "
                                                       f"(file: '{path}')")
    return path[len('file://'):] if path.startswith('file://') else path


class GFile:
    """A file, opened when it is first read or written."""

    def __init__(self, name: str, mode: str = 'r') -> None:
        if mode not in ('r', 'w', 'a', 'r+', 'w+', 'a+', 'rb', 'wb', 'ab', 'rb+', 'wb+', 'ab+', 'r+b', 'w+b', 'a+b'):
            raise tf.errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode, self._file, self._was_opened = name, mode, None, False
        self._binary = 'b' in mode
        plain = mode.replace('b', '')
        self._reads, self._writes = plain in ('r', 'r+', 'w+', 'a+'), plain in ('w', 'a', 'r+', 'w+', 'a+')

    name = property(lambda self: self._name, doc='The name of the file.')
    mode = property(lambda self: self._mode, doc='How it is opened.')

    def _open(self, writes):
        if writes and not self._writes:
            raise tf.errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if not writes and not self._reads:
            raise tf.errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if self._file is None:
            with _Reported(self._name):
                self._file = open(_path(self._name), self._mode.replace('b', '') + 'b')
            self._was_opened = True
        return self._file

    def _given(self, data: Any) -> bytes | str:
        return data if self._binary else data.decode()

    def write(self, file_content: Any) -> None:
        """Adds to the file."""
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with _Reported(self._name):
            self._open(True).write(data)

    def read(self, n: Any = -1) -> bytes | str:
        """`n` bytes, or all that are left."""
        file = self._open(False)
        with _Reported(self._name):
            return self._given(file.read(n))

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        file = self._open(False)
        with _Reported(self._name):
            return self._given(file.readline())

    def readlines(self):
        """All lines that are left."""
        lines = []
        while True:
            line = self.readline()
            if not line:
                return lines
            lines.append(line)

    def seek(self, offset: Any = None, whence: Any = 0, position: Any = None) -> None:
        """Goes to a place in the file."""
        if offset is None and position is None:
            raise TypeError('seek(): offset argument required')
        if whence not in (0, 1, 2):
            raise tf.errors.InvalidArgumentError(None, None, f'Invalid whence argument: {whence!s}. Valid values are '
                                                             '0, 1, or 2.')
        file = self._open(False)
        try:
            file.seek(position if offset is None else offset, whence)
        except (OSError, ValueError):
            raise tf.errors.OutOfRangeError(None, None, 'seek() outside of the file') from None

    def tell(self):
        """The place in the file."""
        if self._reads:
            return self._open(False).tell()
        if self._file is None:
            self._open(True)
        return self._file.tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> Any:
        """The size of the file in bytes."""
        return stat(self._name).length

    def flush(self) -> None:
        """Passes what was written to the system."""
        if self._file is not None and self._writes:
            with _Reported(self._name):
                self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            with _Reported(self._name):
                self._file.close()
            self._file = None
        elif self._writes and self._mode[0] in 'wa' and not self._was_opened:
            self._open(True)  # opening for writing creates the file even if nothing is written
            self.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line


class _FileStatistics:
    """What the system says of a file."""

    def __init__(self, length: Any, mtime_nsec: Any, is_directory: Any) -> None:
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory

    def __repr__(self) -> str:
        return f'<FileStatistics: length={self.length}, mtime_nsec={self.mtime_nsec}, is_directory={self.is_directory}>'


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file."""
    if not overwrite and exists(dst):
        raise tf.errors.AlreadyExistsError(None, None, 'file already exists')
    with _Reported(src):
        shutil.copyfile(_path(src), _path(dst))


def exists(path: Any) -> bool:
    """Whether there is a file or a folder."""
    return os.path.lexists(_path(path))


def glob(pattern: Any) -> list[Any]:
    """The names that match a pattern, or one of several."""
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    found = []
    for one in patterns:
        found += sorted(_glob.glob(_path(one)))
    return found


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(_path(path))


def join(path: Any, *paths: Any) -> str:
    """A path of several parts."""
    return os.path.join(path, *paths)


def listdir(path: Any) -> list[Any]:
    """The names in a folder."""
    if not isdir(path):
        raise tf.errors.NotFoundError(None, None, f'Could not find directory {os.fspath(path)}')
    with _Reported(path):
        return os.listdir(_path(path))


def makedirs(path: Any) -> None:
    """Makes a folder, and those that it is in."""
    with _Reported(path):
        os.makedirs(_path(path), exist_ok=True)


def mkdir(path: Any) -> None:
    """Makes a folder in one that is there."""
    with _Reported(path):
        os.mkdir(_path(path))


def remove(path: Any) -> None:
    """Removes a file."""
    with _Reported(path):
        if os.path.isdir(_path(path)) and not os.path.islink(_path(path)):
            raise IsADirectoryError(21, 'Is a directory')
        os.remove(_path(path))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or a folder another name."""
    if not overwrite and exists(dst):
        raise tf.errors.AlreadyExistsError(None, None, 'file already exists')
    with _Reported(src):
        os.replace(_path(src), _path(dst))


def rmtree(path: Any) -> None:
    """Removes a folder with all that is in it."""
    if not exists(path):
        raise tf.errors.NotFoundError(None, None, f'Path or subdirectory {os.fspath(path)} does not exist')
    with _Reported(path):
        shutil.rmtree(_path(path))


def stat(path):
    """The size, the time and the kind of a file."""
    with _Reported(path):
        found = os.stat(_path(path))
        return _FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_path(path)))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[Any]:
    """(folder, its folders, its files) of a folder and all in it."""
    try:
        names = sorted(listdir(top))
    except tf.errors.NotFoundError as error:
        if onerror:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(top, name))]
    here = top, folders, [name for name in names if name not in folders]
    if topdown:
        yield here
    for folder in folders:
        yield from walk(join(top, folder), topdown, onerror)
    if not topdown:
        yield here


def get_registered_schemes() -> list[Any]:
    """The kinds of files that can be opened: those of the system."""
    return ['', 'file']


publish('tf.io tf.compat.v1', read_file, write_file, matching_files, decode_raw, decode_csv, decode_base64,
        encode_base64, decode_compressed, serialize_tensor, parse_tensor)
publish('tf.audio', decode_wav)
publish('tf.io.gfile', GFile, copy, exists, glob, isdir, join, listdir, makedirs, mkdir, remove, rename, rmtree, stat,
        walk, get_registered_schemes)
