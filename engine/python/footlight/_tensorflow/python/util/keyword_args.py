"""tensorflow.python.util.keyword_args: functions that take keywords alone."""
from __future__ import annotations

import functools

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def keyword_args_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that takes arguments by name alone."""
    @functools.wraps(func)
    def new_func(*args, **kwargs):
        if args:
            raise ValueError(f'The function {func.__name__} only accepts keyword arguments. Do not pass positional '
                             f'arguments. Received the following positional arguments: {args}')
        return func(**kwargs)
    return new_func


publish(globals())
