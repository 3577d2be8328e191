"""tensorflow.python.util.decorator_utils: docstrings with notices, properties of classes."""
from __future__ import annotations

import inspect

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def add_notice_to_docstring(doc: Any, instructions: Any, no_doc_str: Any, suffix_str: Any, notice: Any,
                            notice_type: str = 'Warning') -> str:
    """The docstring with `suffix_str` behind its first line and the lines of `notice` below that."""
    if not notice:
        raise ValueError('The `notice` arg must not be empty.')
    first, _, rest = inspect.cleandoc(doc or '').partition('\n')
    lines = [f'{first!s} {suffix_str}' if first else no_doc_str, '', f'{notice_type}: {notice[0]}', *notice[1:]]
    if instructions:
        lines.append(instructions)
    if rest.strip():
        lines += ['', rest.lstrip('\n')]
    return '\n'.join(lines)


def get_qualified_name(function: Callable[..., Any]) -> str:
    """The name of a function with those of the classes around it."""
    return getattr(function, '__qualname__', function.__name__)


def validate_callable(func: Callable[..., Any], decorator_name: Any) -> None:
    """Raises where a decorator got no function."""
    if not callable(func):
        raise ValueError(f'{func} is not a function. If this is a property, make sure @property appears before '
                         f'@{decorator_name} in your source code:\n\n@property\n@{decorator_name}\ndef method(...)')


class _classproperty:
    def __init__(self, function, keeps):
        self._function, self._kept = function, {} if keeps else None

    def __get__(self, instance, owner):
        if self._kept is None:
            return self._function(owner)
        if owner not in self._kept:
            self._kept[owner] = self._function(owner)
        return self._kept[owner]

    def __set__(self, instance, value):
        raise AttributeError(f'property {self._function.__name__} is read-only')


def classproperty(func):
    """A decorator: a property of the class."""
    return _classproperty(func, False)


def cached_classproperty(func):
    """A decorator: a property of the class that each class computes once."""
    return _classproperty(func, True)


publish(globals())
