"""The exception classes: tf.errors, and subclasses of TypeError."""
from __future__ import annotations

from footlight._typing import Any


class OpError(Exception):
    """An operation failed. `message` says why; `op` and `node_def` are those of the graph's node, if there is one."""

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int = 2, *args: Any) -> None:
        super().__init__()
        self._node_def, self._op, self._message, self._error_code = node_def, op, message, error_code
        self._payloads = args[0] if args else {}

    node_def = property(lambda self: self._node_def)
    op = property(lambda self: self._op)
    message = property(lambda self: self._message)
    error_code = property(lambda self: self._error_code)
    experimental_payloads = property(lambda self: self._payloads)

    def __str__(self) -> str:
        return self._message if self._message is not None else ''

    def __reduce__(self) -> tuple[Any, ...]:
        code = (self._error_code,) if type(self) is OpError else ()
        return type(self), (self._node_def, self._op, self._message, *code, self._payloads)


def _class(name: str, code: Any, doc: str) -> Any:
    def __init__(self, node_def, op, message, *args):
        OpError.__init__(self, node_def, op, message, code, *args)
    return type(name, (OpError,), {'__init__': __init__, '__doc__': doc, '__module__': 'footlight.errors'})


OpError.__module__ = 'footlight.errors'

CODES = {'OK': 0, 'CANCELLED': 1, 'UNKNOWN': 2, 'INVALID_ARGUMENT': 3, 'DEADLINE_EXCEEDED': 4, 'NOT_FOUND': 5,
         'ALREADY_EXISTS': 6, 'PERMISSION_DENIED': 7, 'RESOURCE_EXHAUSTED': 8, 'FAILED_PRECONDITION': 9, 'ABORTED': 10,
         'OUT_OF_RANGE': 11, 'UNIMPLEMENTED': 12, 'INTERNAL': 13, 'UNAVAILABLE': 14, 'DATA_LOSS': 15,
         'UNAUTHENTICATED': 16}

DOCS = {'CANCELLED': 'The operation was stopped before it ended.',
        'UNKNOWN': 'An operation failed for a reason that fits no other class.',
        'INVALID_ARGUMENT': 'An operation was given inputs it cannot work with.',
        'DEADLINE_EXCEEDED': 'A time limit passed before the operation ended.',
        'NOT_FOUND': 'Something that was asked for, such as a file, does not exist.',
        'ALREADY_EXISTS': 'Something that was to be made exists already.',
        'PERMISSION_DENIED': 'The operating system does not allow it.',
        'RESOURCE_EXHAUSTED': 'Memory, disk or another resource ran out.',
        'FAILED_PRECONDITION': 'The system is not in the state that the operation needs.',
        'ABORTED': 'The operation was given up, usually because of another one at the same time.',
        'OUT_OF_RANGE': 'An iteration went past its end.',
        'UNIMPLEMENTED': 'The operation is not available for these types or on this device.',
        'INTERNAL': 'A bug of the engine.',
        'UNAVAILABLE': 'A service cannot be reached at present.',
        'DATA_LOSS': 'Data is damaged or incomplete.',
        'UNAUTHENTICATED': 'The caller is not known.'}

CLASSES: dict[str, Any] = {}
for _code, _doc in DOCS.items():
    _name = ''.join(word.capitalize() for word in _code.split('_')) + 'Error'
    CLASSES[_name] = _class(_name, CODES[_code], _doc)
_InvalidArgumentError: Any = CLASSES['InvalidArgumentError']


class FailedAssert(_InvalidArgumentError, AssertionError):
    """An assert statement about a tensor failed."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _InvalidArgumentError, (self._node_def, self._op, self._message, self._payloads)


FailedAssert.__name__ = FailedAssert.__qualname__ = 'InvalidArgumentError'
FailedAssert.__module__ = 'footlight.errors'


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where a value is required."""


OperatorNotAllowedInGraphError.__module__ = 'footlight.errors'


# These two print as plain TypeErrors, as in TensorFlow, but `except` can tell them apart.
def _type_error(doc):
    kind = type('TypeError', (TypeError, ValueError), {'__doc__': doc, '__module__': 'builtins'})
    kind.__reduce__ = lambda self: (TypeError, self.args)
    return kind


InaccessibleTensorError = _type_error('A symbolic tensor was used outside of the function that made it.')
SignatureMismatchError = _type_error('The arguments of a call do not fit the signature.')
