"""tensorflow.python.lib.io.file_io: files and folders."""
from __future__ import annotations

import itertools

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any

_numbers = itertools.count()


def read_file_to_string(filename: Any, binary_mode: bool = False) -> bytes | str:
    """The whole of a file."""
    with tf.io.gfile.GFile(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Makes a file of this text, or these bytes."""
    with tf.io.gfile.GFile(filename, 'wb' if isinstance(file_content, bytes) else 'w') as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Makes a file that is there as a whole or not at all."""
    beside = f'{filename}.tmp{next(_numbers)}'
    write_string_to_file(beside, contents)
    try:
        tf.io.gfile.rename(beside, filename, overwrite)
    except tf.errors.OpError:
        tf.io.gfile.remove(beside)
        raise


def file_exists(filename: Any) -> bool:
    """Whether there is a file or a folder of this name."""
    return tf.io.gfile.exists(filename)


def delete_file(filename: Any) -> None:
    """Deletes a file."""
    tf.io.gfile.remove(filename)


def create_dir(dirname: Any) -> None:
    """Makes a folder, whose parent is there."""
    tf.io.gfile.mkdir(dirname)


def recursive_create_dir(dirname: Any) -> None:
    """Makes a folder, and those that it lies in."""
    tf.io.gfile.makedirs(dirname)


def list_directory(dirname: Any) -> list[Any]:
    """The names in a folder."""
    return tf.io.gfile.listdir(dirname)


def get_matching_files(filename):
    """The files whose names fit a pattern, or one of several."""
    return tf.io.gfile.glob(filename)


def is_directory(dirname):
    """Whether it is a folder."""
    return tf.io.gfile.isdir(dirname)


def delete_recursively(dirname: Any) -> None:
    """Deletes a folder with all that lies in it."""
    tf.io.gfile.rmtree(dirname)
FileIO = tf.io.gfile.GFile
publish(globals())
publish(globals(), 'FileIO recursive_create_dir_v2=recursive_create_dir list_directory_v2=list_directory '
        'file_exists_v2=file_exists')
