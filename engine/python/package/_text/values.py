"""tf.compat.as_text and its neighbours: bytes and str from one another."""
import os

from footlight import _engine


def as_bytes(bytes_or_text, encoding='utf-8'):
    """It as bytes."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError('Expected binary or unicode string, got %r' % (bytes_or_text,))


def as_text(bytes_or_text, encoding='utf-8'):
    """It as str."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError('Expected binary or unicode string, got %r' % (bytes_or_text,))


def as_str(bytes_or_text, encoding='utf-8'):
    """It as str."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value, encoding='utf-8'):
    """Anything as str; bytes are decoded."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """The path that an object stands for."""
    return os.fspath(path) if hasattr(path, '__fspath__') else path


_home = _engine.namespace('compat')
for _f in (as_bytes, as_text, as_str, as_str_any, path_to_str):
    _f.__module__ = 'footlight.compat'
    setattr(_home, _f.__name__, _f)
