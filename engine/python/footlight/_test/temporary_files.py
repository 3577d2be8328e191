"""Files and folders of a test, which tf.test.TestCase makes and removes: create_tempdir, create_tempfile."""
from __future__ import annotations

import os
import tempfile
from footlight._typing import Any


class TemporaryFile:
    """A file of a test. Where a path is wanted, it may stand for its own."""

    def __init__(self, path: Any) -> None:
        self.full_path = path

    def __fspath__(self) -> Any:
        return self.full_path

    def open_text(self, mode: str = 'rt', encoding: str = 'utf8', errors: str = 'strict') -> Any:
        """The file, opened for text."""
        return open(self.full_path, mode if 't' in mode else mode + 't', encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = 'rb') -> Any:
        """The file, opened for bytes."""
        return open(self.full_path, mode if 'b' in mode else mode + 'b')

    def read_text(self, encoding: str = 'utf8', errors: str = 'strict') -> str:
        """All of its text."""
        with self.open_text(encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        """All of its bytes."""
        with self.open_bytes() as file:
            return file.read()

    def write_text(self, text: Any, mode: str = 'w', encoding: str = 'utf8', errors: str = 'strict') -> None:
        """Replaces what it holds, or adds to it with mode='a'."""
        with self.open_text(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data: Any, mode: str = 'wb') -> None:
        """Replaces what it holds, or adds to it with mode='ab'."""
        with self.open_bytes(mode) as file:
            file.write(data)


class TemporaryFolder:
    """A folder of a test. Where a path is wanted, it may stand for its own."""

    def __init__(self, path: Any) -> None:
        self.full_path = path

    def __fspath__(self) -> str:
        return self.full_path

    def create_file(self, file_path: Any = None, content: Any = None, mode: str = 'w', encoding: str = 'utf8',
                    errors: str = 'strict') -> TemporaryFile:
        """A file inside, with a name of its own unless `file_path` gives one; folders on the way to it are made."""
        path = _inside(self.full_path, file_path) if file_path else _fresh(self.full_path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = TemporaryFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content, mode)
        else:
            file.write_text(content or '', mode, encoding, errors)
        return file

    def mkdir(self, dir_path: Any = None) -> TemporaryFolder:
        """A folder inside."""
        path = _inside(self.full_path, dir_path) if dir_path else _fresh(self.full_path)
        os.makedirs(path, exist_ok=True)
        return TemporaryFolder(path)


def _inside(folder: Any, path: Any) -> str:
    path = os.fspath(path)
    if os.path.isabs(path) or '..' in path.split(os.sep):
        raise ValueError(f'the path of a temporary file lies inside of the folder of its test: {path!r}')
    return os.path.join(folder, path)


def _fresh(folder: Any) -> str:
    return tempfile.mktemp(dir=folder)


class Temporary:
    """What a test case has for its files: they are removed when the test ends."""

    def create_tempdir(self, name=None, cleanup=None):
        """A folder of this test."""
        return TemporaryFolder(self.get_temp_dir()).mkdir(name)

    def create_tempfile(self, file_path=None, content=None, mode='w', encoding='utf8', errors='strict', cleanup=None):
        """A file of this test, with this text or these bytes."""
        return TemporaryFolder(self.get_temp_dir()).create_file(file_path, content, mode, encoding, errors)
