"""tensorflow.python.util.tf_contextlib: decorators of contexts that say so."""
from __future__ import annotations

import contextlib

from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._typing import Any, Callable


def contextmanager(target: Callable[..., Any]) -> Callable[..., Any]:
    """contextlib.contextmanager, which tf_decorator looks through."""
    return _tf_decorator.make_decorator(target, contextlib.contextmanager(target), 'contextmanager')


publish(globals())
