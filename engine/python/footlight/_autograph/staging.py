"""Errors of traced code that name the user's lines: of a class that the program's handlers and TensorFlow's both catch.

TensorFlow raises StagingError for exceptions of classes that it cannot make anew with another message; here such an
exception is also one of its own class, with its arguments and attributes.
"""
from __future__ import annotations

import collections
import inspect
import types

from footlight import _errors
from footlight._autograph import ag as _ag
from footlight._typing import Any

MADE_FROM_TEXT = (AssertionError, AttributeError, NameError, NotImplementedError, RuntimeError, StopIteration, TypeError,
                   UnboundLocalError, ValueError)
_OWN = (_errors.OpError, _errors.OperatorNotAllowedInGraphError, _errors.InaccessibleTensorError,
        _errors.SignatureMismatchError, _ag.AutoGraphError)
_made: dict[tuple[type[Any], bool], type[Any]] = {}  # classes, by (class of the user, whether it is a StagingError too)


class StagingError(_ag.AutoGraphError):
    """Staging a function failed with an exception that cannot be made anew from a text."""


class _Shown:
    """Base of the classes that this module creates."""

    def __str__(self) -> str:
        return self.__dict__['__shown__']

    def __reduce__(self) -> tuple[Any, ...]:
        # Built-in exceptions keep their state in `args`, which is enough to rebuild them.
        inner = self.__dict__['__original__']
        return _again, (inner, self.__dict__['__shown__'], isinstance(self, StagingError))


def made_from_text(kind):
    """Whether this exception class can be instantiated with a message alone."""
    return kind in MADE_FROM_TEXT or kind.__init__ is Exception.__init__


def keeps_class(kind):
    """Whether an exception of traced code keeps its class: where TensorFlow's does, or no memory or stack is left."""
    return made_from_text(kind) or kind is KeyError or issubclass(kind, (*_OWN, MemoryError, RecursionError))


def _class(kind, staging):
    made = _made.get((kind, staging))
    if made is None:
        name = 'StagingError' if staging else kind.__name__
        body = {'__str__': _Shown.__str__, '__reduce__': _Shown.__reduce__, '__user_class__': kind.__name__,
                '__module__': StagingError.__module__ if staging else kind.__module__, '__doc__': kind.__doc__}
        made = types.new_class(name, (kind, StagingError) if staging else (kind,), {}, lambda space: space.update(body))
        _made[kind, staging] = made
    return made


def _like(error, kind):
    """Copies an exception into this class, with its arguments and attributes, without running code of the program."""
    base = next(c for c in type(error).__mro__ if not c.__flags__ & 1 << 9)  # the innermost class that is not Python code
    made = base.__new__(kind, *error.args)
    for c in type(error).__mro__:
        if c in (BaseException, object):
            continue
        for name, field in vars(c).items():
            if not name.startswith('__') and (inspect.ismemberdescriptor(field) or inspect.isgetsetdescriptor(field)):
                try:
                    field.__set__(made, field.__get__(error))
                except (AttributeError, TypeError):
                    pass  # without a value, or read only
    BaseException.__setattr__(made, 'args', error.args)
    made.__dict__.update(error.__dict__)
    made.__traceback__, made.__cause__ = error.__traceback__, error.__cause__
    made.__context__, made.__suppress_context__ = error.__context__, error.__suppress_context__
    return made


def _again(error: Any, text: str, staging: Any) -> Any:
    made = _like(error, _class(type(error), staging))
    made.__dict__.update(__shown__=text, __original__=error)
    return made


def told(error, text, message):
    """Returns the exception with the message `text`, or None if it must stay unchanged. `message` is its own text."""
    if '__shown__' in getattr(error, '__dict__', ()):
        error.__dict__['__shown__'] = text
        return error
    kind = type(error)
    try:
        made = _again(error, text, not keeps_class(kind))
    except Exception:
        return None  # classes that cannot be derived from, or not together with another one
    made.__dict__['__user_message__'] = message
    return made


FrameInfo = collections.namedtuple('FrameInfo', ('filename', 'lineno', 'function_name', 'code', 'is_converted', 'is_allowlisted'))


class ErrorMetadata:
    """Maps an error in converted code to lines of the original code."""

    def __init__(self, translated_stack: Any, cause_message: Any) -> None:
        self.translated_stack = translated_stack  # frames, the innermost first
        self.cause_message = cause_message

    def get_message(self) -> str:
        """The words of the error, with the user's lines: marked with * where they were converted, ** where they were not."""
        lines = ['in user code:', '']
        for frame in reversed(self.translated_stack):
            mark = '  *' if frame.is_converted else '  **' if frame.is_allowlisted else ''
            lines.append(f'    File "{frame.filename}", line {frame.lineno}, in {frame.function_name}{mark}')
            lines.append('        ' + (frame.code.strip() if frame.code else '<source unavailable>'))
        return '\n'.join([*lines, '', *('    ' + line for line in self.cause_message.split('\n')), ''])

    def create_exception(self, source_error):
        """An error with these words: of the same class where one can be made from a text, else a StagingError."""
        kind = type(source_error)
        return (kind if made_from_text(kind) else StagingError)(self.get_message())

    def to_exception(self, source_error):
        """Like create_exception(), with this metadata attached."""
        made = self.create_exception(source_error)
        made.__suppress_context__ = True
        made.ag_error_metadata = self
        return made


def note_metadata(error, frames):
    """Sets `ag_error_metadata` of an exception that comes out of converted code, by its frames, the outermost first."""
    own = getattr(error, '__dict__', {})
    cause = f"{getattr(error, '__user_class__', type(error).__name__)}: {own.get('__user_message__', error)}"
    try:
        error.ag_error_metadata = ErrorMetadata(
            tuple(FrameInfo(*frame, not frame[-1]) for frame in reversed(frames)), cause)
    except (AttributeError, TypeError):
        pass  # it has no attributes


StagingError.__module__ = 'footlight.python.autograph.impl.api'
