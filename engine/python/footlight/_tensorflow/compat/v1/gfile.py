"""tf.compat.v1.gfile, python_io and resource_loader: files by the names of TensorFlow 1."""
from __future__ import annotations

import os
import sys

import footlight as tf
from footlight import _engine
from footlight._io import gfile as _today
from footlight._public import publish
from footlight._typing import Any

_gfile = _engine.namespace('compat.v1.gfile')


class FastGFile(_today.GFile):
    """A file, as GFile."""


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file."""
    _today.copy(oldpath, newpath, overwrite)


def Exists(filename):
    """Whether there is a file or folder of that name."""
    return _today.exists(filename)


def Glob(filename):
    """The files that fit a pattern, or one of several."""
    return _today.glob(filename)


def IsDirectory(dirname):
    """Whether it is a folder."""
    return _today.isdir(dirname)


def ListDirectory(dirname):
    """The names in a folder."""
    return _today.listdir(dirname)


def MkDir(dirname: Any) -> None:
    """Makes a folder."""
    _today.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Makes a folder and those around it."""
    _today.makedirs(dirname)


def Remove(filename: Any) -> None:
    """Removes a file."""
    _today.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder with all that is in it."""
    _today.rmtree(dirname)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file another name."""
    _today.rename(oldname, newname, overwrite)


def Stat(filename):
    """The length and the time of a file."""
    return _today.stat(filename)


def Walk(top: Any, in_order: bool = True) -> Any:
    """(folder, its folders, its files) for a folder and all in it."""
    return _today.walk(top, in_order)


class TFRecordCompressionType:
    """How a file of records is compressed."""

    NONE, ZLIB, GZIP = 0, 1, 2


def _beside_caller() -> Any:
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_globals.get('__file__') or '.'))


def get_data_files_path() -> Any:
    """The folder of the file that calls this."""
    return _beside_caller()


def get_path_to_datafile(path: Any) -> str:
    """A path that is written as seen from the file that calls this."""
    return os.path.join(_beside_caller(), path)


def get_root_dir_with_all_resources() -> Any:
    """The folder of the file that calls this."""
    return _beside_caller()


def load_resource(path):
    """The contents of a file that is named as seen from the file that calls this, as bytes."""
    with open(os.path.join(_beside_caller(), path), 'rb') as file:
        return file.read()


def readahead_file_path(path: Any, readahead: str = '128M') -> Any:
    """The path: nothing is read ahead."""
    return path


publish('tf.compat.v1.gfile', FastGFile, Copy, Exists, Glob, IsDirectory, ListDirectory, MkDir, MakeDirs, Remove,
        DeleteRecursively, Rename, Stat, Walk)
_gfile.GFile = _gfile.Open = tf.io.gfile.GFile
publish('tf.compat.v1.python_io', TFRecordCompressionType)
publish('tf.compat.v1.resource_loader', get_data_files_path, get_path_to_datafile, get_root_dir_with_all_resources,
        load_resource, readahead_file_path)
